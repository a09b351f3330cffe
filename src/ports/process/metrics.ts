import type { Key } from '../../api/metadata.ts';

/** An exchange with a service. */
export interface EndedExchange {
  readonly operation: string;
  /** The status, or the name of the error. */
  readonly code: string;
  readonly seconds: number;
}

/** Records the metrics of the core. Labels are bounded; the name of an object is never a label. */
export interface Metrics {
  /** Records the end of a pass. */
  reconciled(kind: string, outcome: string, seconds: number): void;
  /** Records the end of a write to the service. */
  patched(connection: string, cause: string, outcome: string): void;
  /** Records the end of an exchange with the service. */
  exchanged(connection: string, exchange: EndedExchange): void;
  /** Records the end of a sweep over the list of a connection. */
  swept(connection: string, result: 'complete' | 'partial' | 'failed'): void;
  /** Records drift and the action on it. */
  drifted(connection: string, action: 'corrected' | 'reported' | 'suspended'): void;
}

/** The state of a connection at one moment, as metrics show it. */
export interface ConnectionState {
  /** The number of calls that wait for a permit. */
  readonly waiting: number;
  /** True while the service has asked for a pause. */
  readonly gateClosed: boolean;
  /** The time since the beginning of the newest complete sweep. Absent before the first one, and while suspended. */
  readonly snapshotAgeSeconds?: number;
  /** The interval at which the list is read. Absent before the first settings, and while suspended. */
  readonly pollIntervalSeconds?: number;
  /** The number of unreadable items in the newest list. Absent before the first list, and while suspended. */
  readonly unreadableItems?: number;
}

/** Records the metrics of a connection other than its calls. */
export interface ConnectionMetrics {
  /** Creates all series of a connection. `state` is called whenever they are read. */
  connectionSeen(connection: string, state: () => ConnectionState): void;
  /** Removes the series of a connection. */
  connectionGone(connection: string): void;
  /** Records how long a call waited for its permit. */
  permitted(connection: string, waitedSeconds: number): void;
}

/** Records the metrics of the deployments. */
export interface ResourceMetrics {
  /** Replaces the figures of a resource. */
  resourceShown(key: Key, ready: string, reason: string): void;
  /** Removes the figures of a resource. */
  resourceGone(key: Key): void;
  /** Records a new revision. */
  revised(connection: string, cause: 'Operator' | 'External' | 'Unknown'): void;
  /** Records the time from an edit to the first write for its generation. */
  editSent(connection: string, seconds: number): void;
  /** Records the time from an edit until the revision for its generation was active. */
  editActive(connection: string, seconds: number): void;
}

/** The state of a work queue at one moment. */
export interface QueueState {
  /** The number of keys that may run now, or wait for room in their lane. */
  readonly waiting: number;
  readonly delayed: number;
  readonly running: number;
  /** The total time for which the running keys have run so far. */
  readonly unfinishedSeconds: number;
  readonly longestRunningSeconds: number;
}

/** Records the metrics of a work queue and its controller. */
export interface QueueReporter {
  /** Records that a key began to wait. */
  added(): void;
  /** Records that a key was handed out, and how long it had waited. */
  started(waitedSeconds: number): void;
  /** Records that the run of a key ended. */
  finished(workedSeconds: number): void;
  /** Records that a key is queued again because its run failed. */
  retried(): void;
}
