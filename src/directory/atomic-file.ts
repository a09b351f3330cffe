import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Runs `use` with an open file and closes it whatever happens. */
export async function withFile<T>(
  path: string,
  flags: string,
  use: (file: FileHandle) => Promise<T>,
  mode = 0o600,
): Promise<T> {
  const file = await open(path, flags, mode);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/**
 * Replaces a file so that a reader, or a crash at any point, finds either the old content or the new one, whole. When
 * it resolves, the new content survives a loss of power. Only the owner can read the file.
 */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  try {
    await withFile(temporary, 'w', async (file) => {
      // A file left by a crash keeps the mode it was made with.
      await file.chmod(0o600);
      await file.writeFile(content);
      await file.sync();
    });
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await rename(temporary, path);
  // Some file systems cannot make a rename durable; the replacement itself stays atomic.
  await withFile(dirname(path), 'r', (folder) => folder.sync().catch(() => undefined));
}
