import type { ConnectionHolds, ConnectionStore } from '../../../src/ports/stores/connection-store.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { DesiredStore } from '../../../src/ports/stores/desired-store.ts';
import type { EventRecorder } from '../../../src/ports/stores/event-recorder.ts';
import type { LogFields, Logger } from '../../../src/ports/process/logger.ts';
import type { SecretReader } from '../../../src/ports/stores/secret-reader.ts';
import type { ConnectionName } from '../../../src/model/connection/connection.ts';
import type { Exchange, ServiceRequest } from '../../../src/service/http/exchange.ts';

/**
 * The life of a process. A kill ends every effect of it at once, as SIGKILL does: events that it waits for never occur,
 * its timers are dropped, and none of its next steps happens.
 */
export class ProcessLife {
  #dead = false;
  readonly #timers = new Set<() => void>();

  get dead(): boolean {
    return this.#dead;
  }

  kill(): void {
    this.#dead = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  /** Does something outside the process. A process that died before or meanwhile never receives the result. */
  async through<T>(effect: () => Promise<T>): Promise<T> {
    if (this.#dead) return never();
    try {
      const result = await effect();
      return this.#dead ? await never() : result;
    } catch (error) {
      if (this.#dead) return never();
      throw error;
    }
  }

  /** Returns a clock whose timers are dropped with the process. */
  clock(clock: Clock): Clock {
    const after = (ms: number, task: () => void): (() => void) => {
      if (this.#dead) return () => undefined;
      const cancel = clock.after(ms, () => {
        this.#timers.delete(cancel);
        task();
      });
      this.#timers.add(cancel);
      return () => {
        this.#timers.delete(cancel);
        cancel();
      };
    };
    return {
      now: () => clock.now(),
      turn: () => clock.turn(),
      random: () => clock.random(),
      after,
      sleep: (ms, signal) => sleep(after, ms, signal),
    };
  }

  store(store: DesiredStore): DesiredStore {
    return {
      get: (key) => this.through(() => store.get(key)),
      claim: (resource) => this.through(() => store.claim(resource)),
      release: (resource) => this.through(() => store.release(resource)),
      announce: (resource, status) => this.through(() => store.announce(resource, status)),
      saveStatus: (resource, status, how) => this.through(() => store.saveStatus(resource, status, how)),
    };
  }

  connectionStore(store: ConnectionStore): ConnectionStore {
    return {
      get: (key) => this.through(() => store.get(key)),
      saveStatus: (connection, status) => this.through(() => store.saveStatus(connection, status)),
      isCurrent: (connection) => this.through(() => store.isCurrent(connection)),
    };
  }

  connectionHolds(holds: ConnectionHolds): ConnectionHolds {
    return { setHeld: (connection, held) => this.through(() => holds.setHeld(connection, held)) };
  }

  secretReader(reader: SecretReader): SecretReader {
    return { read: (name) => this.through(() => reader.read(name)) };
  }

  logger(logger: Logger): Logger {
    const line =
      (level: 'debug' | 'info' | 'warn' | 'error') =>
      (message: string, fields?: LogFields): void => {
        if (!this.#dead) logger[level](message, fields);
      };
    return {
      ...{ debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
      child: (fields) => this.logger(logger.child(fields)),
    };
  }

  events(recorder: EventRecorder): EventRecorder {
    return {
      record: (about, event) => {
        if (!this.#dead) recorder.record(about, event);
      },
    };
  }

  /** Returns an exchange that calls back before a request leaves, and before its answer or failure arrives. */
  exchange(exchange: Exchange, moments: ExchangeMoments, connection: ConnectionName): Exchange {
    return {
      send: (request, ...more) =>
        this.through(async () => {
          await moments.leaving?.(request, connection);
          if (this.#dead) return never();
          try {
            return await exchange.send(request, ...more);
          } finally {
            await moments.arriving?.(request);
          }
        }),
      close: () => exchange.close(),
    };
  }
}

/** Points of an exchange at which a process may be killed. */
export interface ExchangeMoments {
  leaving?: ((request: ServiceRequest, connection: ConnectionName) => void | Promise<void>) | undefined;
  arriving?: ((request: ServiceRequest) => void | Promise<void>) | undefined;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function sleep(after: Clock['after'], ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
