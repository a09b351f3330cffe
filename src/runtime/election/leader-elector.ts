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

/** Share of the renew deadline that one renewal may take: a server that hangs must leave time for others. */
const TURNS_PER_DEADLINE = 3;

/**
 * How often a leader looks whether its time is over. A timer alone would be late by as long as a machine slept, since
 * timers stand still with it.
 */
const LOOK_MS = 500;

/** Share by which candidates vary their pauses, so that they do not ask in step. */
const JITTER = 0.2;

/** Why a process ends that was the leader: it may not do anything any more, not even tidy up. */
export class LeadershipLostError extends Error {
  constructor(lease: string, why: string) {
    super(`the Lease ${lease} is lost: ${why}`);
    this.name = 'LeadershipLostError';
  }
}

/** The parts of an elector. */
export interface LeaderElectorOptions extends Candidate {
  /** The Lease as `namespace/name`. */
  readonly lease: string;
  readonly store: LeaseStore;
  readonly clock: Clock;
  /** This moment on two clocks. */
  readonly instant: () => Instant;
  readonly logger: Logger;
  /** Called when leadership begins and ends. */
  readonly onChange?: (leading: boolean) => void;
}

/**
 * Stands for election until it leads, and then renews. As a fence it is open while the last good renewal was *sent*
 * less than a renew deadline ago: a process that was stopped or cut off knows by itself that it may not act, before
 * anybody else may.
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

  /** Stands for election until `signal` aborts; resolves when this process leads. Called once. */
  lead(signal: AbortSignal): Promise<void> {
    this.#running = this.#run(signal);
    return this.#leading.promise;
  }

  /**
   * Closes the fence and gives the Lease back, so that the next leader need not wait for its end; called after the
   * signal of `lead` aborted and everything else has ended. Without time nothing is given back: something may still
   * be under way.
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

  /** One attempt on the Lease; answers how long after its beginning the next one is due. Never throws. */
  async #turn(signal: AbortSignal): Promise<number> {
    const { renewDeadlineMs, retryMs, clock } = this.#options;
    const attemptMs = renewDeadlineMs / TURNS_PER_DEADLINE;
    try {
      const step = await this.#within(attemptMs, signal, (ending) => this.#attempt(ending));
      this.#failing = false;
      return step.kind === 'stand by' ? Math.min(step.leftMs, spread(retryMs, clock.random())) : retryMs;
    } catch (error) {
      if (!signal.aborted) this.#tellFailure(error);
      // The hold may have ended meanwhile.
      this.isOpen();
      return spread(retryMs, clock.random());
    }
  }

  /** A leader writes on what it knows; a candidate, and a leader whose version is out of date, looks first. */
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
    // An answer that took longer than the hold is none: a stopped process finds it when it goes on.
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

  /** True when the Lease was ours, also by a write whose answer never came, and has no holder now. */
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
