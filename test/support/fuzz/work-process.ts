/** A process that counts the work of targets, and reports the inputs that take more work than their size explains. */
import type { WorkTask } from './apart.ts';
import { targetOf } from './target-of.ts';
import { disproportionate, WorkCounter } from './work.ts';

const counter = new WorkCounter();
await counter.start();
const { file, targets } = JSON.parse(process.argv[2] ?? '') as WorkTask;
const found: string[] = [];
for (const name of targets) {
  const inputs = await disproportionate(await targetOf(file, name), counter);
  found.push(...inputs.map((input) => `${name}: ${input}`));
}
process.send?.(found);
