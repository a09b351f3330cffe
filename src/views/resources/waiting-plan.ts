import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';

/** A plan that waits for approval, by its hash. */
export type WaitingPlan = NonNullable<DeploymentStatus['plan']> & { readonly hash: string };

/** Returns the waiting plan, or why none waits; a plan for an older version of the spec does not count. */
export function waitingPlan({
  spec,
  status,
  metadata,
}: DeploymentResource): WaitingPlan | { readonly why: string } {
  if (spec.approval !== 'Manual')
    return { why: 'nothing to approve; plans of a resource without approval: Manual do not wait' };
  const hash = status?.plan?.hash;
  if (status?.plan === undefined || hash === undefined) {
    const synced = status?.conditions?.find(({ type }) => type === 'Synced');
    const reason =
      synced === undefined ? 'the controller has not looked at it yet' : `Synced is ${synced.reason}`;
    return { why: `no plan waits for approval; ${reason}` };
  }
  if ((status.observedGeneration ?? -1) < (metadata.generation ?? 0))
    return { why: 'the plan is older than the last change of the resource; wait for the next one' };
  return { ...status.plan, hash };
}
