import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ExpectedError } from '../../base/expected-error.ts';
import { STDIN } from '../manifests/manifest-files.ts';
import { SecretFiles } from '../manifests/secret-files.ts';
import { STATE_FOLDER } from './read-trusted.ts';

/**
 * Returns the default place of the state of these manifests. Throws an ExpectedError where there are no such
 * manifests.
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

/** The message where manifests come from standard input alone and no state file is named. */
export const NO_PLACE_OF_STATE =
  'standard input has no folder where the state could be kept; name a --state file';

/** The folder of secret files, which must exist: without it every Secret would be missing. */
export async function secretFolder(path: string): Promise<SecretFiles> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return new SecretFiles(path);
  throw new ExpectedError(
    `${path}: there is no such folder of secret files; make it, with <secret>/<key> in it`,
  );
}
