import type { SyncedReason } from '../api/condition.ts';
import { annotation } from '../api/deployment.ts';
import type { Change } from './change.ts';
import { DEFAULTS } from './connection.ts';
import type { Plan } from './plan-kinds.ts';
import type { Present } from './situation.ts';

/** Answers that say that the same request will be refused again. */
const FINAL: ReadonlySet<SyncedReason> = new Set(['Rejected', 'TooLarge', 'Forbidden', 'NameTaken']);

/**
 * Holds back a request that was refused for good: until it asks for something else, somebody asks for another try, or
 * half an hour has passed. Whatever wakes the resource meanwhile, a restart included, does not send it again.
 */
export function heldAfterRefusal(
  { resource, nowMs }: Pick<Present, 'resource' | 'nowMs'>,
  { bodyDigest, changes }: { readonly bodyDigest: string; readonly changes: readonly Change[] },
): Plan | undefined {
  const { lastPatch, conditions, observedGeneration, lastHandledReconcileAt } = resource.status ?? {};
  const synced = conditions?.find(({ type }) => type === 'Synced');
  const reason = [...FINAL].find((final) => final === synced?.reason);
  if (lastPatch?.outcome !== 'Refused' || synced === undefined || reason === undefined) return undefined;
  if (lastPatch.bodyDigest !== bodyDigest || observedGeneration !== resource.metadata.generation)
    return undefined;
  const asked = annotation(resource, 'reconcileAt');
  if (asked !== undefined && asked !== lastHandledReconcileAt) return undefined;
  const leftMs = Date.parse(lastPatch.time) + DEFAULTS.heldAfterRejectionMs - nowMs;
  if (leftMs <= 0) return undefined;
  return { kind: 'blocked', reason, message: synced.message, againInMs: leftMs, changes };
}
