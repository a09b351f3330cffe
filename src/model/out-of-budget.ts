import type { DeploymentResource } from '../api/deployment.ts';
import { mayMakeRevision, roomAgainInMs } from './budget.ts';
import type { Change } from './change.ts';
import { DEFAULTS } from './connection.ts';
import type { Plan } from './plan-kinds.ts';

/** A write that may make a revision. */
interface WantedRevision {
  readonly newGeneration: boolean;
  readonly nowMs: number;
  readonly changes: readonly Change[];
}

/** Holds back a write that may make a revision where the rolling hour has no room; a new generation allows one (H10). */
export function outOfBudget(
  { spec, status }: DeploymentResource,
  { newGeneration, nowMs, changes }: WantedRevision,
): Plan | undefined {
  const perHour = spec.rollout?.maxRevisionsPerHour ?? DEFAULTS.revisionsPerHour;
  if (mayMakeRevision(status?.budget, { perHour, newGeneration, nowMs })) return undefined;
  const againInMs = roomAgainInMs(status?.budget, nowMs);
  const message = `${perHour} writes that may make a revision were sent within the last hour; the next is due in ${Math.ceil(againInMs / 60_000)} min`;
  return { kind: 'blocked', reason: 'RevisionBudgetExhausted', message, againInMs, changes };
}
