import type * as generatedCluster from './generated/clusterconnection.ts';
import type * as generated from './generated/connection.ts';
import { type DeepReadonly, GROUP, type Key, type ObjectMeta } from './metadata.ts';

/** `spec` of a Connection. */
export type ConnectionSpec = DeepReadonly<generated.ConnectionSpec>;

/** `spec` of a ClusterConnection: that of a Connection, and the namespaces that may use it. */
export type ClusterConnectionSpec = DeepReadonly<generatedCluster.ClusterConnectionSpec>;

/** `status` of both connection kinds. */
export type ConnectionStatus = DeepReadonly<generated.ConnectionStatus>;

/** Kind of the namespaced connection. */
export const CONNECTION_KIND = 'Connection';
/** Plural of the namespaced connection in API paths. */
export const CONNECTION_PLURAL = 'connections';
/** Kind of the cluster-scoped connection. */
export const CLUSTER_CONNECTION_KIND = 'ClusterConnection';
/** Plural of the cluster-scoped connection in API paths. */
export const CLUSTER_CONNECTION_PLURAL = 'clusterconnections';

/** The finalizer that keeps a connection while resources need it to delete their deployments at the service. */
export const CONNECTION_FINALIZER = `${GROUP}/connection`;

/** A connection to the service for one namespace. */
export interface NamespacedConnection {
  readonly apiVersion: string;
  readonly kind: typeof CONNECTION_KIND;
  readonly metadata: ObjectMeta;
  readonly spec: ConnectionSpec;
  readonly status?: ConnectionStatus;
  /** The reason why the object was too large, so that only its identity was read. Not part of a manifest. */
  readonly tooLarge?: string;
}

/** A connection to the service for the namespaces that it selects. */
export interface ClusterConnection {
  readonly apiVersion: string;
  readonly kind: typeof CLUSTER_CONNECTION_KIND;
  readonly metadata: ObjectMeta;
  readonly spec: ClusterConnectionSpec;
  readonly status?: ConnectionStatus;
  /** The reason why the object was too large, so that only its identity was read. Not part of a manifest. */
  readonly tooLarge?: string;
}

/** A connection resource of either kind. */
export type ConnectionResource = NamespacedConnection | ClusterConnection;

/** True for keys of the two connection kinds. */
export function isConnectionKey(key: Key): boolean {
  return key.kind === CONNECTION_KIND || key.kind === CLUSTER_CONNECTION_KIND;
}

/** True for a connection with the finalizer that keeps it for its users. */
export function isHeld({ metadata }: ConnectionResource): boolean {
  return metadata.finalizers?.includes(CONNECTION_FINALIZER) === true;
}

/** Returns the finalizers of a connection, with ours if `held` is true. */
export function finalizersOf({ metadata }: ConnectionResource, held: boolean): readonly string[] {
  const others = (metadata.finalizers ?? []).filter((name) => name !== CONNECTION_FINALIZER);
  return held ? [...others, CONNECTION_FINALIZER] : others;
}

/** The placeholder for the namespace of the resource in a pattern of `spec.allowedNames`. */
export const NAMESPACE_PLACEHOLDER = '{namespace}';
