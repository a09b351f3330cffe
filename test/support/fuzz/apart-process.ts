/** A process in which one target reads its inputs; it reports the result. */
import { tmpdir } from 'node:os';
import type { Report, Task } from './apart.ts';
import { BlackBox } from './black-box.ts';
import { fuzz } from './run.ts';
import { targetOf } from './target-of.ts';

const { file, length, target: name } = JSON.parse(process.argv[2] ?? '') as Task;
const box = new BlackBox(tmpdir());
const target = await targetOf(file, name);
const outcome = await fuzz(name, target, length, (noted) => box.note(noted));
const report: Report = { outcome, peakMiB: Math.ceil(process.resourceUsage().maxRSS / 1024) };
process.send?.(report);
