import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The time limit for the download of modules, the first time on a machine. */
export const DOWNLOAD_LIMIT_MS = 120_000;

/**
 * Returns the folder of a module in the cache of the Go toolchain, which downloads it once per machine. `pinnedBy` is
 * the module in test/support/go whose go.mod names its version. Returns undefined without Go.
 */
export async function folderOfModule(pinnedBy: string, module: string): Promise<string | undefined> {
  const cwd = join(import.meta.dirname, '..', 'go', pinnedBy);
  try {
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', module], { cwd });
    return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
