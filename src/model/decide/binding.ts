import type { DeploymentResource } from '../../api/deployment.ts';
import { isAllowedName } from './allowed-names.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { declaredName } from '../desired/desired.ts';
import type { Observation, ObservedDeployment } from '../external/observation.ts';
import type { Plan } from '../plan/plan-kinds.ts';
import type { Situation } from '../plan/situation.ts';

/** Why the deployment that was found must not be written to, or undefined when it is the one that is pinned. */
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
    const message = `spec.deploymentRef.id is ${reference}, this resource is bound to ${observed.id}`;
    return { kind: 'blocked', reason: 'ImmutableFieldChanged', message };
  }
  const pinned = status?.binding;
  if (pinned === undefined || !bound) return undefined;
  if (
    pinned.tenantID !== undefined &&
    observed.tenantID !== undefined &&
    pinned.tenantID !== observed.tenantID
  ) {
    const message = `bound in tenant ${pinned.tenantID}, the service now shows tenant ${observed.tenantID}`;
    return { kind: 'blocked', reason: 'TenantChanged', message };
  }
  return connectionProblem(resource, observed, settings) ?? referenceProblem(resource);
}

/**
 * A deployment as it is shown; where no source is shown, with the one that was shown before, or else the one that the
 * resource declares: whether an image is the service's own or ours depends on it (H6).
 */
export function withDeclaredSource(
  { spec, status }: DeploymentResource,
  shown: ObservedDeployment,
): ObservedDeployment {
  if (shown.source !== undefined) return shown;
  const before = status?.deploymentID === shown.id ? status.source : undefined;
  return { ...shown, declaredSource: before ?? spec.source };
}

/** Why a bound deployment is not the one that the resource means by now; a rename at the service is none (H21, H24). */
export function referenceProblem(resource: DeploymentResource): Plan | undefined {
  const { reference } = resource.status?.binding ?? {};
  const name = declaredName(resource);
  if (reference === undefined || name === undefined || name === reference) return undefined;
  const message = `spec.deploymentRef meant ${reference} when this was bound, and now means ${name}; put it back, or replace the resource`;
  return { kind: 'blocked', reason: 'ImmutableFieldChanged', message };
}

/**
 * Why nothing may be bound or made under the name in question, or undefined: it is the name of what was found, else the
 * declared one, so that the answer does not tell whether others have such a deployment.
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
  // A deployment that is gone may be released, whatever its name was.
  return resource.metadata.deletionTimestamp === undefined ? declaredName(resource) : undefined;
}

/** A moved address is accepted where the pinned id is found with the pinned tenant; another connection is not (H27). */
export function connectionProblem(
  resource: DeploymentResource,
  observed: ObservedDeployment | undefined,
  settings: ConnectionSettings,
): Plan | undefined {
  const pinned = resource.status?.binding;
  if (pinned === undefined) return undefined;
  const moved = pinned.endpoint !== settings.baseURL;
  if (moved && (pinned.tenantID === undefined || pinned.tenantID !== observed?.tenantID)) {
    const message = `bound at ${pinned.endpoint}, the connection now points to ${settings.baseURL} and shows no proof that it is the same service`;
    return { kind: 'blocked', reason: 'ConnectionChanged', message };
  }
  const { name } = settings;
  const other = pinned.connectionKind !== name.kind || pinned.connectionName !== name.name;
  if (other && resource.spec.connectionRef === undefined) {
    const message = `bound through ${pinned.connectionKind} ${pinned.connectionName}; to use ${name.kind} ${name.name}, write it into spec.connectionRef`;
    return { kind: 'blocked', reason: 'ConnectionChanged', message };
  }
  return undefined;
}
