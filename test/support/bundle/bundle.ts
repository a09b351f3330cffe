import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BUILD = join(import.meta.dirname, '..', '..', '..', 'scripts', 'build.ts');

/** The program as users run it. It also starts faster than the source. */
export interface Bundle {
  readonly program: string;
  remove(): Promise<void>;
}

/** Builds the current source in a folder for temporary files, so that the bundle finds no file of the checkout. */
export async function temporaryBundle(): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'dms-operator-bundle-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await promisify(execFile)(process.execPath, [BUILD, '--outdir', folder]);
  } catch (error) {
    await remove();
    throw error;
  }
  return { program: join(folder, 'dms-operator.mjs'), remove };
}
