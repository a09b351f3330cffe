import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { DEFAULT_CONNECTION } from '../../model/connection/data-references.ts';
import { type StatusRow, statusRow } from '../resources/status-row.ts';
import { type Headline, headlineOf } from './tone.ts';

/** One resource, as `status -o json` prints it, with what a screen needs beside that. */
export interface FleetRow extends StatusRow, Headline {
  /** Name of the connection that it uses, or would use. */
  readonly connection: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The row of one resource; `connection` is the one that it uses. */
export function rowOf(resource: DeploymentResource, connection: ConnectionResource | undefined): FleetRow {
  const { metadata, spec, status } = resource;
  const row = statusRow(resource);
  return {
    ...row,
    // A hundred of them make a page.
    message: row.message === undefined ? undefined : textForPeople(row.message),
    ...headlineOf(resource, connection),
    connection: status?.binding?.connectionName ?? spec.connectionRef?.name ?? DEFAULT_CONNECTION,
    labels: metadata.labels ?? {},
  };
}
