/**
 * `npm run house`: prints figures about the shape of src, such as the largest folder and the circles among imports.
 * `-- --names` lists the files that bear the name of none of their exports.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { circlesIn } from './house/circles.ts';
import { bearsNameOfExport, figuresOf } from './house/figures.ts';
import { sourceFiles } from './house/source-file.ts';

const HELP = `npm run house -- [--names]

Prints figures about the shape of src, and the circles among its imports.

  --names   lists the files that bear the name of none of their exports
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    names: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const files = sourceFiles(join(import.meta.dirname, '..'), 'src');
for (const [name, figure] of Object.entries(figuresOf(files)))
  console.log(`${name.padEnd(30)} ${String(figure).padStart(6)}`);
for (const circle of circlesIn(files)) console.log(`circle: ${circle.join(' -> ')}`);
if (values.names)
  for (const file of files)
    if (!bearsNameOfExport(file)) console.log(`${file.path}: ${file.exports.join(' ')}`);
