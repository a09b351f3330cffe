import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { DEFAULT_CONNECTION } from '../../model/connection/data-references.ts';
import { type StatusRow, statusRow } from '../resources/status-row.ts';
import { type Headline, headlineOf } from './tone.ts';

/**
 * One resource as `status -o json` prints it, with further data for a screen. The message is that of the headline.
 */
export interface FleetRow extends StatusRow, Headline {
  /** The name of the connection that it uses, or would use. */
  readonly connection: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the row of one resource; `connection` is the one that it uses. */
export function rowOf(resource: DeploymentResource, connection: ConnectionResource | undefined): FleetRow {
  const { metadata, spec, status } = resource;
  const row = statusRow(resource);
  const headline = headlineOf(resource, connection);
  const told = status?.conditions?.find(({ reason }) => reason === headline.headline)?.message ?? row.message;
  return {
    ...row,
    // A page has a hundred rows, so the message is shortened.
    message: told === undefined ? undefined : textForPeople(told),
    ...headline,
    connection: status?.binding?.connectionName ?? spec.connectionRef?.name ?? DEFAULT_CONNECTION,
    labels: metadata.labels ?? {},
  };
}
