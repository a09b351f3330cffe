import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ExpectedError } from '../../base/expected-error.ts';
import { STDIN } from '../manifests/manifest-files.ts';
import { SecretFiles } from '../manifests/secret-files.ts';
import { STATE_FOLDER } from './read-trusted.ts';

/**
 * Returns the default path of the state of these manifests. Throws an ExpectedError if no path was given or the first
 * one does not exist.
 */
export async function defaultStateFile(paths: readonly string[]): Promise<string> {
  const first = paths.find((path) => path !== STDIN);
  if (first === undefined) {
    throw new ExpectedError(
      paths.length === 0 ? 'no folder of manifests was given; name one' : NO_PLACE_OF_STATE,
    );
  }
  const isFolder = await stat(first).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
  if (isFolder === undefined)
    throw new ExpectedError(`${first}: there is no such folder; name one that exists`);
  return join(isFolder ? first : dirname(first), STATE_FOLDER, 'state.json');
}

/** The message for manifests that come from standard input alone, without a --state file. */
export const NO_PLACE_OF_STATE =
  'standard input has no folder where the state could be kept; name a --state file';

/** Returns the folder of secret files. Throws an ExpectedError if it does not exist: every Secret would be missing. */
export async function secretFolder(path: string): Promise<SecretFiles> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return new SecretFiles(path);
  throw new ExpectedError(
    `${path}: there is no such folder of secret files; make it, with <secret>/<key> in it`,
  );
}
