import { annotation, type DeploymentResource } from '../../api/deployment.ts';
import { type Change, countOf } from '../compare/change.ts';
import type { Plan } from './plan.ts';
import { lastSentTime } from './refusal.ts';
import type { Situation } from './situation.ts';
import { mayMakeRevision, revisionsPerHour, roomAgainInMs } from './budget.ts';
import { minuteText } from '../../base/text-for-people.ts';

/**
 * Makes a plan wait until the annotation contains its hash, if approval is manual; this applies to creations and
 * deletions as to PATCHes. `about` is the content of the plan. The resource, the generation and the time of the last
 * write make the hash valid only once (H58). A temporarily refused write does not count: it is sent again under the
 * same approval.
 */
export function waitForApproval(
  { resource, digests }: Pick<Situation, 'resource' | 'digests'>,
  about: readonly unknown[],
  changes: readonly Change[],
): Plan | undefined {
  if (resource.spec.approval !== 'Manual') return undefined;
  const { metadata, status } = resource;
  const once = [
    metadata.uid ?? '',
    metadata.generation ?? 0,
    lastSentTime(status?.lastPatch) ?? '',
    status?.creation?.time ?? '',
  ];
  // The text begins with the uid; no other text with a visible digest does.
  const hash = digests.hex(JSON.stringify([...once, ...about])).slice(0, 20);
  if (annotation(resource, 'approve') === hash) return undefined;
  const what = changes.length === 0 ? 'a redeploy' : countOf(changes);
  const message = `${what} waiting; approve with annotation dms-operator.dev/approve=${hash}`;
  return { kind: 'wait', reason: 'AwaitingApproval', message, changes, hash };
}

/** A write that may make a revision. */
interface WantedRevision {
  /** The current generation if nothing of it was carried out yet, else undefined. */
  readonly newGeneration: number | undefined;
  readonly nowMs: number;
  readonly changes: readonly Change[];
}

/**
 * Holds back a write that may make a revision if the rolling hour has no room; a new generation allows one more (H10).
 */
export function outOfBudget(
  resource: DeploymentResource,
  { newGeneration, nowMs, changes }: WantedRevision,
): Plan | undefined {
  const budget = resource.status?.budget;
  const perHour = revisionsPerHour(resource);
  if (mayMakeRevision(budget, { perHour, newGeneration, nowMs })) return undefined;
  const againInMs = roomAgainInMs(budget, nowMs);
  const message = `${perHour} writes that may make a revision were sent within the last hour; the next one is possible at ${minuteText(nowMs + againInMs)}`;
  return { kind: 'blocked', reason: 'RevisionBudgetExhausted', message, againInMs, changes };
}
