import type * as generatedCluster from './generated/clusterconnection.ts';
import type * as generated from './generated/connection.ts';
import { type DeepReadonly, GROUP, type Key, type ObjectMeta } from './metadata.ts';

/** `spec` of a Connection. */
export type ConnectionSpec = DeepReadonly<generated.ConnectionSpec>;

/** `spec` of a ClusterConnection: a Connection's, plus who may use it. */
export type ClusterConnectionSpec = DeepReadonly<generatedCluster.ClusterConnectionSpec>;

/** `status` of either connection kind. */
export type ConnectionStatus = DeepReadonly<generated.ConnectionStatus>;

/** Kind of the namespaced connection. */
export const CONNECTION_KIND = 'Connection';
/** Plural of the namespaced connection in API paths. */
export const CONNECTION_PLURAL = 'connections';
/** Kind of the cluster-scoped connection. */
export const CLUSTER_CONNECTION_KIND = 'ClusterConnection';
/** Plural of the cluster-scoped connection in API paths. */
export const CLUSTER_CONNECTION_PLURAL = 'clusterconnections';

/** Holds a connection back for as long as resources need it to delete what is theirs at the service. */
export const CONNECTION_FINALIZER = `${GROUP}/connection`;

/** How to reach the service, for one namespace. */
export interface NamespacedConnection {
  readonly apiVersion: string;
  readonly kind: typeof CONNECTION_KIND;
  readonly metadata: ObjectMeta;
  readonly spec: ConnectionSpec;
  readonly status?: ConnectionStatus;
  /** Why only as much was read of it as says which one it is; no part of a manifest. */
  readonly tooLarge?: string;
}

/** How to reach the service, for the namespaces it selects. */
export interface ClusterConnection {
  readonly apiVersion: string;
  readonly kind: typeof CLUSTER_CONNECTION_KIND;
  readonly metadata: ObjectMeta;
  readonly spec: ClusterConnectionSpec;
  readonly status?: ConnectionStatus;
  /** Why only as much was read of it as says which one it is; no part of a manifest. */
  readonly tooLarge?: string;
}

/** Either kind of connection resource. */
export type ConnectionResource = NamespacedConnection | ClusterConnection;

/** True for keys of the two connection kinds. */
export function isConnectionKey(key: Key): boolean {
  return key.kind === CONNECTION_KIND || key.kind === CLUSTER_CONNECTION_KIND;
}

/** The finalizers of a connection, with the operator's own where it is to be held. */
export function finalizersOf({ metadata }: ConnectionResource, held: boolean): readonly string[] {
  const others = (metadata.finalizers ?? []).filter((name) => name !== CONNECTION_FINALIZER);
  return held ? [...others, CONNECTION_FINALIZER] : others;
}

/** Stands for the namespace of the resource in a pattern of `spec.allowedNames`. */
export const NAMESPACE_PLACEHOLDER = '{namespace}';
