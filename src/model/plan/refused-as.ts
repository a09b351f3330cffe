import type { DeploymentResource } from '../../api/deployment.ts';
import type { Assessment } from '../compare/assess.ts';
import { fieldPart } from '../recorded/baseline.ts';
import type { Digests } from '../recorded/digests.ts';
import type { RefusedAs } from './budget.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import type { Judgement } from '../compare/judge-fields.ts';
import { connectionBasis } from './refusal.ts';

/** The facts behind the refusal of a value. */
interface RefusedFacts {
  readonly resource: DeploymentResource;
  readonly settings: ConnectionSettings;
  readonly assessment: Assessment;
  readonly digests: Digests;
}

/**
 * Returns the digests with which the refusal of a desired value is remembered. A new address or credential of the
 * connection ends the refusal.
 */
export function refusedAs(
  path: string,
  { resource, settings, assessment, digests }: RefusedFacts,
): RefusedAs {
  const { judgements } = assessment;
  const wanted = ({ desired }: Judgement): string => fieldPart(desired, desired.value, digests);
  const judgement = judgements.find(({ desired }) => desired.field.path === path);
  const basis = [judgement === undefined ? '' : wanted(judgement), ...connectionBasis(settings)];
  const company = judgements
    .filter((other) => isCompany(other) && other.desired.field.path !== path)
    .map((other) => [other.desired.field.path, wanted(other)]);
  const digest = (...about: readonly unknown[]): string =>
    digests.bind('refused value', path, digests.part(JSON.stringify(about)));
  return {
    alone: digest('refused alone', ...basis, company),
    together: digest('refused', ...basis, resource.metadata.generation ?? 0),
  };
}

/**
 * True for a field that the service may validate together with a possibly immutable one, such as a branch with its
 * repository (H51).
 */
function isCompany({ desired: { field } }: Judgement): boolean {
  return field.mayBeImmutable || field.block === 'sourceRevisionConfig';
}
