import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ExpectedError } from '../model/expected-error.ts';
import { SecretFiles } from './secret-files.ts';
import { STATE_FOLDER } from './trusted-state.ts';

/**
 * Returns the default place of the state of these manifests. Throws an ExpectedError where there are no such
 * manifests.
 */
export async function defaultStateFile([first]: readonly string[]): Promise<string> {
  if (first === undefined) throw new ExpectedError('no folder of manifests was given; name one');
  const isFolder = await stat(first).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
  if (isFolder === undefined)
    throw new ExpectedError(`${first}: there is no such folder; name one that exists`);
  return join(isFolder ? first : dirname(first), STATE_FOLDER, 'state.json');
}

/** The folder of secret files, which must exist: without it every Secret would be missing. */
export async function secretFolder(path: string): Promise<SecretFiles> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return new SecretFiles(path);
  throw new ExpectedError(
    `${path}: there is no such folder of secret files; make it, with <secret>/<key> in it`,
  );
}
