import { describe, expect, it } from 'vitest';
import { Manager, type Part } from '../../../src/runtime/process/manager.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

const PHASES = ['telemetry', 'watches', 'pool', 'controllers', 'sources'];
const START_MS = 1_000;

/** The ways in which a part may react when it is told to stop. */
const ENDS = {
  well: async (): Promise<void> => undefined,
  'with an error': () => Promise.reject(new Error('cannot')),
  never: () => new Promise<void>(() => undefined),
} as const;

describe('a process that is stopped', () => {
  const moments = PHASES.flatMap((phase, n) => [
    { when: `while ${phase} starts`, atMs: n * START_MS + 500, begun: n + 1 },
    { when: `as ${phase} has started`, atMs: (n + 1) * START_MS, begun: Math.min(n + 2, PHASES.length) },
  ]);

  it.each(moments)('$when stops the parts that have begun, in reverse order', async ({ atMs, begun }) => {
    const clock = new VirtualClock({ startMs: 0 });
    const stopped: string[] = [];
    const part = (name: string): Part => ({
      name,
      start: (signal) => clock.sleep(START_MS, signal),
      stop: async () => void stopped.push(name),
    });
    const phases = PHASES.map((name) => ({ name, parts: [part(name)] }));
    const manager = new Manager({ phases, clock, logger: new MemoryLogger() });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await clock.advance(atMs);
    stop.abort();
    await clock.runUntil(running);
    expect(stopped).toEqual(PHASES.slice(0, begun).toReversed());
    expect(clock.now()).toBe(atMs);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(PHASES.flatMap((phase) => (['with an error', 'never'] as const).map((how) => ({ phase, how }))))(
    'ends within 35 s and stops every other part if $phase ends $how',
    async ({ phase, how }) => {
      const clock = new VirtualClock({ startMs: 0 });
      const stopped: string[] = [];
      const part = (name: string): Part => ({
        name,
        start: async () => undefined,
        stop: () => {
          stopped.push(name);
          return ENDS[name === phase ? how : 'well']();
        },
      });
      const phases = PHASES.map((name) => ({ name, parts: [part(name)] }));
      const logger = new MemoryLogger();
      const manager = new Manager({ phases, clock, logger });
      const stop = new AbortController();
      const running = manager.run(stop.signal);
      await clock.advance(0);
      stop.abort();
      await clock.runUntil(running);
      expect(stopped).toEqual(PHASES.toReversed());
      expect(clock.now()).toBe(how === 'never' ? 35_000 : 0);
      expect(logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
        { fields: { part: phase } },
      ]);
    },
  );
});
