import type { DeploymentResource } from '../../api/deployment.ts';
import { stableText } from '../../model/desired/canonical.ts';
import type { Json } from '../../base/json.ts';

/**
 * The resource as it would be in a cluster once its manifest was applied there: the spec of the manifest, and
 * everything else as it is. Annotations that others set, such as a pause, stay; a deletion that has begun goes on.
 */
export function asApplied(
  declared: DeploymentResource,
  stored: DeploymentResource | undefined,
): DeploymentResource {
  if (stored === undefined) return { ...declared, metadata: { ...declared.metadata, generation: 1 } };
  const { metadata, status } = stored;
  const moved = stableText(declared.spec as Json) !== stableText(stored.spec as Json);
  return {
    ...declared,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, ...declared.metadata.annotations },
      generation: (metadata.generation ?? 0) + (moved ? 1 : 0),
    },
    ...(status === undefined ? {} : { status }),
  };
}
