import { Session } from 'node:inspector/promises';
import { HUGE_JSON } from './inputs/huge.ts';
import type { Target } from './target.ts';

/** Counts the work of JavaScript: how often V8 enters a function, a branch or the body of a loop. */
export class WorkCounter {
  readonly #session = new Session();

  /** Starts counting. Only code that is imported afterwards is counted completely. */
  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Returns the work since the last call. */
  async take(): Promise<number> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result
      .flatMap(({ functions }) => functions)
      .flatMap(({ ranges }) => ranges)
      .reduce((sum, { count }) => sum + count, 0);
  }
}

/**
 * The growth that is permitted when the size doubles: twice the work and half as much again. Quadratic work grows four
 * times.
 */
const MOST_GROWTH = 1.5;

/** Work that may occur once, such as filling a cache. */
const ONCE = 20_000;

/** The proportion of a huge input: large enough to show quadratic work, and small, since counting takes time. */
const LARGE = 1 / 8;

/** Makes a target read each huge input in two sizes. Returns those that take more work than their size explains. */
export async function disproportionate(target: Target, counter: WorkCounter): Promise<readonly string[]> {
  const found: string[] = [];
  const workOf = async (input: Buffer): Promise<number> => {
    await target.read(input);
    return counter.take();
  };
  const large = (target.share ?? 1) < 1 ? LARGE / 2 : LARGE;
  for (const huge of [...HUGE_JSON, ...(target.huge ?? [])]) {
    for (const [at, frame] of target.frames.entries()) {
      const [less, more] = [Buffer.from(frame(huge.text(large / 2))), Buffer.from(frame(huge.text(large)))];
      await counter.take();
      const [before, after] = [await workOf(less), await workOf(more)];
      if (after <= MOST_GROWTH * (more.length / less.length) * before + ONCE) continue;
      const steps = `${before} steps for ${less.length} bytes, ${after} for ${more.length}`;
      found.push(`${huge.name}, in frame ${at}: ${steps}`);
    }
  }
  return found;
}
