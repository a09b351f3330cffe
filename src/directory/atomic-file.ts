import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

/** Runs `use` with an open file and closes it whatever happens. */
export async function withFile<T>(
  path: string,
  flags: string | number,
  use: (file: FileHandle) => Promise<T>,
  mode = OWNER_ONLY,
): Promise<T> {
  const file = await open(path, flags, mode);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** How a file is replaced. */
export interface Replacing {
  /** Who can read the new file; its owner alone unless told. The mask of the process takes its part. */
  readonly mode?: number;
  /** Where the new content stands until it is whole; beside the file unless told. */
  readonly temporary?: string;
  /** Runs when the new content is whole and not in its place yet; where it rejects, the file stays as it was. */
  readonly ready?: (temporary: FileHandle) => Promise<void>;
}

/**
 * Replaces a file so that a reader, or a crash at any point, finds either the old content or the new one, whole. When
 * it resolves, the new content survives a loss of power.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = OWNER_ONLY, temporary = `${path}.new`, ready }: Replacing = {},
): Promise<void> {
  try {
    const write = async (file: FileHandle): Promise<void> => {
      await file.writeFile(content);
      await ready?.(file);
      await file.sync();
    };
    // One that was left by a crash, or put there by somebody else: what a link leads to is never written.
    await rm(temporary, { force: true });
    await withFile(temporary, 'wx', write, mode);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await rename(temporary, path);
  await syncFolder(path);
}

/** Makes the name of a file durable, where the file system can. */
export async function syncFolder(path: string): Promise<void> {
  await withFile(dirname(path), 'r', (folder) => folder.sync().catch(() => undefined));
}
