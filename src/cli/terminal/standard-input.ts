import { MAX_MANIFEST_BYTES } from '../../api/file-problem.ts';
import type { Terminal } from './terminal.ts';

/**
 * Standard input for manifests, read before anything else where it is among the paths: until then nothing has to be put
 * away, and Ctrl-C ends the program at once.
 */
export async function standardInputOf(
  paths: readonly string[],
  { readStdin }: Pick<Terminal, 'readStdin'>,
): Promise<Terminal['readStdin']> {
  const bytes = paths.includes('-') ? await readStdin(MAX_MANIFEST_BYTES) : new Uint8Array();
  return async () => bytes;
}
