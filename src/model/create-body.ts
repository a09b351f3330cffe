import type { DeploymentResource } from '../api/deployment.ts';
import type { DesiredDeployment } from './desired.ts';
import { SECRETS_PATH } from './fields.ts';
import type { Json, JsonObject } from './json.ts';
import { type CreateBody, patchBody } from './patch-body.ts';

/** The body of a creation: everything managed, on top of nothing; secrets are always a list (N51). */
export function createBody(resource: DeploymentResource, desired: DesiredDeployment): CreateBody {
  const name = resource.spec.deploymentRef?.name ?? resource.metadata.name;
  const paths = new Set([...desired.fields.map(({ field }) => field.path), SECRETS_PATH]);
  const all = patchBody(desired, { id: '', name }, { paths, withheld: new Set(), redeploy: true });
  return {
    sourceConfig: { fields: {} },
    sourceRevisionConfig: {},
    ...withoutDirective(all),
    name,
    source: desired.source,
    extra: (resource.spec.creation?.extra ?? {}) as Readonly<Record<string, Json>> satisfies JsonObject,
  };
}

/** `revision_source` overrides the source of one revision (4.4); a creation has nothing to override. */
function withoutDirective<T extends { readonly revisionSource?: string }>(
  body: T,
): Omit<T, 'revisionSource'> {
  const { revisionSource: _, ...rest } = body;
  return rest;
}
