import type { Key } from '../../api/metadata.ts';
import type { Requeue } from '../../model/outcome/outcome.ts';

/** Brings one resource closer to what is declared, and says when to come back. */
export interface Reconciler {
  /**
   * `overtaken` aborts when somebody asks for the same resource in more of a hurry than this pass has, so that another pass
   * follows at once, and when the process stops: what only waits may end then.
   */
  reconcile(key: Key, signal: AbortSignal, overtaken?: AbortSignal): Promise<Requeue>;
}
