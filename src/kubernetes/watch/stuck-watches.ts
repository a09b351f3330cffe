import type { Informer } from './informer.ts';
import type { KubernetesObject } from '../objects/resource-type.ts';

/**
 * The silence after which a reflector counts as stuck: longer than any list, watch or pause takes. A reflector whose
 * requests fail, or whose API server is away, does something every minute; one that does nothing for this long hangs.
 */
const STUCK_MS = 1_800_000;

/** Returns the kinds whose watch has stopped although the process still runs; only a restart can fix that. */
export function stuckWatches(
  informers: readonly Pick<Informer<KubernetesObject>, 'type' | 'lastAliveMs'>[],
  nowMs: number,
): string | undefined {
  const stuck = informers.filter(({ lastAliveMs }) => nowMs - (lastAliveMs ?? nowMs) > STUCK_MS);
  if (stuck.length === 0) return undefined;
  return `nothing was heard of or asked about ${stuck.map(({ type }) => type.kind).join(', ')} for half an hour`;
}
