import { defined } from '../../base/defined.ts';
import {
  CLUSTER_CONNECTION_KIND,
  CONNECTION_KIND,
  type ClusterConnection,
  type NamespacedConnection,
} from '../../api/connection.ts';
import { DEPLOYMENT_KIND, type DeploymentResource } from '../../api/deployment.ts';
import { API_VERSION } from '../../api/metadata.ts';
import { isJsonObject } from '../../base/json.ts';
import { type KubernetesObject, LAST_APPLIED } from './resource-type.ts';

/**
 * Removes the managed fields and the last applied configuration, which are half of an object and have no use here.
 */
export function withoutBookkeeping(object: KubernetesObject): KubernetesObject {
  const { metadata } = object;
  const { annotations } = metadata;
  const applied = isJsonObject(annotations) && LAST_APPLIED in annotations;
  if (!applied && !('managedFields' in metadata)) return object;
  const kept = without(metadata, 'managedFields');
  if (!applied) return { ...object, metadata: kept };
  return { ...object, metadata: { ...kept, annotations: without(annotations, LAST_APPLIED) } };
}

function without<T extends object>(object: T, name: string): T {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name)) as T;
}

/** Returns an object of the API as a deployment resource; the schema of the CRD guarantees the type. */
export function asDeployment(object: KubernetesObject): DeploymentResource {
  return { spec: {}, ...object, apiVersion: API_VERSION, kind: DEPLOYMENT_KIND } as DeploymentResource;
}

/** Returns an object of the API as a Connection; the schema of the CRD guarantees the type. */
export function asConnection(object: KubernetesObject): NamespacedConnection {
  return { spec: {}, ...object, apiVersion: API_VERSION, kind: CONNECTION_KIND } as NamespacedConnection;
}

/** Returns an object of the API as a ClusterConnection; the schema of the CRD guarantees the type. */
export function asClusterConnection(object: KubernetesObject): ClusterConnection {
  return { spec: {}, ...object, apiVersion: API_VERSION, kind: CLUSTER_CONNECTION_KIND } as ClusterConnection;
}

/**
 * Keeps the identity and the version of a Secret or ConfigMap. It drops annotations too, since one of them may
 * contain the whole object as it was applied.
 */
export function asNameAndVersion(object: KubernetesObject): KubernetesObject {
  const { name, namespace, resourceVersion, uid } = object.metadata;
  return {
    metadata: {
      name,
      ...defined({ namespace, uid, resourceVersion }),
    },
  };
}

/** Keeps the name, version and labels of a Namespace, and whether it is being deleted. */
export function asNameAndLabels(object: KubernetesObject): KubernetesObject {
  const { labels, deletionTimestamp } = object.metadata;
  const { metadata } = asNameAndVersion(object);
  return {
    metadata: {
      ...metadata,
      ...defined({ labels, deletionTimestamp }),
    },
  };
}
