import type { Key } from '../../api/metadata.ts';
import type { Requeue } from '../../model/outcome/outcome.ts';

/** Brings one resource closer to what is declared, and says when to come back. */
export interface Reconciler {
  /**
   * `overtaken` aborts when somebody asks for the same resource in more of a hurry than this pass has: what only waits may
   * end then, and another pass follows at once.
   */
  reconcile(key: Key, signal: AbortSignal, overtaken?: AbortSignal): Promise<Requeue>;
}
