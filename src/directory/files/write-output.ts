import { constants } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ExpectedError } from '../../base/expected-error.ts';
import { hiddenBeside, nameOf, replaceFile, withFile } from './replace-file.ts';
import { errorCode } from './file-tree.ts';

const { O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants;

/**
 * Writes to a path that the user named. Replaces a regular file atomically, and only its owner can read the new one.
 * Writes into a terminal, a pipe, or a device such as /dev/stdout without replacing it. Throws an ExpectedError and
 * changes nothing if the path holds anything else: a link to a file, a folder, a socket, a disk.
 */
export async function writeOutput(path: string, text: string): Promise<void> {
  // The target of a link such as /dev/stdout decides.
  const found = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found?.isFIFO() === true || found?.isCharacterDevice() === true) await writeThrough(path, text);
  else await replaceFile(path, text, { temporary: hiddenBeside(path) });
}

async function writeThrough(path: string, text: string): Promise<void> {
  // A plain open of a pipe without a reader blocks. The non-blocking probe fails instead, so the second open cannot
  // block.
  const open = withFile(path, O_WRONLY | O_NOCTTY | O_NONBLOCK, async (probe) => {
    const found = await probe.stat();
    if (!found.isFIFO() && !found.isCharacterDevice())
      throw new ExpectedError(`${path} has become ${nameOf(found)} meanwhile`);
    await withFile(path, O_WRONLY | O_NOCTTY, (file) => file.writeFile(text));
  });
  await open.catch((error: unknown) => {
    if (errorCode(error) !== 'ENXIO') throw error;
    throw new ExpectedError(`${path} is a pipe that no process reads`);
  });
}
