import type { DeploymentResource } from '../../api/deployment.ts';
import { classify } from '../../model/connection/failure.ts';
import { passSecrets } from '../../model/outcome/pass-redaction.ts';
import { planBeforeConnecting } from '../../model/decide/make-plan.ts';
import { SECRETS_PATH } from '../../model/desired/fields.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { failedView, planView } from '../../views/plans/plan-view.ts';
import type { PlannedResource, PlanView, RequestPreview } from '../../views/plans/planned-resource.ts';
import { judge, type Judged, type JudgeParts } from '../../reconcile/deployment/judge.ts';
import { previewOf } from '../../service/list/preview-of.ts';
import { reviewedWrite } from '../../views/plans/saved-plan.ts';
import type { Session } from './session.ts';

/** The additional contents of a plan. */
export interface PlanningOptions {
  /** True to include the requests that would be sent. */
  readonly requests: boolean;
  /** True to include the writes, for a file. */
  readonly reviews?: boolean;
}

/**
 * Plans every resource of a session in order, with the same decision as a controller. If something is unknown, the plan
 * says so. Throws the reason of `signal` after it aborts.
 */
export async function planAll(
  session: Session,
  how: PlanningOptions,
  signal: AbortSignal,
): Promise<readonly PlannedResource[]> {
  await reachServices(session, signal);
  const planned: PlannedResource[] = [];
  // In sequence: if two resources name the same deployment, always the second one gets the message.
  for (const resource of session.deployments) {
    planned.push(await planOne(session, resource, how, signal));
    signal.throwIfAborted();
  }
  return planned;
}

/** Reads services in parallel, so that a service that does not answer delays no other. */
async function reachServices(session: Session, signal: AbortSignal): Promise<void> {
  const asking = session.deployments.filter((resource) => planBeforeConnecting(resource) === undefined);
  await Promise.allSettled(asking.map((resource) => session.serviceFor(resource, signal)));
  signal.throwIfAborted();
}

/** Returns the plan of one resource of a session; if something is unknown, the plan says so. */
export async function planOne(
  session: Session,
  resource: DeploymentResource,
  { requests, reviews }: PlanningOptions,
  signal: AbortSignal,
): Promise<PlannedResource> {
  const { namespace = '', name } = resource.metadata;
  const place = { kind: resource.kind, namespace, name };
  try {
    const judged = await judge(resource, judgingIn(session), signal);
    const view = planView(judged.plan, judged.decision, session.memory);
    const request = requests && view.sends ? requestOf(judged, view) : undefined;
    const { plan, decision } = judged;
    const reviewed =
      reviews === true && decision !== undefined
        ? reviewedWrite(place, { plan, situation: decision.situation }, session.deciding.digests)
        : undefined;
    return { ...place, deploymentID: deploymentIDOf(resource, judged), ...view, request, reviewed };
  } catch (error) {
    signal.throwIfAborted();
    const failure = classify(error);
    if (failure.kind === 'bug') throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { ...place, ...failedView(message, failure.reason) };
  }
}

function judgingIn(session: Session): JudgeParts {
  return {
    ...session.deciding,
    serviceFor: (resource, signal) => session.serviceFor(resource, signal),
    remembered: () => ({}),
  };
}

function deploymentIDOf({ status }: DeploymentResource, { decision }: Judged): string | undefined {
  const seen = decision?.situation.observation;
  return seen?.kind === 'present' ? seen.deployment.id : status?.deploymentID;
}

function requestOf({ plan, decision }: Judged, { unknown }: PlanView): RequestPreview | undefined {
  const known = decision === undefined ? [] : passSecrets(decision.secrets, decision.service.settings);
  const guesses = unknown.some(({ path }) => path === SECRETS_PATH);
  return previewOf(guesses ? withoutSecrets(plan) : plan, known);
}

/** Removes secrets from the body of a plan, since a secret that needs a proof is not sent without it. */
function withoutSecrets(plan: Plan): Plan {
  if (plan.kind !== 'patch') return plan;
  const { secrets: _, ...body } = plan.body;
  return { ...plan, body };
}
