import type { Stats } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { getuid } from 'node:process';
import { ExpectedError } from '../model/expected-error.ts';
import { errorCode } from './file-tree.ts';

const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;

/**
 * Refuses state that somebody else may have made, since it would be believed: a file that is a link, belongs to another
 * user, is open to others, or is tracked by git; and a folder of ours that is a link, belongs to another user or can be
 * written by others. What does not exist is made by this user and passes. Throws an ExpectedError.
 */
export async function checkTrusted(file: string): Promise<void> {
  const folder = dirname(file);
  if (folder.endsWith(`${sep}${STATE_FOLDER}`) || folder === STATE_FOLDER) {
    const found = await statsOf(folder);
    if (found?.isSymbolicLink() === true) throw refused(folder, 'is a link');
    if (found !== undefined) checkOwner(folder, found, WRITABLE_BY_OTHERS);
  }
  const found = await statsOf(file);
  if (found === undefined) return;
  if (found.isSymbolicLink()) throw refused(file, 'is a link');
  if (!found.isFile()) throw refused(file, 'is no regular file');
  checkOwner(file, found, OPEN_TO_OTHERS);
  if (await isTracked(file)) throw refused(file, 'is tracked by git');
}

/** The name of the folder that is made beside manifests. */
export const STATE_FOLDER = '.dms-operator';

function checkOwner(path: string, { mode, uid }: Stats, open: number): void {
  const own = getuid?.();
  // Without users, as on Windows, there is nothing to compare.
  if (own === undefined) return;
  if (uid !== own) throw refused(path, `belongs to user ${uid}, and this is user ${own}`);
  if ((mode & open) !== 0) throw refused(path, `is open to others (mode ${(mode & 0o777).toString(8)})`);
}

function refused(path: string, why: string): ExpectedError {
  return new ExpectedError(
    `${path} ${why}: it may come from somebody else and is not believed; ` +
      'remove it, or name a file of your own with --state',
  );
}

async function statsOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined;
    throw new ExpectedError(
      `${path}: the state cannot be read (${errorCode(error)}); give this user access to it`,
    );
  });
}

/** Whether the repository around a file has it: its name then stands in the index. Runs no program. */
async function isTracked(file: string): Promise<boolean> {
  const path = resolve(file);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const index = await indexIn(folder);
    if (index !== undefined) return index.includes(`${relative(folder, path).split(sep).join('/')}\0`);
    if (folder === dirname(folder)) return false;
  }
}

/** The index of the repository whose work tree begins here. A linked work tree has a file that leads to it. */
async function indexIn(folder: string): Promise<Buffer | undefined> {
  const git = join(folder, '.git');
  const link = await readFile(git, 'utf8').catch(() => undefined);
  const home = link?.startsWith('gitdir: ') === true ? resolve(folder, link.slice(8).trim()) : git;
  return readFile(join(home, 'index')).catch(() => undefined);
}
