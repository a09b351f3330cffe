/** Time and chance, so that tests can hold both. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `task` once after `ms`; the returned function cancels it. */
  after(ms: number, task: () => void): () => void;
  /** Resolves when everything else that is ready to run has had its turn; at once where time is not real. */
  turn(): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}
