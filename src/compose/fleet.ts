import type { DeploymentResource, DeploymentStatus } from '../api/deployment.ts';
import { type Key, keyOf, keyText } from '../api/metadata.ts';
import type { ConnectionName } from '../model/connection.ts';
import { declaredName } from '../model/desired.ts';
import { connectionReferences, deploymentIDs } from '../model/references.ts';

/** The deployment resources of this process, as far as wiring needs to know them. */
export interface Fleet {
  /** The resource, from memory. */
  get(key: Key): DeploymentResource | undefined;
  /** Resources bound to a deployment of the service. */
  boundTo(deploymentID: string): readonly DeploymentResource[];
  /** Resources that look for a deployment by this name. */
  named(name: string): readonly DeploymentResource[];
  /** Resources that use a connection, or would if it existed. */
  usersOf(connection: Key): readonly DeploymentResource[];
}

/** A fleet of so few resources that they can be gone through. */
export function smallFleet(list: () => readonly DeploymentResource[]): Fleet {
  const where = (test: (resource: DeploymentResource) => boolean): readonly DeploymentResource[] =>
    list().filter(test);
  return {
    get: ({ namespace, name }) =>
      list().find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace),
    boundTo: (id) => where((resource) => deploymentIDs(resource).includes(id)),
    named: (name) => where((resource) => declaredName(resource) === name),
    usersOf: (connection) => where((resource) => mayUse(resource, connection)),
  };
}

/**
 * The ids that resources of a connection are bound to, which the service should therefore show. What was asked to be
 * deleted is expected to be missing, unless the service does not know it at all.
 */
export function idsExpectedAt(fleet: Fleet, connection: ConnectionName): readonly string[] {
  return fleet
    .usersOf(connection)
    .filter(({ status }) => !isBeingRemoved(status?.pendingWrite))
    .flatMap(({ status }) => status?.deploymentID ?? []);
}

function isBeingRemoved(pending: DeploymentStatus['pendingWrite']): boolean {
  return pending?.operation === 'Delete' && pending.accepted !== false;
}

/** A change at the service: ids and names of deployments that are shown otherwise than before. */
export interface ServiceChange {
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

/** The keys to look at after a change at the service: bound to an id, or still looking for a name. */
export function keysTouchedBy(
  fleet: Fleet,
  connection: ConnectionName,
  change: ServiceChange,
): readonly Key[] {
  const touched = new Map<string, Key>();
  const candidates = [
    ...change.ids.flatMap((id) => fleet.boundTo(id)),
    ...change.names.flatMap((name) => fleet.named(name)),
  ];
  for (const resource of candidates) {
    if (mayUse(resource, connection)) touched.set(keyText(keyOf(resource)), keyOf(resource));
  }
  return [...touched.values()];
}

function mayUse(resource: DeploymentResource, { kind, namespace, name }: Key): boolean {
  return connectionReferences(resource).some(
    (reference) => reference.kind === kind && reference.namespace === namespace && reference.name === name,
  );
}
