import type { DeploymentResource } from '../api/deployment.ts';
import type { ConnectionSettings } from './connection.ts';
import type { ObservedDeployment } from './observation.ts';
import type { Plan } from './plan-kinds.ts';

/** Why the deployment that was found must not be written to, or undefined when it is the one that is pinned. */
export function bindingProblem(
  resource: DeploymentResource,
  observed: ObservedDeployment,
  settings: ConnectionSettings,
): Plan | undefined {
  const { spec, status } = resource;
  if (observed.source !== undefined && observed.source !== spec.source) {
    const message = `spec.source is ${spec.source}, the service shows ${observed.source.slice(0, 64)}; a source cannot be changed`;
    return { kind: 'blocked', reason: 'SourceMismatch', message };
  }
  const reference = spec.deploymentRef?.id;
  if (reference !== undefined && reference.toLowerCase() !== observed.id.toLowerCase()) {
    const message = `spec.deploymentRef.id is ${reference}, this resource is bound to ${observed.id}`;
    return { kind: 'blocked', reason: 'ImmutableFieldChanged', message };
  }
  const pinned = status?.binding;
  if (pinned === undefined || status?.deploymentID !== observed.id) return undefined;
  if (
    pinned.tenantID !== undefined &&
    observed.tenantID !== undefined &&
    pinned.tenantID !== observed.tenantID
  ) {
    const message = `bound in tenant ${pinned.tenantID}, the service now shows tenant ${observed.tenantID}`;
    return { kind: 'blocked', reason: 'TenantChanged', message };
  }
  return connectionProblem(resource, observed, settings);
}

/** A moved address is accepted where the pinned id is found with the pinned tenant; another connection is not (H27). */
function connectionProblem(
  resource: DeploymentResource,
  observed: ObservedDeployment,
  settings: ConnectionSettings,
): Plan | undefined {
  const pinned = resource.status?.binding;
  if (pinned === undefined) return undefined;
  const moved = pinned.endpoint !== settings.baseURL;
  if (moved && (pinned.tenantID === undefined || pinned.tenantID !== observed.tenantID)) {
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
