import type { SyncedReason } from '../../api/condition.ts';
import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import { type ConnectionName, connectionText } from '../../model/connection/connection.ts';
import { declaredName } from '../../model/desired/desired-deployment.ts';
import type { Expected } from '../../model/external/doubt.ts';
import { connectionReferences, deploymentIDs } from '../../model/connection/data-references.ts';
import { ResourceIndex } from '../../model/desired/resource-index.ts';

/** Look-ups over the deployment resources of this process. */
export interface Fleet {
  /** Returns a resource from memory. */
  get(key: Key): DeploymentResource | undefined;
  /** Returns the resources that are bound to a deployment of the service. */
  boundTo(deploymentID: string): readonly DeploymentResource[];
  /** Returns the resources that look for a deployment by this name, or are bound to one by it. */
  named(name: string): readonly DeploymentResource[];
  /** Returns the resources that use a connection, or would use it if it existed. */
  usersOf(connection: Key): readonly DeploymentResource[];
}

/** Returns a fleet whose resources never change. */
export function fixedFleet(resources: readonly DeploymentResource[]): Fleet {
  const byText = new Map(resources.map((resource) => [keyText(keyOf(resource)), resource]));
  const index = new ResourceIndex();
  for (const [text, resource] of byText) index.put(text, resource);
  return fleetBy(index, (text) => byText.get(text));
}

/** Returns a fleet over an index; `get` returns a resource by the text of its key. */
export function fleetBy(index: ResourceIndex, get: (text: string) => DeploymentResource | undefined): Fleet {
  const all = (texts: readonly string[]): readonly DeploymentResource[] =>
    texts.map(get).filter((resource) => resource !== undefined);
  return {
    get: (key) => get(keyText(key)),
    boundTo: (id) => all(index.boundTo(id)),
    named: (name) => all(index.named(name)),
    usersOf: (connection) => all(index.usersOf(keyText(connection))),
  };
}

/** Returns which of the existing connections a resource uses. */
export type NameFor = (resource: DeploymentResource) => ConnectionName | undefined;

/**
 * Returns the resources that use exactly this connection, without those that would use it only if another connection
 * did not exist.
 */
export function servedBy(
  fleet: Fleet,
  connection: ConnectionName,
  nameFor: NameFor,
): readonly DeploymentResource[] {
  const text = connectionText(connection);
  return fleet.usersOf(connection).filter((resource) => {
    const used = nameFor(resource);
    return used !== undefined && connectionText(used) === text;
  });
}

/** Returns the number of resources that use exactly this connection and are bound to a deployment. */
export function boundBy(fleet: Fleet, connection: ConnectionName, nameFor: NameFor): number {
  return servedBy(fleet, connection, nameFor).filter(({ status }) => status?.deploymentID !== undefined)
    .length;
}

/**
 * Returns the deployments that the service should show through a connection: those of resources that use it and are
 * bound through it (R9). A resource that now names this connection but is bound through another one does not count,
 * since it must not cast doubt on others. A resource that is being deleted does not count either, unless the service
 * does not know its deployment at all.
 */
export function expectedAt(fleet: Fleet, connection: ConnectionName, nameFor: NameFor): readonly Expected[] {
  return servedBy(fleet, connection, nameFor)
    .filter(({ status }) => isBoundThrough(connection, status) && !isBeingRemoved(status?.pendingWrite))
    .flatMap(({ status }) => pinnedIn(status));
}

/**
 * Returns the ids and names of deployments that resources of a connection are bound to or look for, whether the
 * connection exists or not. Ids are in lower case.
 */
export function wantedAt(
  fleet: Fleet,
  connection: ConnectionName,
): { readonly ids: ReadonlySet<string>; readonly names: ReadonlySet<string> } {
  const users = fleet.usersOf(connection);
  const names = users.map(declaredName).filter((name) => name !== undefined);
  return {
    ids: new Set(users.flatMap((user) => deploymentIDs(user).map((id) => id.toLowerCase()))),
    names: new Set(names),
  };
}

function pinnedIn({ deploymentID, binding }: DeploymentStatus = {}): readonly Expected[] {
  if (deploymentID === undefined) return [];
  return [{ id: deploymentID, tenantID: binding?.tenantID, endpoint: binding?.endpoint }];
}

/** Reasons for holding something back because of known or unknown behaviour of the service. */
const HELD_FOR_LESSONS: ReadonlySet<string> = new Set<SyncedReason>([
  'SecretVisibilityUnproven',
  'UnmanagedSecretsPresent',
  'SemanticsMismatch',
]);

/** True for a resource that may continue after a new lesson about the service (R3). */
export function waitsForLessons(resource: DeploymentResource): boolean {
  return HELD_FOR_LESSONS.has(syncedReason(resource) ?? '');
}

/** True for a resource that may continue once every item of the list can be read. */
export function waitsForList(resource: DeploymentResource): boolean {
  return syncedReason(resource) === 'NotVisibleYet';
}

function syncedReason({ status }: DeploymentResource): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Synced')?.reason;
}

function isBoundThrough({ kind, name }: ConnectionName, status: DeploymentStatus | undefined): boolean {
  const { binding } = status ?? {};
  return binding === undefined || (binding.connectionKind === kind && binding.connectionName === name);
}

function isBeingRemoved(pending: DeploymentStatus['pendingWrite']): boolean {
  return pending?.operation === 'Delete' && pending.accepted !== false;
}

/**
 * Returns the other resources that look for a deployment by the name that `resource` declares, or are bound to one by it,
 * at the same address. Includes resources whose address is not known yet.
 */
export function creatorsOf(
  fleet: Fleet,
  resource: DeploymentResource,
  addressFor: (resource: DeploymentResource) => string | undefined,
): readonly DeploymentResource[] {
  const [name, address] = [declaredName(resource), addressFor(resource)];
  if (name === undefined) return [];
  return fleet
    .named(name)
    .filter((other) => keyText(keyOf(other)) !== keyText(keyOf(resource)))
    .filter((other) => [undefined, address].includes(addressFor(other)));
}

/** A change at the service: the ids and names of deployments that it shows differently than before. */
export interface ServiceChange {
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

/**
 * Returns the keys to reconcile after a change at the service: those bound to a changed id, and those that look for a
 * changed name.
 */
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
