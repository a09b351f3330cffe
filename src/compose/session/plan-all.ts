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

/** Findings beside the plan itself. */
export interface PlanningOptions {
  /** The requests that would be sent. */
  readonly requests: boolean;
  /** The writes, to be kept in a file. */
  readonly reviews?: boolean;
}

/**
 * Plans every resource of a session in order, by the same decision as a controller. An unknown value is part
 * of the plan. Throws the reason of `signal` once that aborts.
 */
export async function planAll(
  session: Session,
  how: PlanningOptions,
  signal: AbortSignal,
): Promise<readonly PlannedResource[]> {
  await reachServices(session, signal);
  const planned: PlannedResource[] = [];
  // One after the other: of two that mean the same deployment the second one always gets the message.
  for (const resource of session.deployments) {
    planned.push(await planOne(session, resource, how, signal));
    signal.throwIfAborted();
  }
  return planned;
}

/** Reads services side by side, so that one that does not answer delays no other. */
async function reachServices(session: Session, signal: AbortSignal): Promise<void> {
  const asking = session.deployments.filter((resource) => planBeforeConnecting(resource) === undefined);
  await Promise.allSettled(asking.map((resource) => session.serviceFor(resource, signal)));
  signal.throwIfAborted();
}

/** The plan of one resource of a session; what cannot be found out is part of the answer. */
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

/** A value that is not sent without proof is in no body either. */
function withoutSecrets(plan: Plan): Plan {
  if (plan.kind !== 'patch') return plan;
  const { secrets: _, ...body } = plan.body;
  return { ...plan, body };
}
