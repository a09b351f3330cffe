import { join } from 'node:path';
import { kill } from 'node:process';
import type { Running } from './program.ts';

const MARK = 'event loop delay';

/** Flags for Node.js that make a program report, on request, the delays of its event loop since its start. */
export const LOOP_DELAY_WORDS = ['--import', join(import.meta.dirname, 'loop-delay-watch.ts')];

/** Returns the delays of the event loop so far, of a program that was started with LOOP_DELAY_WORDS. */
export async function loopDelayOf(
  running: Running,
): Promise<{ readonly p99Ms: number; readonly longestMs: number }> {
  kill(running.pid, 'SIGUSR2');
  const told = JSON.parse(await running.line(MARK)) as { readonly p99Ms: number; readonly longestMs: number };
  return told;
}
