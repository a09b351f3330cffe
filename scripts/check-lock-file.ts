/** A step of `npm run check`: prints each problem of package-lock.json in one line. */
import { readFile } from 'node:fs/promises';
import packageFile from '../package.json' with { type: 'json' };
import { faultsOf, type LockFile } from './lock-file.ts';

const text = await readFile(new URL('../package-lock.json', import.meta.url), 'utf8');
const faults = faultsOf(JSON.parse(text) as LockFile, packageFile.allowScripts);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
