import { defined } from '../../base/defined.ts';
import type { ConnectionSettings } from '../../model/connection/connection.ts';
import type { ConnectionState } from '../../ports/process/metrics.ts';
import type { Intake } from '../calls/intake.ts';
import type { Limiter } from '../calls/limiter.ts';
import type { Poller } from '../list/poller.ts';

/** The figures of a connection for metrics and probes. */
export interface Vitals {
  readonly nowMs: number;
  readonly poller: Pick<Poller, 'snapshot' | 'readBeganMs' | 'overdueMs' | 'sweepingMs'>;
  /** Absent before the first settings, as are these. */
  readonly limiter: Pick<Limiter, 'waiting' | 'gateMs'> | undefined;
  readonly settings: Pick<ConnectionSettings, 'poll' | 'suspend' | 'requestTimeoutMs'> | undefined;
  /** Where answers wait for their turn. */
  readonly intake: Pick<Intake, 'isWaiting'>;
  /** When a call last had its permit. */
  readonly permittedMs: number;
}

/** Far beyond the pauses between the tries of a call and its waits for room; its deadline comes on top. */
const STUCK_MS = 900_000;

/** A connection at this moment, as metrics show it. */
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
    ...defined({ unreadableItems: snapshot?.problems.length }),
    ...(readBeganMs === undefined ? {} : { snapshotAgeSeconds: (nowMs - readBeganMs) / 1000 }),
  };
}

/**
 * What is so wrong with the sweeps that only a restart helps. A service that fails, hangs or asks for a pause is none
 * of it: every call has a deadline, and one that waits for a permit has not begun.
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
