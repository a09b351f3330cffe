import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DEPLOYMENT_KIND } from '../../api/deployment.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { type DeclaredInFile, ManifestFiles } from './manifest-files.ts';

/**
 * Throws an ExpectedError if a path is a single file and the folder around it declares Deployments that the paths leave
 * out: the state of the folder covers all of them, so they would count as removed.
 */
export async function refusePruneOfSome(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    const other = await leftOut(dirname(path), paths);
    if (other === undefined) continue;
    const { namespace, name } = other.key;
    throw new ExpectedError(
      `--prune: ${path} is one of several manifests, and ${namespace}/${name} of ${other.file} would count as gone; name the folder, or a --state file of its own`,
    );
  }
}

/** Returns the first Deployment that a folder declares and the paths do not. */
async function leftOut(folder: string, paths: readonly string[]): Promise<DeclaredInFile | undefined> {
  const inFolder = await new ManifestFiles([folder]).read();
  const given = await new ManifestFiles(paths.filter((path) => path !== '-')).read();
  const declared = [...inFolder.declared].filter(([, { key }]) => key.kind === DEPLOYMENT_KIND);
  return declared.find(([key]) => !given.declared.has(key))?.[1];
}
