import type { Key } from '../../api/metadata.ts';

/** An exchange with a service. */
export interface EndedExchange {
  readonly operation: string;
  /** The status, or the name of the error. */
  readonly code: string;
  readonly seconds: number;
}

/** The metrics of the core. Labels are bounded; an object's name is never one. */
export interface Metrics {
  /** One pass ended. */
  reconciled(kind: string, outcome: string, seconds: number): void;
  /** One write to the service ended. */
  patched(connection: string, cause: string, outcome: string): void;
  /** One exchange with the service ended. */
  exchanged(connection: string, exchange: EndedExchange): void;
  /** One list pass of a connection ended. */
  swept(connection: string, result: 'complete' | 'partial' | 'failed'): void;
  /** Drift was seen and dealt with in this way. */
  drifted(connection: string, action: 'corrected' | 'reported' | 'suspended'): void;
}

/** A connection at one moment, as metrics show it. */
export interface ConnectionState {
  /** Calls that wait for a permit. */
  readonly waiting: number;
  /** True while the service has asked for a pause. */
  readonly gateClosed: boolean;
  /** Since the newest pass over the list began that got to its end; absent before the first, and while suspended. */
  readonly snapshotAgeSeconds?: number;
  /** How often the list is to be read; absent before the first settings, and while suspended. */
  readonly pollIntervalSeconds?: number;
  /** Items of the newest list that could not be read; absent before the first, and while suspended. */
  readonly unreadableItems?: number;
}

/** The metrics of a connection besides its calls. */
export interface ConnectionMetrics {
  /** A connection is there from now on: all its series exist, and `state` is asked whenever they are read. */
  connectionSeen(connection: string, state: () => ConnectionState): void;
  /** A connection is gone, and its series with it. */
  connectionGone(connection: string): void;
  /** A call had its permit after it had waited so long. */
  permitted(connection: string, waitedSeconds: number): void;
}

/** The metrics of the deployments themselves. */
export interface ResourceMetrics {
  /** Replaces the figures of a resource by those of now. */
  resourceShown(key: Key, ready: string, reason: string): void;
  /** A resource is gone. */
  resourceGone(key: Key): void;
  /** A new revision was seen. */
  revised(connection: string, cause: 'Operator' | 'External' | 'Unknown'): void;
  /** The first write for a new generation was sent so long after the edit. */
  editSent(connection: string, seconds: number): void;
  /** The revision made for a new generation became active so long after the edit. */
  editActive(connection: string, seconds: number): void;
}

/** A work queue at one moment. */
export interface QueueState {
  /** Keys that may run now, or wait for room in their lane. */
  readonly waiting: number;
  readonly delayed: number;
  readonly running: number;
  /** Run time so far of all running keys together. */
  readonly unfinishedSeconds: number;
  readonly longestRunningSeconds: number;
}

/** The metrics of a work queue and its controller. */
export interface QueueReporter {
  /** A key began to wait. */
  added(): void;
  /** A key was handed out after it had waited so long. */
  started(waitedSeconds: number): void;
  /** The run of a key ended. */
  finished(workedSeconds: number): void;
  /** A key goes back because its run failed. */
  retried(): void;
}
