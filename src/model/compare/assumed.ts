import { annotation, type DeploymentResource } from '../../api/deployment.ts';
import type { Applied } from '../recorded/baseline.ts';
import type { Judgement } from './judge-fields.ts';
import { isOpaque, withEvidence } from './evidence.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import type { SecretsJudgement } from './judge-secrets.ts';

/**
 * Returns the applied state with all values that cannot be compared counted as applied, without a write. A new text in
 * the annotation assume-applied asks for this once, after a move to another cluster or for a restored object.
 */
export function assumed(
  resource: DeploymentResource,
  observed: ObservedDeployment,
  applied: Applied,
  { judgements, secrets }: { readonly judgements: readonly Judgement[]; readonly secrets: SecretsJudgement },
): Applied {
  const text = annotation(resource, 'assumeApplied');
  if (text === undefined || text === resource.status?.lastHandledAssumeApplied) return applied;
  const opaque = judgements
    .filter((judgement) => isOpaque(judgement, observed))
    .map((j) => j.desired.field.path);
  const paths = secrets.verdict === 'unmanaged' ? opaque : [...opaque, SECRETS_PATH];
  return withEvidence(applied, { kind: 'proven', paths }, judgements, secrets);
}
