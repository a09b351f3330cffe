import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ExpectedError } from '../../base/expected-error.ts';
import { errorCode } from './file-tree.ts';

const OWNER_ONLY = 0o600;

/** Opens a file, runs `use` with it, and always closes it. A new file is readable by its owner alone. */
export async function withFile<T>(
  path: string,
  flags: string | number,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  return await closing(await open(path, flags, OWNER_ONLY), use);
}

async function closing<T>(file: FileHandle, use: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Options of `replaceFile`. */
export interface Replacing {
  /** The mode of the new file, before the umask. Default: readable by its owner alone. */
  readonly mode?: number;
  /** The path of the new content until it is complete. Default: the path of the file with the suffix `.new`. */
  readonly temporary?: string;
  /** Runs after the new content is written and before it replaces the file. If it rejects, the file stays unchanged. */
  readonly ready?: (temporary: FileHandle) => Promise<void>;
}

/** Returns a unique name beside a file that the search for manifests skips. */
export function hiddenBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomUUID()}`);
}

/** Throws an ExpectedError if the path holds anything but a regular file, which a new file would replace. */
export async function refuseSpecial(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found !== undefined && !found.isFile()) {
    throw new ExpectedError(`${path} is ${nameOf(found)}, and only a regular file is replaced; name another`);
  }
}

/** Describes the type of a file for a message. */
export function nameOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'a link';
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a pipe';
  if (found.isSocket()) return 'a socket';
  return found.isFile() ? 'a file' : 'a device';
}

/**
 * Replaces a file atomically: a reader, or a crash at any point, finds either the whole old content or the whole new
 * content. When it resolves, the new content survives a power loss. Throws an ExpectedError and changes nothing if the
 * path holds a link, a folder, a pipe, a socket or a device.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = OWNER_ONLY, temporary = `${path}.new`, ready }: Replacing = {},
): Promise<void> {
  await refuseSpecial(path);
  try {
    // A crash or another user may have left a file there. Removing it ensures that we never write through a link.
    await rm(temporary, { force: true });
    await closing(await open(temporary, 'wx', mode), async (file) => {
      await file.writeFile(content);
      await ready?.(file);
      await file.sync();
    });
    await refuseSpecial(path);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(path);
}

/** Makes the name of a file durable if the file system supports that. */
export async function syncFolder(path: string): Promise<void> {
  await withFile(dirname(path), 'r', (folder) => folder.sync().catch(() => undefined));
}
