import { ManifestFiles, type ReadStdin, type Manifests } from '../directory/manifest-files.ts';
import type { FileProblem } from '../model/file-problem.ts';
import { manifestChanges } from '../model/manifest-diff.ts';
import { revisionOfChanges } from '../model/plan-revision.ts';
import type { PlannedResource } from '../model/planned.ts';

/** How two trees of manifests differ. */
export interface ManifestComparison {
  readonly resources: readonly PlannedResource[];
  readonly problems: readonly FileProblem[];
}

/** Compares manifests with others, such as those of the branch that a change goes into, without asking anybody. */
export async function compareManifests(
  paths: readonly string[],
  against: string,
  readStdin: ReadStdin,
): Promise<ManifestComparison> {
  const before = await new ManifestFiles([against], { readStdin }).read();
  const after = await new ManifestFiles(paths, { readStdin }).read();
  const keys = [...new Set([...before.declared.keys(), ...after.declared.keys()])].toSorted();
  return {
    resources: keys.flatMap((key) => compared(key, before, after)),
    problems: [...before.problems, ...after.problems],
  };
}

function compared(key: string, before: Manifests, after: Manifests): readonly PlannedResource[] {
  const [was, is] = [resourceIn(before, key), resourceIn(after, key)];
  const either = is ?? was;
  if (either === undefined) return [];
  const changes = manifestChanges(was, is);
  const action = was === undefined ? 'Added' : is === undefined ? 'Removed' : 'Changed';
  const { namespace = '', name } = either.metadata;
  const differs = was === undefined || is === undefined || changes.length > 0;
  return [
    {
      ...{ kind: either.kind, namespace, name, message: '', withheld: [], unknown: [] },
      ...{ action: differs ? action : 'None', sends: differs, changes },
      revision: action === 'Changed' && changes.length > 0 ? revisionOfChanges(changes) : undefined,
    },
  ];
}

/** Secrets and ConfigMaps are none of it: their values are not to be compared where people read. */
function resourceIn(manifests: Manifests, key: string) {
  const object = manifests.declared.get(key)?.object;
  return object === undefined || 'data' in object ? undefined : object;
}
