import { ExpectedError } from '../../base/expected-error.ts';
import { errorCode } from './file-tree.ts';

const TROUBLES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is mounted read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
};

/** Explains why a file could not be written. */
export function writeTrouble(error: unknown): string {
  const code = errorCode(error);
  return TROUBLES[code] === undefined ? `this failed with ${code}` : `${TROUBLES[code]} (${code})`;
}

/** Explains why the state file or its key cannot be stored at a path, and how to fix that. */
export function cannotKeepState(path: string, error: unknown): ExpectedError {
  if (error instanceof ExpectedError) return error;
  const hint = errorCode(error) === 'ENOSPC' ? 'make room, or give' : 'give';
  return new ExpectedError(
    `${path}: the state cannot be kept here: ${writeTrouble(error)}; ${hint} a --state file elsewhere`,
    { cause: error },
  );
}
