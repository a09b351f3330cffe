import type { DeploymentResource } from '../api/deployment.ts';
import type { Assessment } from './assess.ts';
import type { Digests } from './baseline.ts';
import type { RefusedAs } from './budget.ts';
import type { ConnectionSettings } from './connection.ts';
import type { Judgement } from './diff.ts';
import { connectionBasis } from './refusal.ts';

/** What the refusal of a value rests on. */
interface RefusedFacts {
  readonly resource: DeploymentResource;
  readonly settings: ConnectionSettings;
  readonly assessment: Assessment;
  readonly digests: Digests;
}

/** How the refusal of a desired value is remembered; another address or credential of the connection ends either. */
export function refusedAs(
  path: string,
  { resource, settings, assessment, digests }: RefusedFacts,
): RefusedAs {
  const { judgements } = assessment;
  const value = judgements.find(({ desired }) => desired.field.path === path)?.digests.desired ?? '';
  const basis = [value, ...connectionBasis(settings)];
  const company = judgements
    .filter((judgement) => isCompany(judgement) && judgement.desired.field.path !== path)
    .map(({ desired, digests: { desired: wanted } }) => [desired.field.path, wanted]);
  return {
    alone: digests.digest(JSON.stringify(['refused alone', ...basis, company])),
    together: digests.digest(JSON.stringify(['refused', ...basis, resource.metadata.generation ?? 0])),
  };
}

/** What may be validated together with a field that may be immutable: a repository with its branch (H51). */
function isCompany({ desired: { field } }: Judgement): boolean {
  return field.mayBeImmutable || field.block === 'sourceRevisionConfig';
}
