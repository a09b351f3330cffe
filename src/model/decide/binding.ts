import { type DeploymentResource, type DeploymentStatus, observesOnly } from '../../api/deployment.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { declaredName } from '../desired/desired-deployment.ts';
import type { Observation, ObservedDeployment } from '../external/observation.ts';
import type { Plan } from '../plan/plan.ts';
import type { Present, Situation } from '../plan/situation.ts';
import { NAMESPACE_PLACEHOLDER } from '../../api/connection.ts';

/** Returns why the operator must not write to the found deployment; undefined if it is the pinned one. */
export function bindingProblem(
  resource: DeploymentResource,
  observed: ObservedDeployment,
  settings: ConnectionSettings,
): Plan | undefined {
  const { spec, status } = resource;
  const bound = status?.deploymentID === observed.id;
  const source = observed.source ?? (bound ? status.source : undefined);
  if (source !== undefined && source !== spec.source) {
    const message = `spec.source is ${spec.source}, the service shows ${source.slice(0, 64)}; a source cannot be changed`;
    return { kind: 'blocked', reason: 'SourceMismatch', message };
  }
  const reference = spec.deploymentRef?.id;
  if (reference !== undefined && reference.toLowerCase() !== observed.id.toLowerCase()) {
    const message = `spec.deploymentRef.id is ${reference}, but this resource is bound to ${observed.id}`;
    return { kind: 'blocked', reason: 'ImmutableFieldChanged', message };
  }
  const pinned = status?.binding;
  if (pinned === undefined || !bound) return undefined;
  if (
    pinned.tenantID !== undefined &&
    observed.tenantID !== undefined &&
    pinned.tenantID !== observed.tenantID
  ) {
    const message = `the deployment was bound in tenant ${pinned.tenantID}, but the service now shows tenant ${observed.tenantID}`;
    return { kind: 'blocked', reason: 'TenantChanged', message };
  }
  return connectionProblem(resource, observed, settings) ?? referenceProblem(resource);
}

/**
 * Returns a deployment as shown. If no source is shown, adds the source that was shown before, or else the declared
 * one, which determines whether an image is the service's or ours (H6).
 */
export function withDeclaredSource(
  { spec, status }: DeploymentResource,
  shown: ObservedDeployment,
): ObservedDeployment {
  if (shown.source !== undefined) return shown;
  const before = status?.deploymentID === shown.id ? status.source : undefined;
  return { ...shown, declaredSource: before ?? spec.source };
}

/**
 * Returns a plan if the resource now refers to another deployment than the bound one. A rename at the service is a
 * different case (H21, H24).
 */
export function referenceProblem(resource: DeploymentResource): Plan | undefined {
  const { reference } = resource.status?.binding ?? {};
  const name = declaredName(resource);
  if (reference === undefined || name === undefined || name === reference) return undefined;
  const message = `spec.deploymentRef meant ${reference} when the deployment was bound, and now means ${name}; restore the reference, or replace the resource`;
  return { kind: 'blocked', reason: 'ImmutableFieldChanged', message };
}

/**
 * Returns a plan if the connection does not allow the name to be bound or created, or undefined. The name is that of
 * the found deployment, or else the declared one, so the answer does not reveal whether other people have such a
 * deployment.
 */
export function nameProblem({ resource, observation, settings }: Situation): Plan | undefined {
  const name = nameInQuestion(resource, observation);
  const namespace = resource.metadata.namespace ?? '';
  if (name === undefined || isAllowedName(name, settings.allowedNames, namespace)) return undefined;
  const { kind, name: connection } = settings.name;
  const patterns = settings.allowedNames?.slice(0, 5).join(', ') || 'nothing';
  const called = name === declaredName(resource) ? name : 'a deployment of another name';
  const message = `${called} may not be bound through ${kind} ${connection}, which allows namespace ${namespace} ${patterns}`;
  return { kind: 'blocked', reason: 'NameNotAllowed', message };
}

function nameInQuestion(resource: DeploymentResource, observation: Observation): string | undefined {
  if (observation.kind === 'present') return observation.deployment.name;
  // A missing deployment may be released, whatever its name was.
  return resource.metadata.deletionTimestamp === undefined ? declaredName(resource) : undefined;
}

/**
 * Returns why the connection does not match the pins. A moved address is accepted if the pinned id is found with the
 * pinned tenant; another connection is not (H27).
 */
