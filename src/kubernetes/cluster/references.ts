import { CLUSTER_CONNECTION_KIND, type ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { keyText } from '../../api/metadata.ts';
import { declaredName } from '../../model/desired/desired.ts';
import { connectionReferences, dataReferences } from '../../model/connection/references.ts';

/** The Secrets and ConfigMaps whose values a deployment resource takes, as key texts. */
export function deploymentDataObjects(resource: DeploymentResource): readonly string[] {
  return dataObjectTexts(resource, resource.metadata.namespace ?? '');
}

/** The Secrets and ConfigMaps that a connection takes values from, in its namespace or in the given one. */
export function connectionDataObjects(connection: ConnectionResource, namespace: string): readonly string[] {
  return dataObjectTexts(connection, namespace);
}

/** The connections that a deployment resource uses, or would use if they existed, as key texts. */
export function deploymentConnections(resource: DeploymentResource): readonly string[] {
  return connectionReferences(resource).map(keyText);
}

/** The namespace of a deployment resource, where a ClusterConnection may have to select it. */
export function selectedNamespace(resource: DeploymentResource): readonly string[] {
  const ofCluster = connectionReferences(resource).some(({ kind }) => kind === CLUSTER_CONNECTION_KIND);
  return ofCluster ? [resource.metadata.namespace ?? ''] : [];
}

/** The name at the service that a deployment resource is looked for under. */
export function deploymentName(resource: DeploymentResource): readonly string[] {
  return [declaredName(resource)].filter((name) => name !== undefined);
}

function dataObjectTexts(
  resource: DeploymentResource | ConnectionResource,
  namespace: string,
): readonly string[] {
  const texts: string[] = [];
  for (const { kind, name } of dataReferences(resource)) {
    const text = keyText({ kind, namespace, name });
    if (!texts.includes(text)) texts.push(text);
  }
  return texts;
}
