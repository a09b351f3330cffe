import { randomBytes } from 'node:crypto';
import { CLUSTER_CONNECTION_KIND, type ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import { type DirectoryLook, lookAtDirectory } from '../../directory/store/directory-look.ts';
import type { ReadStdin } from '../../directory/manifests/manifest-files.ts';
import type { ClusterLook } from '../../kubernetes/cluster/cluster-look.ts';
import { asApplied } from '../../views/manifests/manifest-changes.ts';
import type { ClusterAccess } from '../../model/connection/cluster-access.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import { knownLabels, servesNamespace } from '../../model/connection/namespace-selector.ts';
import { OPERATOR_NAMESPACE } from '../../model/connection/connection.ts';
import type { Memory } from '../../views/plans/planned-resource.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ConnectionAccess } from '../../ports/service/connections.ts';
import type { Digester } from '../../ports/process/digester.ts';
import type { SecretReader } from '../../ports/stores/secret-reader.ts';
import { hmacDigester } from '../../runtime/process/hmac-digester.ts';
import { userAgent } from '../operator/version.ts';

/** Where declarations are, and what is remembered of them. */
export interface DeclarationOptions {
  /** Manifests: folders, files or, for `-`, standard input. Empty: the resources of the cluster. */
  readonly paths: readonly string[];
  readonly state?: string | undefined;
  readonly secretsDir?: string | undefined;
  /** Of manifests with a state: what is remembered and no longer declared is to be deleted. */
  readonly prune?: boolean | undefined;
  /** Of a folder: its digests are compared by a later process. */
  readonly makesKey?: boolean | undefined;
  /** The cluster that the manifests are meant for, or that holds the resources. Absent: none is asked. */
  readonly cluster?: ClusterScope | undefined;
}

/** A cluster, and as much of it as is looked at. */
export interface ClusterScope extends ClusterAccess {
  /** Empty: all that this user may see. */
  readonly namespaces: readonly string[];
  /** Absent: dms-operator. */
  readonly operatorNamespace?: string | undefined;
}

/** The parts that the process gives to a look. */
export interface DeclarationEnvironment {
  readonly clock: Clock;
  readonly readStdin: ReadStdin;
}

/** Resources as they are at one moment, with what decisions about them need. */
export interface Declarations {
  /** The wish that was asked for. */
  readonly deployments: readonly DeploymentResource[];
  /** All that is known, since any of them may be bound to the same deployment. */
  readonly fleet: readonly DeploymentResource[];
  readonly connections: readonly ConnectionResource[];
  readonly problems: readonly FileProblem[];
  /** Where manifests declare what, by key. */
  readonly declared: DirectoryLook['declared'];
  readonly memory: Memory;
  readonly connectionAccess: ConnectionAccess;
  readonly secretReader: SecretReader;
  readonly digester: Digester;
  readonly operatorNamespace: string;
  /** Of resources of a cluster: the namespace that is meant where none is named. */
  readonly contextNamespace?: string;
  close(): Promise<void>;
}

/** Reads declarations once and writes nothing. Throws one line where the cluster or the state cannot be read. */
export async function readDeclarations(
  options: DeclarationOptions,
  { clock, readStdin }: DeclarationEnvironment,
  signal: AbortSignal,
): Promise<Declarations> {
  const { paths, state: stateFile, secretsDir, prune, makesKey, cluster } = options;
  const environment = { clock, readStdin, randomBytes, digester: hmacDigester };
  const about = { paths, stateFile, secretsDir, prune, makesKey };
  if (cluster === undefined) return ofDirectory(await lookAtDirectory(about, environment));
  // The Kubernetes client is large; a look at a folder does without it.
  const { lookAtCluster } = await import('../../kubernetes/cluster/cluster-look.ts');
  const { loadClusterConfig } = await import('../../kubernetes/client/load-cluster-config.ts');
  const config = await loadClusterConfig(cluster, clock);
  const { namespaces, operatorNamespace = OPERATOR_NAMESPACE } = cluster;
  const ofContext = config.contextNamespace ?? DEFAULT_NAMESPACE;
  // As with kubectl: what names no namespace is meant for the one that was asked for.
  const [namespace = ofContext, ...others] = namespaces;
  const directory = await lookAtDirectory(
    { ...about, namespace: others.length === 0 ? namespace : undefined },
    environment,
  );
  const wholeCluster = paths.length === 0;
  const ifForbidden = wholeCluster
    ? [ofContext]
    : directory.deployments.map(({ metadata }) => metadata.namespace ?? '');
  const scope = { namespaces, ifForbidden, operatorNamespace, userAgent: userAgent(), clock };
  const look = await lookAtCluster(config, scope, signal);
  const found = ofCluster(look, directory, wholeCluster);
  return { ...found, operatorNamespace, ...(wholeCluster ? { contextNamespace: ofContext } : {}) };
}

/** As kubectl takes it where a context names none. */
const DEFAULT_NAMESPACE = 'default';

function ofDirectory(directory: DirectoryLook): Declarations {
  return {
    ...directory,
    fleet: directory.deployments,
    memory: directory.stateFile === undefined ? 'none' : 'whole',
    operatorNamespace: 'default',
    close: async () => undefined,
  };
}

/** Manifests over a cluster, as if they were applied there now; without manifests the cluster itself. */
function ofCluster(
  cluster: ClusterLook,
  directory: DirectoryLook,
  wholeCluster: boolean,
): Omit<Declarations, 'operatorNamespace' | 'contextNamespace'> {
  const stored = byKey(cluster.deployments);
  const declared = directory.deployments.map((resource) =>
    asApplied(resource, stored.get(keyText(keyOf(resource)))),
  );
  const fleet = [...new Map([...stored, ...byKey(declared)]).values()];
  const connections = [...new Map([...byKey(cluster.connections), ...byKey(directory.connections)]).values()];
  const { digestKey } = cluster;
  return {
    deployments: wholeCluster ? cluster.deployments : declared,
    fleet,
    connections,
    problems: directory.problems,
    declared: directory.declared,
    memory: digestKey === undefined ? 'paths only' : 'whole',
    connectionAccess: accessBy(connections, cluster),
    secretReader: firstOf(directory.secretReader, cluster.secretReader),
    digester: hmacDigester(digestKey ?? randomBytes(32)),
    close: () => cluster.close(),
  };
}

function byKey<T extends DeploymentResource | ConnectionResource>(
  resources: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(resources.map((resource) => [keyText(keyOf(resource)), resource]));
}

function accessBy(
  connections: readonly ConnectionResource[],
  { labelsOf }: Pick<ClusterLook, 'labelsOf'>,
): ConnectionAccess {
  const ofCluster = new Map(
    connections
      .filter(({ kind }) => kind === CLUSTER_CONNECTION_KIND)
      .map((connection) => [connection.metadata.name, connection]),
  );
  return {
    selects: (name, namespace) =>
      servesNamespace(ofCluster.get(name), knownLabels(namespace, labelsOf(namespace))),
  };
}

/** Objects of the manifests come before those of the cluster. */
function firstOf(...readers: readonly SecretReader[]): SecretReader {
  return {
    async read(name) {
      for (const reader of readers) {
        const found = await reader.read(name);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}
