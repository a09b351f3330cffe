import type { ConnectionResource } from '../../api/connection.ts';
import { DEPLOYMENT_PLURAL, type DeploymentResource } from '../../api/deployment.ts';
import { GROUP } from '../../api/metadata.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { SecretReader } from '../../ports/stores/secret-reader.ts';
import { commandTransport } from '../client/command-transport.ts';
import { asClusterConnection, asConnection, asDeployment, asNameAndLabels } from '../objects/decoders.ts';
import { readDigestKey } from '../stores/digest-key.ts';
import { isApiError } from '../client/api-error.ts';
import type { Transport } from '../client/exchange.ts';
import type { ClusterConfig } from '../client/load-cluster-config.ts';
import { listWatch } from '../watch/list-watch.ts';
import { readPages } from '../watch/lister.ts';
import { REFLECTOR_TUNING } from '../watch/reflector-state.ts';
import {
  CLUSTER_CONNECTIONS,
  CONNECTIONS,
  DEPLOYMENTS,
  type KubernetesObject,
  NAMESPACES,
  type ResourceType,
} from '../objects/resource-type.ts';
import { KubernetesSecretReader } from '../stores/kubernetes-secret-reader.ts';

/** The part of a cluster to read. */
export interface ClusterLookOptions {
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  /** The namespaces to read if the user may not list all of them. */
  readonly ifForbidden: readonly string[];
  /** The namespace of the Secrets of ClusterConnections, and of the digest key. */
  readonly operatorNamespace: string;
  readonly userAgent: string;
  readonly clock: Clock;
}

/** A cluster at one moment. */
export interface ClusterLook {
  readonly deployments: readonly DeploymentResource[];
  readonly connections: readonly ConnectionResource[];
  /** Returns the labels of a namespace; undefined if they could not be read. */
  labelsOf(namespace: string): Readonly<Record<string, string>> | undefined;
  readonly secretReader: SecretReader;
  /** The key of the digests in statuses; undefined if there is none, or if this user may not read it. */
  readonly digestKey: Uint8Array | undefined;
  close(): Promise<void>;
}

/**
 * Lists once the objects that the operator would watch, with the rights of the user. It lists no Secrets. Throws an
 * ExpectedError, or an ApiError of one line, if the cluster cannot be read.
 */
export async function lookAtCluster(
  config: ClusterConfig,
  options: ClusterLookOptions,
  signal: AbortSignal,
): Promise<ClusterLook> {
  const transport = commandTransport(config, options);
  try {
    return { ...(await look(transport, options, signal)), close: () => transport.close() };
  } catch (error) {
    await transport.close();
    throw isApiError(error, 'notFound') ? unknownKinds(error) : error;
  }
}

async function look(
  transport: Transport,
  { namespaces, ifForbidden, operatorNamespace }: ClusterLookOptions,
  signal: AbortSignal,
): Promise<Omit<ClusterLook, 'close'>> {
  const list = async <T>(
    type: ResourceType,
    prepared: (object: KubernetesObject) => T,
    inside = '',
  ): Promise<readonly T[]> => {
    const source = listWatch(transport, { type, namespace: inside });
    return (await readPages({ source, prepared, pageLimit: REFLECTOR_TUNING.pageLimit }, signal)).items;
  };
  const inScope = async <T>(
    type: ResourceType,
    prepared: (object: KubernetesObject) => T,
  ): Promise<readonly T[]> => {
    const within = (inside: string): Promise<readonly T[]> => list(type, prepared, inside);
    if (namespaces.length > 0) return everyIn(namespaces, within);
    return list(type, prepared).catch((error: unknown) => {
      if (ifForbidden.length === 0 || !isApiError(error, 'forbidden')) throw error;
      return everyIn(ifForbidden, within);
    });
  };
  const known = await list(NAMESPACES, asNameAndLabels).catch(nothingIfForbidden);
  const labels = new Map(known.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  return {
    deployments: await inScope(DEPLOYMENTS, asDeployment),
    connections: [
      ...(await inScope(CONNECTIONS, asConnection)),
      ...(await list(CLUSTER_CONNECTIONS, asClusterConnection).catch(nothingIfForbidden)),
    ],
    labelsOf: (namespace) => labels.get(namespace),
    secretReader: new KubernetesSecretReader(transport),
    digestKey: await readDigestKey(transport, operatorNamespace).catch((error: unknown) => {
      if (isApiError(error, 'forbidden')) return undefined;
      throw error;
    }),
  };
}

async function everyIn<T>(
  namespaces: readonly string[],
  list: (namespace: string) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (const namespace of new Set(namespaces)) all.push(...(await list(namespace)));
  return all;
}

/**
 * Returns an empty list after a refusal: a user with rights in some namespaces cannot see objects of the whole
 * cluster.
 */
function nothingIfForbidden(error: unknown): readonly never[] {
  if (isApiError(error, 'forbidden')) return [];
  throw error;
}

/** Makes an error with advice for a cluster that does not know our kinds. */
export function unknownKinds(cause: Error): ExpectedError {
  const message = `the cluster does not know ${DEPLOYMENT_PLURAL}.${GROUP}; install the kinds with "crds"`;
  return new ExpectedError(message, { cause });
}
