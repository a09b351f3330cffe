import { errorCode } from './file-tree.ts';

const TROUBLES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is mounted read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
};

/** Describes why a file could not be written, in words that lead to the cause. */
export function writeTrouble(error: unknown): string {
  const code = errorCode(error);
  return TROUBLES[code] === undefined ? `this failed with ${code}` : `${TROUBLES[code]} (${code})`;
}
