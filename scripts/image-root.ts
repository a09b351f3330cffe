/**
 * `npm run image-root -- FOLDER`, after `npm run build` (or with `--dist FOLDER` after a build elsewhere): writes the
 * files that the image adds to its base, each at its final place. It sets modes, and times of SOURCE_DATE_EPOCH or
 * none, so neither depends on the machine or the time of the build.
 */
import { chmod, copyFile, cp, lutimes, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sourceDate } from './source-date.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({ options: { dist: { type: 'string' } }, allowPositionals: true });
const [given] = positionals;
if (given === undefined) throw new Error('say into which folder');
const root = resolve(given);

/** The folder of the installed Node.js package: the program, whose checksum is in node.sha256, and its licences. */
const NODE = join(project, 'node_modules/node/node_modules', `node-${process.platform}-${process.arch}`);
const PROGRAM = 'opt/dms-operator';
const EXECUTABLE = new Set(['usr/local/bin/node', `${PROGRAM}/dms-operator.mjs`]);

await cp(values.dist ?? join(project, 'dist'), join(root, PROGRAM), { recursive: true });
for (const [from, to] of [
  [join(project, 'LICENSE'), `${PROGRAM}/LICENSE`],
  [join(NODE, 'LICENSE'), `${PROGRAM}/NODE-LICENCES.txt`],
  [join(NODE, 'bin/node'), 'usr/local/bin/node'],
] as const) {
  await mkdir(dirname(join(root, to)), { recursive: true });
  await copyFile(from, join(root, to));
}

const paths = [root, ...(await readdir(root, { recursive: true })).map((path) => join(root, path))];
for (const path of paths) {
  const executable = (await stat(path)).isDirectory() || EXECUTABLE.has(relative(root, path));
  await chmod(path, executable ? 0o755 : 0o644);
}
// This comes last, since each file that is put into a folder changes the time of the folder.
const time = sourceDate(process.env) ?? new Date(0);
for (const path of paths) await lutimes(path, time, time);
