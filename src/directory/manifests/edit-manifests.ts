import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { ExpectedError } from '../../base/expected-error.ts';
import { type AnnotationEdit, editAnnotations, type EditResult } from './annotation-edit.ts';
import { hiddenBeside, replaceFile, withFile } from '../files/replace-file.ts';
import { STDIN } from './manifest-files.ts';
import { writeTrouble } from '../files/write-trouble.ts';

const { O_NOFOLLOW, O_RDONLY } = constants;
const PERMISSIONS = 0o7777;
const WRITABLE = 0o222;

/**
 * Changes annotations in a file of manifests, and returns the result of each edit. A reader finds either the old file
 * or the one with all possible edits. Leaves the file unchanged if it is a link, not a regular file, write-protected,
 * or changed in the meantime.
 */
export async function editManifests(
  file: string,
  edits: readonly AnnotationEdit[],
): Promise<readonly EditResult[]> {
  try {
    if (file === STDIN) throw new ExpectedError('standard input is no file');
    const before = await statsOf(file);
    const bytes = await withFile(file, O_RDONLY | O_NOFOLLOW, (handle) => handle.readFile());
    const old = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const { text, results } = editAnnotations(old, edits);
    if (text !== old) await replace(file, text, { before, bytes });
    return results;
  } catch (error) {
    const why = error instanceof ExpectedError ? error.message : writeTrouble(error);
    return edits.map(() => ({ kind: 'refused', why }));
  }
}

async function replace(
  file: string,
  text: string,
  { before, bytes }: { readonly before: Stats; readonly bytes: Uint8Array },
): Promise<void> {
  await replaceFile(file, text, {
    temporary: hiddenBeside(file),
    ready: async (temporary) => {
      await makeAlike(temporary, before);
      const now = await withFile(file, O_RDONLY | O_NOFOLLOW, (handle) => handle.readFile());
      if (Buffer.compare(now, bytes) !== 0)
        throw new ExpectedError('the file has changed meanwhile; try again');
    },
  });
}

/** Throws an ExpectedError where the file must not be replaced. */
async function statsOf(file: string): Promise<Stats> {
  const found = await lstat(file);
  if (found.isSymbolicLink()) throw new ExpectedError('the file is a link');
  if (!found.isFile()) throw new ExpectedError('this is no regular file');
  if (found.nlink > 1)
    throw new ExpectedError('the file has several names, which would become several files');
  if ((found.mode & WRITABLE) === 0) throw new ExpectedError('the file is write-protected');
  return found;
}

/** Gives the new file the owner, group and mode of the old one. */
async function makeAlike(temporary: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const own = await temporary.stat();
  if (own.uid !== uid || own.gid !== gid) await temporary.chown(uid, gid);
  await temporary.chmod(mode & PERMISSIONS);
}
