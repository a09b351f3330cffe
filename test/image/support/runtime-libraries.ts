import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Makes the smallest base that the image can have: the C and C++ libraries that Node.js is linked with, as this machine
 * has them, and no other file. A shell, a package manager or anything else that the program needed would be missing.
 */
export async function putRuntimeLibraries(root: string): Promise<void> {
  const { stdout } = await promisify(execFile)('ldd', [process.execPath]);
  for (const [, library] of stdout.matchAll(/(\/\S+) \(0x/g)) {
    const to = join(root, library ?? '');
    await mkdir(dirname(to), { recursive: true });
    await copyFile(library ?? '', to);
  }
}
