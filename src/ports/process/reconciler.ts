import type { Key } from '../../api/metadata.ts';
import type { Requeue } from '../../model/outcome/outcome.ts';

/** Brings one resource closer to its declared state, and returns when to reconcile it again. */
export interface Reconciler {
  /**
   * Runs one pass. `overtaken` aborts when the same key is queued with a more urgent priority, so that another pass
   * follows at once, and when the process stops. A pass that only waits may then end.
   */
  reconcile(key: Key, signal: AbortSignal, overtaken?: AbortSignal): Promise<Requeue>;
}
