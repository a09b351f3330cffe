import type { DeploymentResource } from '../../api/deployment.ts';
import { carriedOver } from '../../model/recorded/carried-over.ts';
import { withoutFutureTimes } from '../../model/recorded/without-future-times.ts';
import { planBeforeConnecting, planBeforeLooking } from '../../model/decide/make-plan.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { ExternalClient } from '../../ports/service/external-client.ts';
import { decide, type Decision } from './decide.ts';
import type { DecideParts, Remembered } from './gather.ts';

/** The message for a resource behind a suspended connection. */
export const SUSPENDED = 'the connection is suspended (spec.suspend): the service is not called';

/** The parts of `judge`. */
export interface JudgeParts extends DecideParts {
  /** Returns the service of a resource. Throws a FailureError of kind waiting if there is no usable one. */
  readonly serviceFor: (resource: DeploymentResource, signal: AbortSignal) => Promise<ExternalClient>;
  /** Returns what this process remembers of a resource; called once its service is known. */
  readonly remembered: (resource: DeploymentResource) => Remembered;
}

/** A plan that needs no look at the service. */
export type EarlyPlan = Extract<Plan, { readonly kind: 'held' | 'blocked' | 'release' }>;

/** A plan, and the decision that it belongs to if it needed a look at the service. */
export type Judged =
  | { readonly plan: EarlyPlan; readonly decision?: undefined }
  | { readonly plan: Plan; readonly decision: Decision };

/**
 * Returns the plan of a pass. It checks in turn what needs no connection, what needs its settings, and what needs a
 * look at the service. It only reads.
 */
export async function judge(
  stored: DeploymentResource,
  parts: JudgeParts,
  signal: AbortSignal,
): Promise<Judged> {
  const resource = carriedOver(withoutFutureTimes(stored, parts.clock.now()), parts.digests);
  const early = planBeforeConnecting(resource);
  if (early !== undefined) return { plan: early };
  const service = await parts.serviceFor(resource, signal);
  if (service.settings.suspend) return { plan: { kind: 'held', message: SUSPENDED } };
  const unusable = planBeforeLooking(resource, service.settings);
  if (unusable !== undefined) return { plan: unusable };
  const decision = await decide({ resource, service, remembered: parts.remembered(resource) }, parts, signal);
  return { plan: decision.plan, decision };
}
