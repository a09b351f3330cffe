import { CLUSTER_CONNECTION_KIND, CONNECTION_KIND, type ConnectionResource } from '../api/connection.ts';
import type { DeploymentResource } from '../api/deployment.ts';
import { keyText } from '../api/metadata.ts';

/** The connection that a deployment without `connectionRef` uses: one of this name beside it, else of the cluster. */
const DEFAULT_CONNECTION = 'default';

/** The text under which an index finds who refers to a Secret or ConfigMap. */
function dataObjectText(kind: 'Secret' | 'ConfigMap', namespace: string, name: string): string {
  return keyText({ kind, namespace, name });
}

/** The Secrets and ConfigMaps whose values a deployment resource takes. */
export function deploymentDataObjects(resource: DeploymentResource): readonly string[] {
  const namespace = resource.metadata.namespace ?? '';
  const single = (resource.spec.secrets ?? []).flatMap(({ valueFrom }) => [
    ...text('Secret', namespace, valueFrom?.secretKeyRef),
    ...text('ConfigMap', namespace, valueFrom?.configMapKeyRef),
  ]);
  const whole = (resource.spec.secretsFrom ?? []).flatMap(({ secretRef }) =>
    text('Secret', namespace, secretRef),
  );
  return [...new Set([...single, ...whole])];
}

/** The Secrets and ConfigMaps that a connection takes headers and certificates from, in its namespace or in the given one. */
export function connectionDataObjects(connection: ConnectionResource, namespace: string): readonly string[] {
  const { headers, tls } = connection.spec;
  return [
    ...new Set([
      ...(headers ?? []).flatMap(({ valueFrom }) => text('Secret', namespace, valueFrom?.secretKeyRef)),
      ...text('ConfigMap', namespace, tls?.caBundle?.configMapKeyRef),
      ...text('Secret', namespace, tls?.caBundle?.secretKeyRef),
      ...text('Secret', namespace, tls?.clientCertificate?.secretRef),
    ]),
  ];
}

/** The connections that a deployment resource uses, or would use if they existed, as key texts. */
export function deploymentConnections(resource: DeploymentResource): readonly string[] {
  const namespace = resource.metadata.namespace ?? '';
  const reference = resource.spec.connectionRef;
  if (reference?.kind === CLUSTER_CONNECTION_KIND) return [clusterConnection(reference.name)];
  if (reference !== undefined) return [namespacedConnection(namespace, reference.name)];
  return [namespacedConnection(namespace, DEFAULT_CONNECTION), clusterConnection(DEFAULT_CONNECTION)];
}

/** The id at the service that a deployment resource stands for, where it is known. */
export function deploymentID(resource: DeploymentResource): readonly string[] {
  const { status, spec } = resource;
  return [...new Set([status?.deploymentID, spec.deploymentRef?.id].filter((id) => id !== undefined))];
}

/** The name at the service that a deployment resource is looked for under. */
export function deploymentName(resource: DeploymentResource): readonly string[] {
  const reference = resource.spec.deploymentRef;
  if (reference?.id !== undefined) return [];
  return [reference?.name ?? resource.metadata.name];
}

function text(
  kind: 'Secret' | 'ConfigMap',
  namespace: string,
  reference: { readonly name: string } | undefined,
): readonly string[] {
  return reference === undefined ? [] : [dataObjectText(kind, namespace, reference.name)];
}

function namespacedConnection(namespace: string, name: string): string {
  return keyText({ kind: CONNECTION_KIND, namespace, name });
}

function clusterConnection(name: string): string {
  return keyText({ kind: CLUSTER_CONNECTION_KIND, namespace: '', name });
}
