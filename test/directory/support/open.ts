import { randomBytes } from 'node:crypto';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import {
  type DirectoryAdapter,
  type DirectoryOptions,
  openDirectory,
} from '../../../src/directory/store/directory-adapter.ts';
import { REMOVAL_GRACE_MS } from '../../../src/directory/state/removals.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { DesiredStore } from '../../../src/ports/stores/desired-store.ts';
import { hmacDigester } from '../../../src/runtime/process/hmac-digester.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

/** An adapter on a folder, with a virtual clock. */
export interface OpenDirectory {
  readonly adapter: DirectoryAdapter;
  readonly store: DesiredStore;
  readonly clock: VirtualClock;
  readonly logger: MemoryLogger;
  /** Starts the watch, as a running process does. */
  watch(): Promise<void>;
  /** Advances the time until the watch has read the current content twice. */
  noticed(): Promise<void>;
  /** Advances the time until the grace time of a missing manifest has ended. */
  pruned(): Promise<void>;
  stop(): Promise<void>;
}

/** Longest time that the watch of a folder waits between two readings. */
const POLL_MS = 5_000;

/** Opens one or more folders. Stops the adapter at the end of the test, unless the test stopped it. */
export async function openFolder(
  path: string,
  options: Partial<DirectoryOptions> = {},
): Promise<OpenDirectory> {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const sleeps = { begun: 0 };
  const environment = { clock: countingSleeps(clock, sleeps), logger, randomBytes, digester: hmacDigester };
  const adapter = await openDirectory({ paths: [path], prune: false, ...options }, environment);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= adapter.stop());
  onTestFinished(stop);
  // One reading finds a change, and the next one confirms it. A third covers a reading that was already running.
  const readings = async (count: number): Promise<void> => {
    for (let reading = 0; reading < count; reading += 1) {
      const before = sleeps.begun;
      await clock.advance(POLL_MS);
      while (sleeps.begun === before) await eventLoopTurn();
    }
  };
  return {
    adapter,
    store: adapter.deploymentStore,
    clock,
    logger,
    watch: () => adapter.start(new AbortController().signal),
    noticed: () => readings(4),
    pruned: () => readings(4 + REMOVAL_GRACE_MS / POLL_MS),
    stop,
  };
}

/** Returns a clock that counts sleeps. Only the watch sleeps: when it sleeps again, it has read. */
function countingSleeps(clock: VirtualClock, sleeps: { begun: number }): Clock {
  return {
    now: () => clock.now(),
    turn: () => clock.turn(),
    random: () => clock.random(),
    after: (ms, task) => clock.after(ms, task),
    sleep(ms, signal) {
      sleeps.begun += 1;
      return clock.sleep(ms, signal);
    },
  };
}
