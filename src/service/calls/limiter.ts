import PQueue from 'p-queue';
import { type ConnectionSettings, DEFAULTS } from '../../model/connection/connection.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Caller, HesitantCaller, PassedUp } from '../../ports/service/external-client.ts';
import { gateClosed } from '../limits/own-errors.ts';
import { backoffMs } from '../http/retry.ts';
import { FIRST, type Turn, Turns } from './turns.ts';

type RateLimit = ConnectionSettings['rateLimit'];

/** Why the service wants no calls for a while: it received too many, or it fails. */
export type GateReason = 'RateLimited' | 'Unreachable';

/** The least number of the newest calls that are remembered, so that a larger burst can count them. */
const REMEMBERED = 1_000;

/** The factor by which the rate falls when the service receives too many calls. */
const SLOWED = 0.5;

/**
 * The factor by which the rate rises with each accepted call while it is lower than configured, or with each ten seconds
 * between rarer calls: it doubles within 24 calls or four minutes, however low it is. So a service that refuses a few
 * calls in a hundred by chance does not slow it for good, and neither does a service that stated long pauses.
 */
const QUICKENED = 1.03;

/** The interval to which refusals slow the calls at most if the service states no pause. */
const SLOWEST_MS = DEFAULTS.rarestCallsMs;

/**
 * The same as a multiple of the longest pause that was stated since the pace is slow, of a second at least: a service may
 * state only what is left of its window. A call after each such pause should be accepted, and a pace right at the limit
 * would meet it again at once.
 */
const PAUSES_APART = 2;

/** A rate above its bound by this factor at most counts as slowed as far as possible. */
const NEAR_BOUND = 1.25;

/** The time for which the pace stays as configured after slowing it as far as possible did not help. */
const UNSLOWED_MS = 600_000;

/** Runs a call with a permit; the call counts from then on. */
type Permit = <T>(task: () => Promise<T>) => Promise<T>;

/** The parts of a limiter. */
export interface LimiterOptions {
  readonly clock: Clock;
  /** Called when a call has its permit, with the length of its wait. */
  readonly onPermit: (waitedMs: number) => void;
}

/**
 * The rate-limited queue in front of one service. It has a strict sliding window and a limit for concurrent exchanges.
 * The most urgent call is first, namespaces take turns, and no call waits for ever. The service can close a gate for
 * all calls. A burst starts at once. While more calls wait than the window permits, permits are spaced evenly, so the
 * next call never meets a window that others have just used up. If the service received too many calls, its own limit
 * is lower than the configured one: the rate falls, without bursts, and rises slowly as calls are accepted. PQueue
 * keeps the order and the concurrency. Its own window is not used: when the limits change, it would forget the calls
 * that began under the old ones.
 */
export class Limiter {
  readonly #options: LimiterOptions;
  readonly #queue: PQueue;
  readonly #turns = new Turns();
  #rateLimit: RateLimit;
  /**
   * The start times of the newest calls: at least as many as the burst permits, and as a larger burst is likely to
   * permit.
   */
  #begunMs: number[] = [];
  /** The time at which the newest call was due. Its delay must not delay the next call. */
  #slotMs = 0;
  /** The time at which the next call is due, as computed last. */
  #openingMs = 0;
  /** True if calls had to wait for the window or the gate, and some still wait. */
  #saturated = false;
  #closedUntilMs = 0;
  /** The duration of the pause for which the gate was closed. */
  #pauseMs = 0;
  #gateReason: GateReason = 'RateLimited';
  #refusals = 0;
  /** The calls per second to which refusals have slowed the pace; without effect from the configured rate on. */
  #bearable = Number.POSITIVE_INFINITY;
  /** The longest pause that was stated while the pace was slow. */
  #longestMs = 0;
  /** The time of the last refusal that counted for the pace. */
  #slowedMs = 0;
  /** The time until which refusals do not slow the pace. */
  #unslowedUntilMs = 0;
  #closing = new AbortController();
  #cancelOpening: (() => void) | undefined;
  #stopped: Error | undefined;

  constructor(rateLimit: RateLimit, options: LimiterOptions) {
    this.#options = options;
    this.#rateLimit = rateLimit;
    this.#queue = new PQueue({ concurrency: rateLimit.concurrency });
  }

