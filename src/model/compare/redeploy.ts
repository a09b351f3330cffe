import { annotation, type DeploymentResource, observesOnly } from '../../api/deployment.ts';
import type { Assessment } from './assess.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { shownAgain } from '../external/patch-body.ts';

/** The number of requests for one redeploy. If two reads do not prove the first request, it is repeated once. */
const REDEPLOYS = 2;

/**
 * True if the annotation asks for a new redeploy. A text that exists at first sight, without a status, is recorded and
 * causes nothing (H57).
 */
function isRedeployAsked(resource: DeploymentResource, assessment: Assessment): boolean {
  const asked = annotation(resource, 'redeploy');
  const { applied, lastHandledRedeploy } = resource.status ?? {};
  if (asked === undefined || applied === undefined) return false;
  return asked !== lastHandledRedeploy || isRedeployRepeated(resource, assessment);
}

/** True if this look disproves the request for the redeploy, which is repeated once. Only this pass asks for it. */
export function isRedeployRepeated(resource: DeploymentResource, { evidence }: Assessment): boolean {
  const { pendingWrite } = resource.status ?? {};
  if (evidence.kind !== 'disproven' || pendingWrite?.redeploy === undefined) return false;
  return pendingWrite.redeploy === annotation(resource, 'redeploy') && pendingWrite.attempt < REDEPLOYS;
}

/** The revision block as the service shows it, and the managed paths that no request could carry. */
interface ShownBlock {
  readonly observed: ObservedDeployment;
  readonly unsendable: readonly string[];
}

/** True if the annotation asks for a redeploy, and there is a revision block that can be sent again. */
export function isRedeployDue(
  resource: DeploymentResource,
  assessment: Assessment,
  shown: ShownBlock,
): boolean {
  return isRedeployAsked(resource, assessment) && hasRevisionBlock(assessment, shown);
}

/**
 * True if the annotation asks for a redeploy and there is nothing to send. It then counts as handled, since it would
 * otherwise happen unexpectedly later.
 */
export function isRedeployIdle(
  resource: DeploymentResource,
  assessment: Assessment,
  shown: ShownBlock,
): boolean {
  if (observesOnly(resource) || resource.metadata.deletionTimestamp !== undefined) return false;
  return isRedeployAsked(resource, assessment) && !hasRevisionBlock(assessment, shown);
}

function hasRevisionBlock({ judgements }: Assessment, { observed, unsendable }: ShownBlock): boolean {
  const managed = judgements.some(
    ({ desired: { field, cleared } }) =>
      field.block === 'sourceRevisionConfig' && !cleared && !unsendable.includes(field.path),
  );
  return managed || Object.keys(shownAgain(observed)).length > 0;
}
