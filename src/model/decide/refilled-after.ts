import type { Situation } from '../plan/situation.ts';
import type { Decided } from './make-plan.ts';

/**
 * Returns the declared fields that this process sent again because they were gone after a write of ours that left them
 * out, each with the end of that write, or 0 if it is forgotten. Forgets a field when its correction no longer counts in
 * the budget.
 */
export function refilledAfter(
  before: Situation['refilled'],
  decision: (Decided & { readonly situation: Pick<Situation, 'resource' | 'written'> }) | undefined,
): Situation['refilled'] {
  if (decision === undefined) return before;
  const { plan, situation, assessment } = decision;
  const { drift = [] } = situation.resource.status?.budget ?? {};
  const counted = [...(before ?? [])].filter(([path]) => drift.some((entry) => entry.path === path));
  const sent = plan.kind === 'patch' ? plan.announcement.paths : [];
  const again = (assessment?.emptied ?? []).filter((path) => sent.includes(path));
  const endedMs = situation.written?.endedMs ?? 0;
  const all = new Map([...counted, ...again.map((path) => [path, endedMs] as const)]);
  return all.size === 0 ? undefined : all;
}
