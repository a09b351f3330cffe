import type { DeploymentResource } from '../../api/deployment.ts';
import { mayMakeRevision, revisionsPerHour, roomAgainInMs } from './budget.ts';
import type { Change } from '../compare/change.ts';
import type { Plan } from './plan-kinds.ts';
import { minuteText } from '../../base/text-for-people.ts';

/** A write that may make a revision. */
interface WantedRevision {
  /** The generation that nothing was carried out of yet; undefined where it is carried out. */
  readonly newGeneration: number | undefined;
  readonly nowMs: number;
  readonly changes: readonly Change[];
}

/** Holds back a write that may make a revision where the rolling hour has no room; a new generation allows one (H10). */
export function outOfBudget(
  resource: DeploymentResource,
  { newGeneration, nowMs, changes }: WantedRevision,
): Plan | undefined {
  const budget = resource.status?.budget;
  const perHour = revisionsPerHour(resource);
  if (mayMakeRevision(budget, { perHour, newGeneration, nowMs })) return undefined;
  const againInMs = roomAgainInMs(budget, nowMs);
  const message = `${perHour} writes that may make a revision were sent within the last hour; the next may go at ${minuteText(nowMs + againInMs)}`;
  return { kind: 'blocked', reason: 'RevisionBudgetExhausted', message, againInMs, changes };
}
