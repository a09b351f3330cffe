import { constants, type Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { getuid } from 'node:process';
import { ExpectedError } from '../../base/expected-error.ts';
import { withFile } from '../files/replace-file.ts';
import { errorCode } from '../files/file-tree.ts';
import { GitIndexError, isTrackedByGit } from '../files/is-tracked-by-git.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;

/** The largest file that is read, far larger than any state. */
const MOST_BYTES = 256 * 1024 * 1024;

/** The name of the folder that is created beside manifests. */
export const STATE_FOLDER = '.dms-operator';

/**
 * Reads a trusted file, or returns undefined if it does not exist. Throws an ExpectedError for a file that another user
 * may have made: a link, a file of another user, a file open to others, or one that git tracks. Also refuses a state
 * folder that is a link, belongs to another user or is writable by others. Resolves links above the file, and reads the
 * same file that it checked.
 */
export async function readTrusted(file: string): Promise<Buffer | undefined> {
  const real = await realPathOf(file);
  const bytes = real === undefined ? undefined : await readOwn(real, file);
  if (real !== undefined && bytes !== undefined) await refuseTracked(real, file);
  return bytes;
}

/**
 * Reads a file as `readTrusted` does, but does not ask git: this process made the file. `shown` is the path that the
 * user knows.
 */
export async function readOwn(file: string, shown = file): Promise<Buffer | undefined> {
  try {
    // The flags keep `open` from blocking on a pipe and from following a link to a file that was not checked.
    return await withFile(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, async (handle) => {
      const found = await handle.stat();
      if (!found.isFile()) throw refused(shown, 'is no regular file');
      checkOwner(shown, found, OPEN_TO_OTHERS);
      if (found.size > MOST_BYTES) throw refused(shown, 'is larger than 256 MiB');
      return handle.readFile();
    });
  } catch (error) {
    if (error instanceof ExpectedError) throw error;
    const code = errorCode(error);
    if (['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
    if (code === 'ELOOP') throw refused(shown, 'is a link');
    if (code === 'ENXIO') throw refused(shown, 'is no regular file');
    throw unreadable(shown, code);
  }
}

/**
 * Returns the path of a file without links above it, or undefined if its folder does not exist. Checks a state folder
 * before and after it resolves links.
 */
async function realPathOf(file: string): Promise<string | undefined> {
  const folder = dirname(resolve(file));
  try {
    if (basename(folder) === STATE_FOLDER) checkFolder(dirname(file), await lstat(folder));
    const real = await realpath(folder);
    if (basename(real) === STATE_FOLDER) checkFolder(dirname(file), await lstat(real));
    return join(real, basename(file));
  } catch (error) {
    if (error instanceof ExpectedError) throw error;
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined;
    throw unreadable(file, errorCode(error));
  }
}

function checkFolder(shown: string, found: Stats): void {
  if (found.isSymbolicLink()) throw refused(shown, 'is a link');
  checkOwner(shown, found, WRITABLE_BY_OTHERS);
}

function checkOwner(shown: string, { mode, uid }: Stats, open: number): void {
  const own = getuid?.();
  // Without users, as on Windows, there is nothing to compare.
  if (own === undefined) return;
  if (uid !== own) throw refused(shown, `belongs to user ${uid}, and this is user ${own}`);
  if ((mode & open) !== 0) throw refused(shown, `is open to others (mode ${(mode & 0o777).toString(8)})`);
}

async function refuseTracked(real: string, shown: string): Promise<void> {
  const tracked = await isTrackedByGit(real).catch((error: unknown) => {
    if (error instanceof GitIndexError) throw refused(shown, `may be tracked by git (${error.message})`);
    throw error;
  });
  if (tracked) throw refused(shown, 'is tracked by git');
}

function refused(path: string, why: string): ExpectedError {
  return new ExpectedError(
    `${path} ${why}: it may come from somebody else and is not believed; ` +
      'remove it, or name a file of your own with --state',
  );
}

function unreadable(path: string, code: string): ExpectedError {
  return new ExpectedError(`${path}: the state cannot be read (${code}); give this user access to it`);
}
