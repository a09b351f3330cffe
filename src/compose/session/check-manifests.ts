import { lineEndWarnings } from '../../directory/manifests/line-end-warnings.ts';
import { ManifestFiles, type ReadStdin } from '../../directory/manifests/manifest-files.ts';
import { type ManifestFile, writeManifests } from '../../directory/manifests/write-manifests.ts';
import { missingReferences } from '../../directory/manifests/missing-references.ts';
import { sharedDeployments } from '../../directory/manifests/shared-deployments.ts';
import type { ManifestCheck } from '../../views/manifests/manifest-check.ts';

/** Reads manifests from files, folders or, for `-`, standard input, and checks them offline. */
export async function checkManifests(paths: readonly string[], readStdin: ReadStdin): Promise<ManifestCheck> {
  const manifests = await new ManifestFiles(paths, { readStdin }).read();
  const { problems, declared, ignored } = manifests;
  const missing = missingReferences({ declared });
  return {
    problems: [
      ...problems,
      ...missing.problems,
      ...sharedDeployments(manifests),
      ...(await lineEndWarnings(manifests)),
    ],
    undeclared: missing.undeclared,
    usable: declared.size,
    ignored: [...ignored.values()].reduce((sum, count) => sum + count, 0),
  };
}

/**
 * Writes manifests into a folder, each file completely or not at all. Throws an ExpectedError, and writes none, if one
 * of the files exists and may not be replaced.
 */
export async function saveManifests(
  folder: string,
  files: readonly ManifestFile[],
  how: { readonly replace: boolean },
): Promise<void> {
  await writeManifests(folder, files, how);
}
