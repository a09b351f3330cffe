/**
 * `npm run package`: the npm package as a release has it, in this folder (or in `--outdir FOLDER`), with the bundle of
 * `npm run build` (or the one in `--dist FOLDER`). What npm packs of the checkout itself would have dependencies that are in the bundle.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { stage } from './release/stage.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { outdir = '.', dist = join(root, 'dist') } = parseArgs({
  options: { outdir: { type: 'string' }, dist: { type: 'string' } },
}).values;
const folder = await mkdtemp(join(tmpdir(), 'dms-operator-package-'));
try {
  await stage({ from: root, dist, to: folder, image: undefined, repository: undefined });
  const { stdout } = await promisify(execFile)('npm', ['pack', folder, '--pack-destination', outdir]);
  console.log(stdout.trimEnd());
} finally {
  await rm(folder, { recursive: true, force: true });
}
