import type { Situation } from '../plan/situation.ts';
import type { Decided } from './make-plan.ts';

/**
 * Returns the declared fields that this process sent again because they were gone after a write of ours that left them
 * out. Forgets a field when its correction no longer counts in the budget.
 */
export function refilledAfter(
  before: ReadonlySet<string> | undefined,
  decision: (Decided & { readonly situation: Pick<Situation, 'resource'> }) | undefined,
): ReadonlySet<string> | undefined {
  if (decision === undefined) return before;
  const { plan, situation, assessment } = decision;
  const { drift = [] } = situation.resource.status?.budget ?? {};
  const counted = drift.flatMap(({ path }) => (before?.has(path) === true ? [path] : []));
  const sent = plan.kind === 'patch' ? plan.announcement.paths : [];
  const again = (assessment?.emptied ?? []).filter((path) => sent.includes(path));
  const all = new Set([...counted, ...again]);
  return all.size === 0 ? undefined : all;
}
