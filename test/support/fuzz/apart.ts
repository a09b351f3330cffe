import { inProcess, type Limits, LIMITS } from './process.ts';
import type { Failure, Length, Outcome } from './run.ts';

/** A reader, by the name of its file in this folder, which exports it among its TARGETS. */
export interface Reader {
  readonly file: string;
  readonly target: string;
}

/** The task of the process of a reader. */
export interface Task extends Reader {
  readonly length: Length;
}

/** The report of the process of a reader. */
export interface Report {
  readonly outcome: Outcome;
  /** The peak memory of the process, including the heap. */
  readonly peakMiB: number;
}

/**
 * Makes a target read its inputs in a separate process. So the test notices a target that takes memory without end,
 * never ends, or breaks the process, and knows the input that it was reading. Never rejects because of a reader.
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

/** Memory beside the heap: the program, new objects that are not collected yet, and buffers. */
const BESIDE_HEAP_MIB = 256;

/** The task of the process that counts work. */
export interface WorkTask {
  readonly file: string;
  readonly targets: readonly string[];
}

/**
 * Returns the huge inputs that take these targets more work than their size explains. Rejects if their process breaks.
 */
export async function workApart(task: WorkTask): Promise<readonly string[]> {
  const { ending, report } = await inProcess<readonly string[]>('work-process.ts', task, LIMITS);
  if (report === undefined) throw new Error(ending);
  return report;
}
