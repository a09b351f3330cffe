import { inARow } from '../../base/text-for-people.ts';
import { type Budget, budgetOf, correctedInVain } from '../plan/budget.ts';
import { type Plan, waiting } from '../plan/plan.ts';
import type { Present } from '../plan/situation.ts';

/**
 * Waits for a list while only an answer shows a value that an earlier correction did not bring about. The service may
 * answer as if it kept the value; a list tells, at the latest after the window.
 */
export function onlyAnswered({ resource, observation, settings }: Present): Plan | undefined {
  const message = onlyAnsweredMessage(budgetOf(resource));
  const isAnswer = observation.kind === 'present' && observation.via === 'answer';
  return isAnswer && message !== undefined ? waiting('Sent', message, settings.poll.rolloutMs) : undefined;
}

/** Returns what the answer to the last write leaves open, for people; undefined if it counts. */
export function onlyAnsweredMessage(budget: Budget | undefined): string | undefined {
  const paths = correctedInVain(budget);
  if (paths.length === 0) return undefined;
  return `sent again; an earlier correction of ${inARow(paths)} did not last, so the answer is no evidence; the operator reads the list`;
}
