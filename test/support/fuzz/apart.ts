import { inProcess, type Limits, LIMITS } from './process.ts';
import type { Failure, Length, Outcome } from './run.ts';

/** A reader, by the file beside this one that exports it among its TARGETS. */
export interface Reader {
  readonly file: string;
  readonly target: string;
}

/** What the process of a reader is told. */
export interface Task extends Reader {
  readonly length: Length;
}

/** What the process of a reader reports. */
export interface Report {
  readonly outcome: Outcome;
  /** The most memory that the process had at one time, heap and all. */
  readonly peakMiB: number;
}

/**
 * Has a target read its inputs in a process of its own: one that takes memory without end, never ends, or breaks the
 * process is found out, and what it was reading is known. Never rejects for what a reader does.
 */
export async function fuzzApart({ file, target }: Reader, length: Length, limits = LIMITS): Promise<Outcome> {
  const task: Task = { file, target, length };
  const { ending, noted, report } = await inProcess<Report>('apart-process.ts', task, limits);
  if (report !== undefined) return judged(report, limits);
  const { from, input } = noted ?? { from: 'before the first input' };
  const failure =
    from === '' && input !== undefined ? { from: 'by chance, and not shrunk', input } : { from };
  return { cases: 0, failure: { ...failure, error: ending } };
}

function judged({ outcome, peakMiB }: Report, { heapMiB }: Limits): Outcome {
  const most = heapMiB + BESIDE_HEAP_MIB;
  if (outcome.failure !== undefined || peakMiB <= most) return outcome;
  const error = `the process had ${peakMiB} MiB at its peak, more than ${most}`;
  const failure: Failure = { from: 'all inputs together', error };
  return { ...outcome, failure };
}

/** The program, what is new and not collected yet, and buffers: none of them count as heap there. */
const BESIDE_HEAP_MIB = 256;

/** What the process that counts work is told. */
export interface WorkTask {
  readonly file: string;
  readonly targets: readonly string[];
}

/** Which huge inputs are more work for these targets than their size explains. Rejects where their process breaks. */
export async function workApart(task: WorkTask): Promise<readonly string[]> {
  const { ending, report } = await inProcess<readonly string[]>('work-process.ts', task, LIMITS);
  if (report === undefined) throw new Error(ending);
  return report;
}
