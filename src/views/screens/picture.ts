import { CLUSTER_CONNECTION_KIND, type ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import { connectionReferences } from '../../model/connection/data-references.ts';
import { type FleetRow, rowOf } from './fleet-row.ts';
import { TONES } from './tone.ts';

/** A resource and its row. */
export interface Pictured {
  readonly resource: DeploymentResource;
  readonly row: FleetRow;
}

/** All data of the screens at one moment. */
export interface Picture {
  /** All resources, the worst first. */
  readonly fleet: readonly Pictured[];
  readonly connections: readonly ConnectionResource[];
}

/** The rows made before, by resource. A row is reused while its resource and its connection stay the same. */
export type KnownRows = WeakMap<
  DeploymentResource,
  { readonly connection: ConnectionResource | undefined; readonly row: FleetRow }
>;

/** Combines resources and connections. Resources are frozen, so a changed resource is a new object. */
export function pictureOf(
  deployments: readonly DeploymentResource[],
  connections: readonly ConnectionResource[],
  known: KnownRows = new WeakMap(),
): Picture {
  const byKey = new Map(connections.map((connection) => [keyText(keyOf(connection)), connection]));
  const fleet = deployments.map((resource): Pictured => {
    const connection = connectionOf(resource, byKey);
    const before = known.get(resource);
    if (before !== undefined && before.connection === connection) return { resource, row: before.row };
    const row = rowOf(resource, connection);
    known.set(resource, { connection, row });
    return { resource, row };
  });
  return { fleet: fleet.toSorted(worstFirst), connections };
}

/** Returns the connection that a resource is bound to or, before it is bound, the first one that it would use. */
function connectionOf(
  resource: DeploymentResource,
  byKey: ReadonlyMap<string, ConnectionResource>,
): ConnectionResource | undefined {
  for (const key of connectionKeys(resource)) {
    const found = byKey.get(keyText(key));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the possible keys of a resource's connection, in the order of precedence. */
export function connectionKeys(resource: DeploymentResource): readonly Key[] {
  const { binding } = resource.status ?? {};
  if (binding === undefined) return connectionReferences(resource);
  const { connectionKind: kind, connectionName: name, connectionNamespace } = binding;
  const beside = connectionNamespace ?? resource.metadata.namespace ?? '';
  return [{ kind, name, namespace: kind === CLUSTER_CONNECTION_KIND ? '' : beside }];
}

const RANK = new Map(TONES.map((tone, rank) => [tone, rank]));

function worstFirst({ row: a }: Pictured, { row: b }: Pictured): number {
  return (
    (RANK.get(a.tone) ?? 0) - (RANK.get(b.tone) ?? 0) ||
    compareTexts(a.headline, b.headline) ||
    compareTexts(a.namespace, b.namespace) ||
    compareTexts(a.name, b.name)
  );
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
