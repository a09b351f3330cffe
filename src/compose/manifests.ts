import { ManifestFiles, type ReadStdin } from '../directory/manifest-files.ts';
import { missingReferences } from '../directory/missing-references.ts';
import type { FileProblem } from '../model/file-problem.ts';

/** What a look at manifests showed. */
export interface ManifestCheck {
  readonly problems: readonly FileProblem[];
  /** Documents that can be used. */
  readonly usable: number;
  /** Documents that are none of this project's business. */
  readonly ignored: number;
}

/** Reads manifests from files, folders or, for `-`, standard input, and checks them without asking anybody. */
export async function checkManifests(paths: readonly string[], readStdin: ReadStdin): Promise<ManifestCheck> {
  const { problems, declared, ignored } = await new ManifestFiles(paths, { readStdin }).read();
  return {
    problems: [...problems, ...missingReferences({ declared })],
    usable: declared.size,
    ignored: [...ignored.values()].reduce((sum, count) => sum + count, 0),
  };
}
