import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ExpectedError } from '../../base/expected-error.ts';
import { errorCode } from './file-tree.ts';

const OWNER_ONLY = 0o600;

/** Opens a file, runs `use` with it and closes it whatever happens. A new file is readable by its owner alone. */
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

/** How a file is replaced. */
export interface Replacing {
  /** The mode of the new file, before the mask of the process. Default: readable by its owner alone. */
  readonly mode?: number;
  /** The place of the new content until it is whole. Default: beside the file. */
  readonly temporary?: string;
  /** Runs when the new content is whole and not in its place yet; where it rejects, the file stays as it was. */
  readonly ready?: (temporary: FileHandle) => Promise<void>;
}

/** A name beside a file that no search for manifests takes up, and that no other file has. */
export function hiddenBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomUUID()}`);
}

/** Throws an ExpectedError where something is in this place that is no regular file: a new file would take its place. */
export async function refuseSpecial(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found !== undefined && !found.isFile()) {
    throw new ExpectedError(`${path} is ${nameOf(found)}, and only a regular file is replaced; name another`);
  }
}

/** Describes what stands in a place where a file is expected. */
export function nameOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'a link';
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a pipe';
  if (found.isSocket()) return 'a socket';
  return found.isFile() ? 'a file' : 'a device';
}

/**
 * Replaces a file so that a reader, or a crash at any point, finds either the old content or the new one, whole. When
 * it resolves, the new content survives a loss of power. Throws an ExpectedError, and changes nothing, where a link, a
 * folder, a pipe, a socket or a device is in its place.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = OWNER_ONLY, temporary = `${path}.new`, ready }: Replacing = {},
): Promise<void> {
  await refuseSpecial(path);
  try {
    // One that was left by a crash, or put there by somebody else: what a link leads to is never written.
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

/** Makes the name of a file durable, where the file system can. */
export async function syncFolder(path: string): Promise<void> {
  await withFile(dirname(path), 'r', (folder) => folder.sync().catch(() => undefined));
}
