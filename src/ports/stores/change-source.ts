import type { Key } from '../../api/metadata.ts';

/** Something whose changes give keys to work on: an informer, a directory, a poller. */
export interface ChangeSource {
  /**
   * Resolves when what exists now has been reported, and reports changes until `signal` aborts. Resolves at most once
   * per call.
   */
  start(onChange: (key: Key) => void, signal: AbortSignal): Promise<void>;
}
