import type { Key } from '../../api/metadata.ts';

/** Reports changes as keys to process: an informer, a directory, a poller. */
export interface ChangeSource {
  /**
   * Reports every existing key and then every change, until `signal` aborts. Resolves once, after the existing keys.
   */
  start(onChange: (key: Key) => void, signal: AbortSignal): Promise<void>;
}
