/** Provides time and randomness, so that tests can control both. */
export interface Clock {
  /** Returns the milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`. Rejects with the reason of the signal when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `task` once after `ms`. The returned function cancels it. */
  after(ms: number, task: () => void): () => void;
  /** Resolves after all other ready work has run; at once on a virtual clock. */
  turn(): Promise<void>;
  /** Returns a number in [0, 1). */
  random(): number;
}
