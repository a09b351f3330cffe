import { defined } from '../../base/defined.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { Digests } from '../recorded/digests.ts';
import type { DesiredDeployment } from '../desired/desired.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { type CreateBody, patchBody } from '../external/patch-body.ts';
import { declaredList } from '../patch/secret-list.ts';
import type { FoundRepository, ObservedRepository } from '../external/inventory.ts';

/** The body of a creation: everything managed, on top of nothing; secrets are always a list (N51). */
export function createBody(
  resource: DeploymentResource,
  desired: DesiredDeployment,
  repository?: FoundRepository,
): CreateBody {
  const name = resource.spec.deploymentRef?.name ?? resource.metadata.name;
  const paths = new Set([...desired.fields.map(({ field }) => field.path), SECRETS_PATH]);
  const all = patchBody(
    desired,
    { id: '', name },
    { paths, withheld: new Set(), reported: new Set(), secrets: declaredList(desired), redeploy: true },
  );
  const found = typeof repository === 'object' ? repository : undefined;
  return {
    ...withoutDirective(all),
    sourceConfig: { ...all.sourceConfig, fields: { ...placeOf(found), ...all.sourceConfig?.fields } },
    sourceRevisionConfig: {
      ...defined({ repoRef: found?.defaultBranch }),
      ...all.sourceRevisionConfig,
    },
    name,
    source: desired.source,
    extra: (resource.spec.creation?.extra ?? {}) as Readonly<Record<string, Json>> satisfies JsonObject,
  };
}

/** A repository fills what the spec leaves open, in the creation alone (2.2): a later default branch changes nothing. */
function placeOf(repository: ObservedRepository | undefined): JsonObject {
  return repository === undefined ? {} : { integrationID: repository.integrationID, repoURL: repository.url };
}

/** The digest that stands for a creation: a resource has one, whatever its body. */
export function createPart(digests: Digests): string {
  return digests.part('Create');
}

/** `revision_source` overrides the source of one revision (4.4); a creation has nothing to override. */
function withoutDirective<T extends { readonly revisionSource?: string }>(
  body: T,
): Omit<T, 'revisionSource'> {
  const { revisionSource: _, ...rest } = body;
  return rest;
}
