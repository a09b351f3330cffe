import { constants } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ExpectedError } from '../../base/expected-error.ts';
import { hiddenBeside, nameOf, replaceFile, withFile } from './replace-file.ts';
import { errorCode } from './file-tree.ts';

const { O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants;

/**
 * Writes to a place that a person named. A regular file is replaced whole, and its owner alone can read the new one.
 * A terminal, a pipe, or a device such as /dev/stdout is written to and stays what it is. Throws an ExpectedError,
 * and changes nothing, where anything else is there: a link to a file, a folder, a socket, a disk.
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
  // A pipe that is not read would be waited for; the second time it is known to be read.
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
