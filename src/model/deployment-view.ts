import { carriesCredential } from '../api/credential.ts';
import { isEmpty } from './canonical.ts';
import { type Field, FIELDS } from './fields.ts';
import type { Json, JsonObject } from './json.ts';
import type { ObservedDeployment } from './observation.ts';
import { shownOf } from './shown.ts';

/** Stands for what must not be repeated. */
const REDACTED = '[redacted]';

/**
 * A deployment as the service shows it, in the words of the custom resource: without what is empty, secrets by their
 * names, and nothing that looks like a credential.
 */
export function deploymentView(observed: ObservedDeployment): JsonObject {
  const { id, name, source, serviceStatus, tenantID, createdTime, updatedTime } = observed;
  const { imageVersion, latestRevisionID, activeRevisionID, secrets = [] } = observed;
  const block = (of: Field['block']): JsonObject =>
    Object.fromEntries(
      FIELDS.filter((field) => field.block === of && !isEmpty(shownOf(field, observed))).map((field) => [
        field.name,
        shownSafely(shownOf(field, observed) as Json),
      ]),
    );
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

function shownSafely(value: Json): Json {
  return carriesCredential(value) ? REDACTED : value;
}

function present(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, Json] => !isEmpty(entry[1])),
  );
}
