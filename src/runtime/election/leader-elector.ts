import {
  type Candidate,
  type ElectionStep,
  electionStep,
  givenBack,
  heldMs,
  type Role,
  type SeenLease,
  seenLease,
} from '../../model/election/election-step.ts';
import type { Instant } from '../../base/instant.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Fence } from '../../ports/process/fence.ts';
import type { LeaseStore } from '../../ports/stores/lease-store.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { ShutdownError } from '../controller/run-pass.ts';
import { withinTime } from '../controller/within-time.ts';

/**
 * One renewal may take the renew deadline divided by this: a server that hangs must leave time for further attempts.
 */
const TURNS_PER_DEADLINE = 3;

/**
 * How often a leader checks whether its lease time has ended. Timers stop while a machine sleeps, so a single timer
 * could be late by that long.
 */
const LOOK_MS = 500;

/** The share by which candidates vary their pauses, so that their requests do not coincide. */
const JITTER = 0.2;

/** The reason why the process of a former leader ends. It may not act any more, not even to clean up. */
export class LeadershipLostError extends Error {
  constructor(lease: string, why: string) {
    super(`the Lease ${lease} is lost: ${why}`);
    this.name = 'LeadershipLostError';
  }
}

/** The options of an elector. */
export interface LeaderElectorOptions extends Candidate {
  /** The Lease as `namespace/name`. */
  readonly lease: string;
  readonly store: LeaseStore;
  readonly clock: Clock;
  /** Returns the current time on two clocks. */
  readonly instant: () => Instant;
  readonly logger: Logger;
  /** Called when leadership begins and ends. */
  readonly onChange?: (leading: boolean) => void;
}

/**
 * Stands for election until it leads, and then renews the Lease. As a fence, it is open for a renew deadline after it
 * *sent* the last successful renewal. So a process that was suspended or cut off knows by itself that it may not act,
 * before any other process may.
 */
