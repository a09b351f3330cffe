import { defined } from '../../base/defined.ts';
import type { ConnectionSettings } from '../../model/connection/connection.ts';
import type { ConnectionState } from '../../ports/process/metrics.ts';
import type { Intake } from '../calls/intake.ts';
import type { Limiter } from '../calls/limiter.ts';
import type { Poller } from '../list/poller.ts';
import type { ConnectionTrouble } from '../../model/connection/failure.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { ServiceAnswer } from '../http/exchange.ts';

/** The figures of a connection for metrics and probes. */
export interface Vitals {
  readonly nowMs: number;
  readonly poller: Pick<Poller, 'snapshot' | 'readBeganMs' | 'overdueMs' | 'sweepingMs'>;
  /** Absent before the first settings, like the next fields. */
  readonly limiter: Pick<Limiter, 'waiting' | 'gateMs'> | undefined;
  readonly settings: Pick<ConnectionSettings, 'poll' | 'suspend' | 'requestTimeoutMs'> | undefined;
  /** The queue in which answers wait for their turn. */
  readonly intake: Pick<Intake, 'isWaiting'>;
  /** The time at which a call last had its permit. */
  readonly permittedMs: number;
}

/**
 * The time after which a sweep counts as stuck, far beyond the pauses between the tries of a call and its waits for
 * room; the deadline of the call is added.
 */
const STUCK_MS = 900_000;

/** Returns the state of a connection now, for metrics. */
export function connectionState({ nowMs, poller, limiter, settings }: Vitals): ConnectionState {
  return {
    waiting: limiter?.waiting ?? 0,
    gateClosed: (limiter?.gateMs ?? 0) > 0,
    ...(settings === undefined || settings.suspend ? {} : sweepState(nowMs, poller, settings)),
  };
}

function sweepState(
  nowMs: number,
  { snapshot, readBeganMs }: Vitals['poller'],
  { poll }: Pick<ConnectionSettings, 'poll'>,
): Partial<ConnectionState> {
  return {
    pollIntervalSeconds: poll.intervalMs / 1000,
    ...defined({
      unreadableItems: snapshot?.problems.length,
      snapshotAgeSeconds: readBeganMs === undefined ? undefined : (nowMs - readBeganMs) / 1000,
    }),
  };
}

/**
 * Reports trouble of the sweeps that only a restart ends. A service that fails, hangs or asks for a pause is
 * no such trouble: every call has a deadline, and a call that waits for a permit has not begun.
 */
export function sweepComplaint({
  nowMs,
  poller,
  limiter,
  settings,
  intake,
  permittedMs,
}: Vitals): string | undefined {
  if (poller.overdueMs > STUCK_MS) return 'the sweep that is due does not begin';
  const queues = limiter !== undefined && (limiter.gateMs > 0 || limiter.waiting > 0);
  const waits = queues || intake.isWaiting;
  const silentMs = Math.min(poller.sweepingMs, nowMs - permittedMs);
  return !waits && silentMs > STUCK_MS + (settings?.requestTimeoutMs ?? 0)
    ? 'the sweep under way does not end'
    : undefined;
}

/** The verdict on whether a connection can be used. */
export type Verdict =
  { readonly ready: true } | { readonly ready: false; readonly trouble: ConnectionTrouble };

/** Keeps the latest verdict on whether a connection can be used, and the callers who wait for the next one. */
export class Usability {
  /** Undefined before the first check, and while the operator examines trouble. */
  #verdict: Verdict | undefined;
  #waiting = Promise.withResolvers<void>();

  get isReady(): boolean {
    return this.#verdict?.ready === true;
  }

  /** Returns the last verdict, after a check that is due. */
  async verdict(signal: AbortSignal): Promise<Verdict> {
    for (;;) {
      if (this.#verdict !== undefined) return this.#verdict;
      await untilAborted(this.#waiting.promise, signal);
    }
  }

  decide(verdict: Verdict): void {
    this.#verdict = verdict;
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers();
  }

  /** Marks a check as due: later questions wait for it. */
  doubt(): void {
    this.#verdict = undefined;
  }
}

/**
 * Reports once that answers announce the end of an endpoint: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) headers
 * (N80). It repeats only their dates, since a header may contain anything.
 */
export class DeprecationNotice {
  #text: string | undefined;
  #told = false;

  /** Reads the headers of an answer. */
  look(headers: ServiceAnswer['headers']): void {
    if (this.#text !== undefined) return;
    const stated = ['deprecation', 'sunset'].flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [`${name}: ${dateOf(value.trim()) ?? 'without a date'}`];
    });
    if (stated.length > 0) this.#text = stated.join(', ');
  }

  /** Returns a new notice to the first caller after it was seen. */
  take(): string | undefined {
    if (this.#text === undefined || this.#told) return undefined;
    this.#told = true;
    return this.#text;
  }
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const SECONDS = /^@\d{1,11}$/;

/** Returns the day that a header names, such as 2027-01-01. */
function dateOf(value: string): string | undefined {
  const ms = SECONDS.test(value)
    ? Number(value.slice(1)) * 1000
    : HTTP_DATE.test(value)
      ? Date.parse(value)
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 10);
}
