import type { Key } from '../api/metadata.ts';
import type { Requeue } from '../model/requeue.ts';

/** Brings one resource closer to what is declared, and says when to come back. */
export interface Reconciler {
  reconcile(key: Key, signal: AbortSignal): Promise<Requeue>;
}
