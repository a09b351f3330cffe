/**
 * `npm run release`: everything that a release consists of besides the image, in release/ (or `--outdir FOLDER`): bundle,
 * npm package, chart, manifests, schemas, bill of materials, notes and checksums. One commit always makes the same files, dated
 * as SOURCE_DATE_EPOCH says. `--tag vX.Y.Z` is the tag that it is for, `--repository ADDRESS` where the project is, and
 * `--image REPOSITORY[@DIGEST]` the image that manifests and chart name, with the version as its tag.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import packageFile from '../package.json' with { type: 'json' };
import { packed } from './release/archive.ts';
import { writeChecksums } from './release/checksums.ts';
import { sectionOf } from './release/notes.ts';
import { releaseOptions } from './release/options.ts';
import { stage } from './release/stage.ts';
import { sourceDate } from './source-date.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const { name, version } = packageFile;
const options = releaseOptions(process.argv.slice(2), version);
const outdir = resolve(options.outdir);
const time = sourceDate(process.env) ?? new Date(0);
const notes = sectionOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), options.heading);
const made = (what: string): string => join(outdir, `${name}-${version}${what}`);

await rm(outdir, { recursive: true, force: true });
await mkdir(outdir, { recursive: true });
await writeFile(join(outdir, 'NOTES.md'), notes);
await run(process.execPath, ['scripts/build.ts'], { cwd: root });
const folder = await mkdtemp(join(tmpdir(), `${name}-release-`));
try {
  const { image, repository } = options;
  await stage({ from: root, dist: join(root, 'dist'), to: folder, image, repository });
  await packed({ archive: made('.tgz'), folder, entries: await readdir(folder), time, prefix: 'package/' });
  await packed({ archive: made('-manifests.tar.gz'), folder, entries: ['crds', 'manifests'], time });
  const reference = join(folder, 'docs/reference');
  await packed({ archive: made('-schemas.tar.gz'), folder: reference, entries: ['schemas'], time });
  // Helm's own name for it is that of the npm package.
  const chart = join(folder, 'manifests/chart');
  const entries = (await readdir(chart)).toSorted();
  await packed({ archive: made('-chart.tgz'), folder: chart, entries, time, prefix: `${name}/` });
} finally {
  await rm(folder, { recursive: true, force: true });
}
await copyFile(join(root, 'LICENSE'), join(root, 'dist/LICENSE'));
await packed({ archive: made('-bundle.tar.gz'), folder: join(root, 'dist'), entries: ['.'], time });
await copyFile(join(root, 'dist/sbom.cdx.json'), made('.cdx.json'));
if (options.repository !== undefined) {
  const krew = ['scripts/krew-manifest.ts', made('-bundle.tar.gz')];
  const address = `${options.repository}/releases/download/v${version}/${name}-${version}-bundle.tar.gz`;
  const { stdout } = await run(process.execPath, [...krew, address], { cwd: root });
  await writeFile(join(outdir, 'dms.yaml'), stdout);
}
await writeChecksums(outdir);

for (const file of (await readdir(outdir)).toSorted()) {
  const { size } = await stat(join(outdir, file));
  console.log(`${String(Math.ceil(size / 1024)).padStart(6)} KB  ${file}`);
}
