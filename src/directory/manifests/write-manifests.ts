import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ExpectedError } from '../../base/expected-error.ts';
import { hiddenBeside, refuseSpecial, replaceFile } from '../files/replace-file.ts';
import { errorCode } from '../files/file-tree.ts';
import { writeTrouble } from '../files/write-trouble.ts';

/** A file of manifests to write. */
export interface ManifestFile {
  readonly name: string;
  readonly text: string;
}

/** The mode of files that every user may read, before the umask. */
const READABLE = 0o666;

/** The number of existing files that the message names. */
const NAMED = 3;

/**
 * Writes files into a folder, and creates it if it is missing. Writes each file whole or not at all. Throws an
 * ExpectedError and writes nothing if one of the files exists and may not be replaced.
 */
export async function writeManifests(
  folder: string,
  files: readonly ManifestFile[],
  { replace }: { readonly replace: boolean },
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if (!replace) await refuseExisting(folder, files);
    const paths = files.map(({ name, text }) => ({ path: join(folder, name), text }));
    for (const { path } of paths) await refuseSpecial(path);
    for (const { path, text } of paths)
      await replaceFile(path, text, { mode: READABLE, temporary: hiddenBeside(path) });
  } catch (error) {
    if (error instanceof ExpectedError) throw error;
    throw new ExpectedError(`${folder}: cannot be written to: ${writeTrouble(error)}; give another folder`, {
      cause: error,
    });
  }
}

async function refuseExisting(folder: string, files: readonly ManifestFile[]): Promise<void> {
  const found: string[] = [];
  for (const { name } of files) if (await exists(join(folder, name))) found.push(name);
  if (found.length === 0) return;
  const others = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  const names = `${found.slice(0, NAMED).join(', ')}${others}`;
  throw new ExpectedError(
    `${folder}: holds ${names} already; give another folder, or --force to replace them`,
  );
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}
