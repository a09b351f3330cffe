import {
  CLUSTER_CONNECTION_KIND,
  CLUSTER_CONNECTION_PLURAL,
  CONNECTION_KIND,
  CONNECTION_PLURAL,
} from '../../api/connection.ts';
import { DEPLOYMENT_KIND, DEPLOYMENT_PLURAL } from '../../api/deployment.ts';
import { GROUP, type Key, type ObjectMeta, VERSION } from '../../api/metadata.ts';
import { isJsonObject } from '../../base/json.ts';

/** A kind as the API server serves it; `group` is '' for the core group. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** The fields that every object of the API has. */
export interface KubernetesObject {
  readonly metadata: ObjectMeta;
  /** The reason why only the identity of the object is kept. */
  readonly tooLarge?: string;
}

const ours = { group: GROUP, version: VERSION };
const core = { group: '', version: 'v1', namespaced: true };

/** The custom resources for deployments of the service. */
export const DEPLOYMENTS: ResourceType = {
  ...ours,
  plural: DEPLOYMENT_PLURAL,
  kind: DEPLOYMENT_KIND,
  namespaced: true,
};
/** Connections of one namespace. */
export const CONNECTIONS: ResourceType = {
  ...ours,
  plural: CONNECTION_PLURAL,
  kind: CONNECTION_KIND,
  namespaced: true,
};
/** Connections of the cluster. */
export const CLUSTER_CONNECTIONS: ResourceType = {
  ...ours,
  plural: CLUSTER_CONNECTION_PLURAL,
  kind: CLUSTER_CONNECTION_KIND,
  namespaced: false,
};
/** Kubernetes Secrets. */
export const SECRETS: ResourceType = { ...core, plural: 'secrets', kind: 'Secret' };
/** Kubernetes ConfigMaps. */
export const CONFIG_MAPS: ResourceType = { ...core, plural: 'configmaps', kind: 'ConfigMap' };
/** Kubernetes Namespaces. */
export const NAMESPACES: ResourceType = {
  ...core,
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
/** Events in the newer of the two groups that serve them. */
export const EVENTS: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};
/** The Lease by which replicas agree which of them works. */
export const LEASES: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};

/** Returns the path of all objects of a type, in one namespace or, for '', everywhere. */
export function collectionPath(type: ResourceType, namespace: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${type.plural}`;
}

/** Returns the path of one object, or of one of its subresources. */
export function objectPath(
  type: ResourceType,
  name: { readonly namespace: string; readonly name: string },
  subresource?: 'status',
): string {
  const path = `${collectionPath(type, name.namespace)}/${encodeURIComponent(name.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** True for a name that an object can have: any other text would change the meaning of a path. */
export function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name);
}

/** True for JSON that has the shape of an API object. */
export function isKubernetesObject(value: unknown): value is KubernetesObject {
  if (!isJsonObject(value)) return false;
  const metadata = value['metadata'];
  return isJsonObject(metadata) && typeof metadata['name'] === 'string' && metadata['name'] !== '';
}

/** Returns the key of an object of this type. */
export function keyIn(type: ResourceType, object: KubernetesObject): Key {
  return { kind: type.kind, namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** Formats a time as MicroTime fields of the API require it: with six digits. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** The annotation in which `kubectl apply` keeps the applied object. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
