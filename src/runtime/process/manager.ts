import { DEFAULTS } from '../../model/connection/connection.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Health, HealthAnswer } from '../../ports/process/health.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { ShutdownError } from '../controller/run-pass.ts';
import { endsWithin } from '../controller/within-time.ts';

/** A part of the process that starts and stops. */
export interface Part {
  readonly name: string;
  /** Resolves when the part provides the service that the next phase needs. `signal` aborts when the part must stop. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when the part has ended. Called after `signal` aborts, with the remaining time. */
  stop?(withinMs: number): Promise<void>;
  /** The reason why the part still waits to start, if that is healthy, as in a standby replica. */
  idle?(): string | undefined;
  /** A fault that only a restart of the process fixes, or undefined if there is none. */
  unhealthy?(): string | undefined;
}

/** Parts that start together, after those of the previous phase. */
export interface Phase {
  readonly name: string;
  readonly parts: readonly Part[];
}

interface StartedPhase {
  readonly phase: Phase;
  readonly abort: AbortController;
}

/** Starts phases in order, runs them until it is stopped, and stops them in reverse order. */
export class Manager implements Health {
  readonly #phases: readonly Phase[];
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #drainMs: number;
  #state = 'not started';
  #starting: readonly Part[] = [];

  constructor(options: {
    readonly phases: readonly Phase[];
    readonly clock: Clock;
    readonly logger: Logger;
    /** The time limit for stopping all phases together. Default: 35 s. */
    readonly drainMs?: number;
  }) {
    this.#phases = options.phases;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#drainMs = options.drainMs ?? DEFAULTS.drainMs;
  }

  /** Runs until `signal` aborts and everything has stopped. Throws the error of a part that cannot start. */
  async run(signal: AbortSignal): Promise<void> {
    const started: StartedPhase[] = [];
    try {
      for (const phase of this.#phases) {
        if (signal.aborted) return;
        const abort = new AbortController();
        started.push({ phase, abort });
        this.#state = `starting ${phase.name}`;
        this.#starting = phase.parts;
        const starting = phase.parts.map(async (part) => part.start(abort.signal));
        await Promise.race([aborted(signal), Promise.all(starting)]);
      }
      if (signal.aborted) return;
      this.#starting = [];
      this.#state = 'ready';
      this.#logger.info('ready');
      await aborted(signal);
    } finally {
      this.#starting = [];
      this.#state = 'stopping';
      await this.#drain(started.toReversed());
      this.#state = 'stopped';
    }
  }

  ready(): HealthAnswer {
    const idle = this.#starting.map((part) => part.idle?.()).find((text) => text !== undefined);
    return idle === undefined ? { ok: this.#state === 'ready', text: this.#state } : { ok: true, text: idle };
  }

  healthy(): HealthAnswer {
    const complaints = this.#phases
      .flatMap((phase) => phase.parts)
      .flatMap((part) => {
        const complaint = part.unhealthy?.();
        return complaint === undefined ? [] : [`${part.name}: ${complaint}`];
      });
    return { ok: complaints.length === 0, text: complaints.length === 0 ? 'ok' : complaints.join('; ') };
  }

  async #drain(started: readonly StartedPhase[]): Promise<void> {
    const endMs = this.#clock.now() + this.#drainMs;
    for (const { phase, abort } of started) {
      abort.abort(new ShutdownError());
      const leftMs = (): number => Math.max(0, endMs - this.#clock.now());
      await Promise.all(phase.parts.map((part) => this.#stop(part, leftMs())));
    }
  }

  async #stop(part: Part, withinMs: number): Promise<void> {
    const stopping = (async () => part.stop?.(withinMs))();
    stopping.catch((error: unknown) =>
      this.#logger.error('a part failed to stop', { part: part.name, error }),
    );
    if (await endsWithin(this.#clock, withinMs, stopping)) return;
    this.#logger.error('a part did not stop in time', { part: part.name });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
