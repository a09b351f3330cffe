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