  /** The number of calls that wait for a permit. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** The milliseconds until the gate opens; 0 when it is open. */
  get gateMs(): number {
    return Math.max(0, Math.min(this.#pauseMs, this.#closedUntilMs - this.#options.clock.now()));
  }

  /** Aborts when the gate closes, with the error for waiting calls. It is aborted while the gate is closed. */
  get closing(): AbortSignal {
    return this.gateMs > 0 ? AbortSignal.abort(gateClosed(this)) : this.#closing.signal;
  }

  /** The milliseconds from one call to the next while calls wait: longer than configured after refusals. */
  get apartMs(): number {
    return 1000 / this.#allowed.requestsPerSecond;
  }

  /** The reason why the gate is closed, or was closed last. */
  get gateReason(): GateReason {
    return this.#gateReason;
  }

  /**
   * Runs `task` when it is its turn. Rejects with the reason of `signal` if that aborts before. After that, only the
   * task decides how it ends, since a write that began may have been applied.
   */
  run<T>(caller: Caller, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#inTurn(caller, (permit) => permit(task), signal);
  }

  /**
   * Runs a task like `run`, but asks the caller again when there is a permit. If the caller does not want the permit,
   * the next call gets it; the caller does not count and keeps its turn.
   */
  offer<T>(caller: HesitantCaller, task: () => Promise<T>, signal: AbortSignal): Promise<T | PassedUp> {
    const { wants = () => true } = caller;
    return this.#inTurn<T | PassedUp>(
      caller,
      async (permit, turn) => (wants() ? await permit(task) : turn.passUp(this.#options.clock.now())),
      signal,
    );
  }

  /** Waits for a turn. `take` receives a permit, and runs its task with it or leaves it unused. */
  async #inTurn<T>(
    caller: HesitantCaller,
    take: (permit: Permit, turn: Turn) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    if (this.#stopped !== undefined) throw this.#stopped;
    const waiting = new AbortController();
    const turn = this.#turns.next(caller, caller.kept);
    const giveUp = (): void => {
      turn.end();
      waiting.abort(signal.reason);
    };
    const permit = this.#permitFor(turn);
    let began = false;
    const begin = (): Promise<T> => {
      began = true;
      // From here on, an abort must not reach the queue: it would end its wait for a running task too, and pass the
      // permit on while a write is under way.
      signal.removeEventListener('abort', giveUp);
      return take(permit, turn);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await this.#queue.add(begin, { id: turn.id, priority: turn.place, signal: waiting.signal });
    } catch (error) {
      if (began) throw error;
      waiting.signal.throwIfAborted();
      // Waiting calls end when all calls are stopped.
      throw this.#stopped ?? error;
    } finally {
      signal.removeEventListener('abort', giveUp);
      turn.end();
      if (this.#queue.size === 0) this.#turns.clear();
      this.#saturated &&= this.#queue.size > 0;
    }
  }

  /** Returns a permit, which begins and counts the task that it receives. */
  #permitFor(turn: Turn): Permit {
    const { clock, onPermit } = this.#options;
    const askedMs = clock.now();
    return (task) => {
      const impatient = turn.begin();
      if (impatient !== undefined) this.#queue.setPriority(impatient, FIRST);
      this.#count();
      onPermit(clock.now() - askedMs);
      return task();
    };
  }

  /**
   * Applies other limits from now on, also to waiting calls. Calls that have begun count under the new limits as they
   * did before, and a closed gate stays closed. Earlier refusals no longer slow the pace: the limits may have been
   * changed because of them.
   */
  change(rateLimit: RateLimit): void {
    this.#rateLimit = rateLimit;
    this.#bearable = Number.POSITIVE_INFINITY;
    this.#pace();
    this.#queue.concurrency = rateLimit.concurrency;
  }

  /**
   * Closes the gate, since the service asked for fewer calls. No call starts for `statedMs`; if the service stated no
   * time, the pause grows with every such answer. A shorter pause does not shorten a longer one. Too many calls also
   * slow the pace of later calls. `begunMs` is the time at which the refused call began; default: now.
   */
  refused(reason: GateReason, statedMs: number | undefined, begunMs?: number): void {
    const { clock } = this.#options;
    this.#followClock();
    if (this.gateMs === 0) {
      this.#refusals += 1;
      // A service that fails says nothing about the rate, nor does one that refuses the first call after a pause.
      if (reason === 'RateLimited' && this.#refusals === 1) this.#slow(statedMs, begunMs ?? clock.now());
    }
    const ms = statedMs ?? backoffMs(this.#refusals, clock.random());
    if (ms <= this.gateMs) return;
    this.#closedUntilMs = clock.now() + ms;
    this.#pauseMs = ms;
    this.#gateReason = reason;
    this.#pace();
    this.#closing.abort(gateClosed(this));
    this.#closing = new AbortController();
  }

  /** Records that the service handled a call. */
  accepted(): void {
    this.#refusals = 0;
    this.#bearable *= QUICKENED ** Math.max(1, this.apartMs / SLOWEST_MS);
  }

  /** Rejects waiting and later calls with `reason`; calls that have begun continue. */
  stop(reason: Error): void {
    this.#stopped = reason;
    this.#cancelOpening?.();
    this.#queue.clear();
    this.#turns.clear();
  }

  /** Permits calls again after a stop. */
  resume(): void {
    if (this.#stopped === undefined) return;
    this.#stopped = undefined;
    this.#pace();
  }

  /**
   * Slows the pace within its bounds, from the rate at which calls were really made. A service that refuses calls even
   * at the bound does so for another reason than the pace.
   */
  #slow(statedMs: number | undefined, begunMs: number): void {
    const nowMs = this.#options.clock.now();
    // A call from before the pace was slowed says nothing about the slower pace.
    if (begunMs < this.#slowedMs || nowMs < this.#unslowedUntilMs) return;
    this.#slowedMs = nowMs;
    const made = Math.min(this.#allowed.requestsPerSecond, this.#callsBefore(begunMs));
    this.#longestMs = Math.max(statedMs ?? 0, this.#isSlowed ? this.#longestMs : 0);
    const least =
      1000 / (statedMs === undefined ? SLOWEST_MS : PAUSES_APART * Math.max(1000, this.#longestMs));
    if (made > least * NEAR_BOUND) {
      this.#bearable = Math.max(SLOWED * made, least);
      return;
    }
    this.#bearable = Number.POSITIVE_INFINITY;
    this.#unslowedUntilMs = nowMs + UNSLOWED_MS;
  }

  /** Returns how many calls began within the second before a call began, with that call: at least one. */
  #callsBefore(begunMs: number): number {
    const within = this.#begunMs.filter((ms) => ms > begunMs - 1000 && ms <= begunMs);
    return Math.max(1, within.length);
  }

  /** The rate and the burst that are permitted now. */
  get #allowed(): Pick<RateLimit, 'requestsPerSecond' | 'burst'> {
    return this.#isSlowed ? { requestsPerSecond: this.#bearable, burst: 1 } : this.#rateLimit;
  }

  get #isSlowed(): boolean {
    return this.#bearable < this.#rateLimit.requestsPerSecond;
  }

  #count(): void {
    const remembered = Math.max(this.#rateLimit.burst, REMEMBERED);
    this.#followClock();
    const nowMs = this.#options.clock.now();
    this.#begunMs.push(nowMs);
    const lateMs = nowMs - this.#openingMs;
    this.#slotMs = lateMs >= 0 && lateMs < this.apartMs ? this.#openingMs : nowMs;
    if (this.#begunMs.length > 2 * remembered) this.#begunMs = this.#begunMs.slice(-remembered);
    this.#pace();
  }

  /** Keeps the queue from handing out permits until window and gate allow the next one. */
  #pace(): void {
    this.#cancelOpening?.();
    this.#cancelOpening = undefined;
    this.#followClock();
    const waitMs = Math.max(this.gateMs, this.#windowMs(), this.#saturated ? this.#spacingMs() : 0);
    if (waitMs <= 0) {
      this.#queue.start();
      return;
    }
    this.#queue.pause();
    this.#openingMs = this.#options.clock.now() + waitMs;
    this.#cancelOpening = this.#options.clock.after(waitMs, () => {
      this.#saturated ||= this.#queue.size > 0;
      this.#pace();
    });
  }

  /** After somebody sets the clock back, a future time counts as now, so no call waits for the clock to catch up. */
  #followClock(): void {
    const nowMs = this.#options.clock.now();
    const aheadMs = (this.#begunMs.at(-1) ?? 0) - nowMs;
    if (aheadMs > 0) {
      this.#begunMs = this.#begunMs.map((ms) => ms - aheadMs);
      this.#slotMs -= aheadMs;
    }
    this.#closedUntilMs = Math.min(this.#closedUntilMs, nowMs + this.#pauseMs);
    this.#slowedMs = Math.min(this.#slowedMs, nowMs);
    this.#unslowedUntilMs = Math.min(this.#unslowedUntilMs, nowMs + UNSLOWED_MS);
  }

  /** Returns the milliseconds until the oldest of the calls that fill the window has left it. */
  #windowMs(): number {
    const { burst, requestsPerSecond } = this.#allowed;
    const intervalMs = (burst / requestsPerSecond) * 1000;
    const oldestMs = this.#begunMs.at(-burst);
    return oldestMs === undefined ? 0 : oldestMs + intervalMs - this.#options.clock.now();
  }

  /** Returns the milliseconds until the next call is as far from the newest one as the rate requires. */
  #spacingMs(): number {
    return this.#slotMs + this.apartMs - this.#options.clock.now();
  }
}
