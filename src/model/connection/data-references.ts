import { CLUSTER_CONNECTION_KIND, CONNECTION_KIND, type ConnectionResource } from '../../api/connection.ts';
import { DEPLOYMENT_KIND, type DeploymentResource } from '../../api/deployment.ts';
import type { Key } from '../../api/metadata.ts';

/**
 * The name of the connection for a deployment without `connectionRef`: a Connection in its namespace, else a
 * ClusterConnection.
 */
export const DEFAULT_CONNECTION = 'default';

/** A Secret or ConfigMap that a resource takes values from, in its own namespace. */
export interface DataReference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
}

/** Returns the Secrets and ConfigMaps from which a resource takes values; may contain duplicates. */
export function dataReferences(resource: DeploymentResource | ConnectionResource): readonly DataReference[] {
  return resource.kind === DEPLOYMENT_KIND ? ofDeployment(resource) : ofConnection(resource);
}

/**
 * Returns the connections that a deployment resource uses, or would use if they existed, in the order of precedence.
 */
export function connectionReferences({ metadata, spec }: DeploymentResource): readonly Key[] {
  const namespace = metadata.namespace ?? '';
  const { kind, name = DEFAULT_CONNECTION } = spec.connectionRef ?? {};
  const beside = { kind: CONNECTION_KIND, namespace, name };
  const ofCluster = { kind: CLUSTER_CONNECTION_KIND, namespace: '', name };
  if (kind === CLUSTER_CONNECTION_KIND) return [ofCluster];
  return spec.connectionRef === undefined ? [beside, ofCluster] : [beside];
}

/** Returns the ids of deployments to which a resource is bound or refers; usually one. */
export function deploymentIDs({ spec, status }: DeploymentResource): readonly string[] {
  return [...new Set([status?.deploymentID, spec.deploymentRef?.id].filter((id) => id !== undefined))];
}

/**
 * Returns the references of a deployment. It is called for every change of every deployment resource, so it makes no
 * list except its result.
 */
function ofDeployment({ spec }: DeploymentResource): readonly DataReference[] {
  const found: DataReference[] = [];
  for (const { valueFrom } of spec.secrets ?? []) {
    if (valueFrom?.secretKeyRef) found.push({ kind: 'Secret', name: valueFrom.secretKeyRef.name });
    if (valueFrom?.configMapKeyRef) found.push({ kind: 'ConfigMap', name: valueFrom.configMapKeyRef.name });
  }
  for (const { secretRef } of spec.secretsFrom ?? []) found.push({ kind: 'Secret', name: secretRef.name });
  return found;
}

function ofConnection({ spec: { headers, tls, proxy } }: ConnectionResource): readonly DataReference[] {
  return [
    ...(headers ?? []).flatMap(({ valueFrom }) => reference('Secret', valueFrom?.secretKeyRef)),
    ...reference('Secret', tls?.caBundle?.secretKeyRef),
    ...reference('ConfigMap', tls?.caBundle?.configMapKeyRef),
    ...reference('Secret', tls?.clientCertificate?.secretRef),
    ...reference('Secret', proxy?.credentials?.username.secretKeyRef),
    ...reference('Secret', proxy?.credentials?.password.secretKeyRef),
    ...reference('Secret', proxy?.caBundle?.secretKeyRef),
    ...reference('ConfigMap', proxy?.caBundle?.configMapKeyRef),
  ];
}

function reference(
  kind: DataReference['kind'],
  named: { readonly name: string } | undefined,
): readonly DataReference[] {
  return named === undefined ? [] : [{ kind, name: named.name }];
}
