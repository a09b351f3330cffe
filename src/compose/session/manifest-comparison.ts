import { DEPLOYMENT_KIND, type DeploymentResource } from '../../api/deployment.ts';
import { keyText, type ObjectMeta } from '../../api/metadata.ts';
import { ManifestFiles, type ReadStdin, type Manifests } from '../../directory/manifests/manifest-files.ts';
import { wantsCreation } from '../../model/decide/creation.ts';
import { ownsDeletion } from '../../model/decide/deletion.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import { dataChanges, manifestChanges, type ValuesOf } from '../../views/manifests/manifest-changes.ts';
import { revisionOfChanges } from '../../views/plans/plan-view.ts';
import type { PlannedResource } from '../../views/plans/planned-resource.ts';

/** The differences between two trees of manifests. */
export interface ManifestComparison {
  readonly resources: readonly PlannedResource[];
  readonly problems: readonly FileProblem[];
}

/**
 * Compares manifests with others, such as those of the target branch of a change, without any call to a service or a
 * cluster.
 */
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
  const changes = [
    ...manifestChanges(was, is),
    ...(was === undefined || is === undefined
      ? []
      : dataChanges(is, valuesIn(before, is), valuesIn(after, is))),
  ];
  const action = was === undefined ? 'Added' : is === undefined ? 'Removed' : 'Changed';
  const { kind, metadata } = either;
  const differs = action !== 'Changed' || changes.length > 0;
  const makesRevision = action === 'Changed' && differs && kind === DEPLOYMENT_KIND;
  return [
    {
      ...{ kind, namespace: metadata.namespace ?? '', name: metadata.name, withheld: [], unknown: [] },
      ...{ action: differs ? action : 'None', sends: differs, changes },
      message: kind === DEPLOYMENT_KIND ? consequenceOf(either, action) : '',
      revision: makesRevision ? revisionOfChanges(changes) : undefined,
    },
  ];
}

/** Returns the effect that an added or removed resource has on its deployment. */
function consequenceOf(resource: DeploymentResource, action: 'Added' | 'Changed' | 'Removed'): string {
  if (action === 'Added') {
    return wantsCreation(resource) ? 'its deployment is made where there is none' : '';
  }
  if (action === 'Changed') return '';
  return ownsDeletion(resource)
    ? 'its deployment is deleted with it (deletionPolicy: Delete)'
    : 'its deployment stays at the service';
}

/**
 * Returns a resource of manifests, but no Secret or ConfigMap. Changes to those are reported where they are used,
 * because output for people must not compare their values.
 */
function resourceIn(manifests: Manifests, key: string) {
  const object = manifests.declared.get(key)?.object;
  return object === undefined || 'data' in object ? undefined : object;
}

/**
 * Returns the values of a Secret or ConfigMap. The Secrets of a ClusterConnection are in the operator's namespace,
 * which no manifest names.
 */
function valuesIn(
  { declared }: Manifests,
  { metadata: { namespace } }: { readonly metadata: ObjectMeta },
): ValuesOf {
  return ({ kind, name }) => {
    const found =
      namespace === undefined
        ? [...declared.values()].find(({ key }) => key.kind === kind && key.name === name)
        : declared.get(keyText({ kind, namespace, name }));
    return found !== undefined && 'data' in found.object ? found.object.data : undefined;
  };
}
