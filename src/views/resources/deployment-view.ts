import { isEmpty } from '../../model/desired/canonical-text.ts';
import { type Field, FIELDS } from '../../model/desired/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import { withoutSensitive } from '../../model/redaction/sensitive.ts';
import { shownOf } from '../../model/external/shown.ts';

/**
 * Returns a deployment as the service shows it, with the field names of the custom resource: without empty values,
 * with the names of secrets, and without anything else that may be secret.
 */
export function deploymentView(observed: ObservedDeployment): JsonObject {
  const { id, name, source, serviceStatus, tenantID, createdTime, updatedTime } = observed;
  const { imageVersion, latestRevisionID, activeRevisionID, secrets = [] } = observed;
  const block = (of: Field['block']): JsonObject => {
    const fields = FIELDS.filter((field) => field.block === of && !isEmpty(shownOf(field, observed)));
    const shown = fields.map((field) => [field.name, shownOf(field, observed) as Json]);
    return withoutSensitive(Object.fromEntries(shown) as JsonObject) as JsonObject;
  };
  const repoCommitSHA = observed.sourceRevisionConfig?.repoCommitSHA;
  return present({
    ...{ id, name, source, status: serviceStatus, tenantID, imageVersion },
    ...{ latestRevisionID, activeRevisionID, createdTime, updatedTime },
    sourceConfig: { ...block('sourceConfig'), ...present({ resourceSpec: block('resourceSpec') }) },
    sourceRevisionConfig: { ...block('sourceRevisionConfig'), ...present({ repoCommitSHA }) },
    secretNames: secrets.map((secret) => secret.name),
    ...block('secretReferences'),
  });
}

function present(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, Json] => !isEmpty(entry[1])),
  );
}
