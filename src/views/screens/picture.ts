import { CLUSTER_CONNECTION_KIND, type ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import { connectionReferences } from '../../model/connection/data-references.ts';
import { type FleetRow, rowOf } from './fleet-row.ts';
import { TONES } from './tone.ts';

/** A resource, and its row. */
export interface Pictured {
  readonly resource: DeploymentResource;
  readonly row: FleetRow;
}

/** All data of the screens, at one moment. */
export interface Picture {
  /** The worst first. */
  readonly fleet: readonly Pictured[];
  readonly connections: readonly ConnectionResource[];
}

/** Rows that were made before, by resource; none is made again while resource and connection stay as they are. */
export type KnownRows = WeakMap<
  DeploymentResource,
  { readonly connection: ConnectionResource | undefined; readonly row: FleetRow }
>;

/** Puts resources and connections together. Resources are frozen: what changes is another object. */
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

/** The one that a resource is bound to or, before that, the first that it would take. */
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

/** The keys under which its connection may be found, in the order of precedence. */
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