export class LeaderElector implements Fence {
  readonly #options: LeaderElectorOptions;
  readonly #closing = new AbortController();
  readonly #leading = Promise.withResolvers<void>();
  #role: Role = { kind: 'candidate' };
  #seen: SeenLease | undefined;
  #running: Promise<void> | undefined;
  #failing = false;
  #toldHolder: string | undefined;
  #cancelLook: (() => void) | undefined;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
  }

  /** The Lease, as `namespace/name`. */
  get lease(): string {
    return this.#options.lease;
  }

  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  isOpen(): boolean {
    if (this.#role.kind !== 'leader' || this.closed.aborted) return false;
    if (heldMs(this.#options, this.#role, this.#options.instant()) > 0) return true;
    this.#take(electionStep(this.#options, this.#role, this.#seen, this.#options.instant()));
    return false;
  }

  /** Stands for election until `signal` aborts. Resolves when this process leads. Must be called only once. */
  lead(signal: AbortSignal): Promise<void> {
    this.#running = this.#run(signal);
    return this.#leading.promise;
  }

  /**
   * Closes the fence and releases the Lease, so that the next leader need not wait for its end. The caller first aborts
   * the signal of `lead` and waits for everything else to end. If `withinMs` is 0, the Lease is not released, since
   * some work may still run.
   */
  async release(withinMs: number): Promise<void> {
    const { logger, lease, renewDeadlineMs, onChange } = this.#options;
    await this.#running;
    this.#cancelLook?.();
    if (this.closed.aborted) return;
    this.#closing.abort(new ShutdownError());
    onChange?.(false);
    if (this.#running === undefined || withinMs <= 0) return;
    const ms = Math.min(withinMs, renewDeadlineMs / TURNS_PER_DEADLINE);
    try {
      if (await this.#within(ms, new AbortController().signal, (signal) => this.#giveBack(signal)))
        logger.info('the Lease was given back', { lease });
    } catch (error) {
      logger.warn('the Lease could not be given back', { lease, error });
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.closed.aborted) {
      const began = this.#options.instant();
      const pauseMs = await this.#turn(signal);
      const tookMs = this.#options.instant().steadyMs - began.steadyMs;
      await this.#options.clock.sleep(Math.max(0, pauseMs - tookMs), signal).catch(() => undefined);
    }
  }

  /** Makes one attempt on the Lease. Returns how long after its beginning the next one is due. Never throws. */
  async #turn(signal: AbortSignal): Promise<number> {
    const { renewDeadlineMs, retryMs, clock } = this.#options;
    const attemptMs = renewDeadlineMs / TURNS_PER_DEADLINE;
    try {
      const step = await this.#within(attemptMs, signal, (ending) => this.#attempt(ending));
      this.#failing = false;
      return step.kind === 'stand by' ? Math.min(step.leftMs, spread(retryMs, clock.random())) : retryMs;
    } catch (error) {
      if (!signal.aborted) this.#tellFailure(error);
      // The lease time may have ended in the meantime.
      this.isOpen();
      return spread(retryMs, clock.random());
    }
  }

  /**
   * Reads and writes the Lease. A leader writes at once; a candidate, and a leader whose version is outdated, reads
   * first.
   */
  async #attempt(signal: AbortSignal): Promise<ElectionStep> {
    const { store, instant } = this.#options;
    let look = this.#role.kind === 'candidate';
    for (;;) {
      if (look) {
        const found = await store.read(signal);
        signal.throwIfAborted();
        this.#seen = seenLease(this.#seen, found, instant());
      }
      const sent = instant();
      const step = electionStep(this.#options, this.#role, this.#seen, sent);
      if (step.kind === 'stand by' || step.kind === 'lost') {
        this.#take(step);
        return step;
      }
      const written = await store.write(step.record, this.#seen?.version, signal);
      signal.throwIfAborted();
      if (written !== 'changed') {
        this.#seen = seenLease(this.#seen, written, instant());
        this.#renewed(sent);
        return step;
      }
      look = true;
    }
  }

  #renewed(sent: Instant): void {
    const { logger, lease, identity, onChange } = this.#options;
    const role: Role = { kind: 'leader', renewalSent: sent };
    const began = this.#role.kind === 'candidate';
    // An answer that arrives after the lease time counts for nothing. A process that was suspended finds out here.
    if (heldMs(this.#options, role, this.#options.instant()) <= 0 || (!began && !this.isOpen())) return;
    this.#role = role;
    if (!began) return;
    logger.info('leading', { lease, identity });
    onChange?.(true);
    this.#look();
    this.#leading.resolve();
  }

  #take(step: ElectionStep): void {
    const { logger, lease, identity, onChange } = this.#options;
    if (step.kind === 'stand by' && step.holder !== this.#toldHolder) {
      this.#toldHolder = step.holder;
      logger.info('standing by', { lease, identity, holder: step.holder });
    }
    if (step.kind !== 'lost' || this.closed.aborted) return;
    this.#cancelLook?.();
    const error = new LeadershipLostError(lease, step.why);
    this.#closing.abort(error);
    onChange?.(false);
  }

  #look(): void {
    const { clock, instant } = this.#options;
    const leftMs = heldMs(this.#options, this.#role, instant());
    this.#cancelLook = clock.after(Math.min(LOOK_MS, leftMs), () => {
      if (this.isOpen()) this.#look();
    });
  }

  /** Releases the Lease if we hold it, even by a write whose answer never arrived. Returns true if that succeeded. */
  async #giveBack(signal: AbortSignal): Promise<boolean> {
    const { store, identity, instant } = this.#options;
    for (;;) {
      const found = await store.read(signal);
      if (found?.record.holder !== identity) return false;
      const written = await store.write(givenBack(found.record, instant()), found.version, signal);
      if (written !== 'changed') return true;
    }
  }

  #tellFailure(error: unknown): void {
    const { logger, lease } = this.#options;
    const level = this.#failing ? 'debug' : 'warn';
    this.#failing = true;
    logger[level]('the Lease cannot be read or written', { lease, error });
  }

  #within<T>(ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withinTime({ clock: this.#options.clock, ms, signal }, work);
  }
}

function spread(ms: number, random: number): number {
  return ms * (1 - JITTER + JITTER * random);
}