export function connectionProblem(
  resource: DeploymentResource,
  observed: ObservedDeployment | undefined,
  settings: ConnectionSettings,
): Plan | undefined {
  const pinned = resource.status?.binding;
  if (pinned === undefined) return undefined;
  const moved = pinned.endpoint !== settings.baseURL;
  if (moved && (pinned.tenantID === undefined || pinned.tenantID !== observed?.tenantID)) {
    const message = `the deployment was bound at ${pinned.endpoint}, but the connection now points to ${settings.baseURL}, and nothing proves that it is the same service`;
    return { kind: 'blocked', reason: 'ConnectionChanged', message };
  }
  const { name } = settings;
  const other = pinned.connectionKind !== name.kind || pinned.connectionName !== name.name;
  if (other && resource.spec.connectionRef === undefined) {
    const message = `the deployment was bound through ${pinned.connectionKind} ${pinned.connectionName}; to use ${name.kind} ${name.name}, write it into spec.connectionRef`;
    return { kind: 'blocked', reason: 'ConnectionChanged', message };
  }
  return undefined;
}

/**
 * True if a deployment of this name may be bound: one pattern, with `*` for any text, matches the whole name. Absent
 * patterns allow every name, an empty list none.
 */
export function isAllowedName(
  name: string,
  patterns: readonly string[] | undefined,
  namespace: string,
): boolean {
  if (patterns === undefined) return true;
  return patterns.some((pattern) =>
    matchesPattern(name, pattern.replaceAll(NAMESPACE_PLACEHOLDER, namespace)),
  );
}

/**
 * True if a pattern, with `*` for any text, matches a whole name. Walks over the name once, whatever the pattern: a
 * regular expression with many stars could run for an extremely long time.
 */
export function matchesPattern(name: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return name === head;
  if (!name.startsWith(head) || !name.endsWith(tail)) return false;
  let position = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, position);
    if (found === -1) return false;
    position = found + part.length;
  }
  return position <= name.length - tail.length;
}

/**
 * Returns a plan if another resource owns the deployment. The resource that bound a deployment first owns it; no other
 * resource writes to it or deletes it (H25). A resource that only observes neither owns a deployment nor is blocked by
 * an owner.
 */
export function ownedByAnother({ resource, observed, settings, rivals }: Present): Plan | undefined {
  if (observesOnly(resource)) return undefined;
  const owner = rivals.find(
    (rival) =>
      !observesOnly(rival) &&
      rival.status?.deploymentID === observed.id &&
      isBoundHere(rival.status.binding, observed, settings) &&
      came(rival, observed.id) < came(resource, observed.id),
  );
  if (owner === undefined) return undefined;
  const name = nameFor(resource, owner);
  if (resource.metadata.deletionTimestamp !== undefined) {
    return { kind: 'release', message: `the deployment belongs to ${name} and stays` };
  }
  const message = `deployment ${observed.id} is bound by ${name}, which bound it first`;
  return { kind: 'blocked', reason: 'OwnershipConflict', message };
}

/**
 * Returns the name of another resource, if it is in the same namespace: a tenant must not learn the names of another
 * tenant.
 */
export function nameFor({ metadata }: DeploymentResource, owner: DeploymentResource): string {
  const { namespace = '', name } = owner.metadata;
  return namespace === (metadata.namespace ?? '')
    ? `${namespace}/${name}`
    : 'a resource of another namespace';
}

/**
 * True if the pins are those of exactly this deployment. Their address may be an earlier one of the service, since an
 * owner stays the owner until it follows to the new address. Two deployments with the same id are distinct only if
 * their tenants are known and different.
 */
function isBoundHere(
  binding: DeploymentStatus['binding'],
  { tenantID }: ObservedDeployment,
  { baseURL }: ConnectionSettings,
): boolean {
  if (binding === undefined || binding.endpoint === baseURL) return binding !== undefined;
  return binding.tenantID === undefined || tenantID === undefined || binding.tenantID === tenantID;
}

/** Returns a sort key: the time of the binding, then the creation of the resource, then the uid. */
function came({ status, metadata }: DeploymentResource, id: string): string {
  const bound = status?.deploymentID === id ? status.binding?.time : undefined;
  return [bound ?? '9999', metadata.creationTimestamp ?? '9999', metadata.uid ?? ''].join(' ');
}
