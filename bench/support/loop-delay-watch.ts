/**
 * Loaded before the program that is measured, which runs unchanged: answers SIGUSR2 with the delays of the event loop
 * since the start. A timer is due every millisecond; how much later it comes is the delay.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const DUE_EVERY_MS = 1;

const delays = monitorEventLoopDelay({ resolution: DUE_EVERY_MS });
delays.enable();
process.on('SIGUSR2', () => {
  const ms = (nanoseconds: number): number => nanoseconds / 1e6 - DUE_EVERY_MS;
  const told = { msg: 'event loop delay', p99Ms: ms(delays.percentile(99)), longestMs: ms(delays.max) };
  process.stdout.write(`${JSON.stringify(told)}\n`);
});
