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

/** The places of the declarations and of the state file. */
export interface DeclarationOptions {
  /** The paths of manifests: folders, files or, for `-`, standard input. Empty: the resources of the cluster. */
  readonly paths: readonly string[];
  readonly state?: string | undefined;
  readonly secretsDir?: string | undefined;
  /** For manifests with a state file: true to delete remembered resources without a declaration. */
  readonly prune?: boolean | undefined;
  /** For a folder: true to create a key if there is none, because a later process compares the digests. */
  readonly makesKey?: boolean | undefined;
  /** The cluster of the manifests or of the resources. Absent: no cluster is read. */
  readonly cluster?: ClusterScope | undefined;
}

/** A cluster, and the part of it to read. */
export interface ClusterScope extends ClusterAccess {
  /** The namespaces to read; empty means all that this user may see. */
  readonly namespaces: readonly string[];
  /** The operator's namespace. Absent: dms-operator. */
  readonly operatorNamespace?: string | undefined;
}

/** The parts that the process gives to a read of declarations. */
export interface DeclarationEnvironment {
  readonly clock: Clock;
  readonly readStdin: ReadStdin;
}

/** Resources at one moment, with the data for decisions about them. */
export interface Declarations {
  /** The selected deployment resources. */
  readonly deployments: readonly DeploymentResource[];
  /** All known resources, since any of them may be bound to the same deployment. */
  readonly fleet: readonly DeploymentResource[];
  readonly connections: readonly ConnectionResource[];
  readonly problems: readonly FileProblem[];
  /** The places of the declarations in manifests, by key. */
  readonly declared: DirectoryLook['declared'];
  readonly memory: Memory;
  readonly connectionAccess: ConnectionAccess;
  readonly secretReader: SecretReader;
  readonly digester: Digester;
  readonly operatorNamespace: string;
  /** The default namespace for resources of a cluster. */
  readonly contextNamespace?: string;
  close(): Promise<void>;
}

/** Reads declarations once and writes nothing. Throws one line if the cluster or the state cannot be read. */
export async function readDeclarations(
  options: DeclarationOptions,
  { clock, readStdin }: DeclarationEnvironment,
  signal: AbortSignal,
): Promise<Declarations> {
  const { paths, state: stateFile, secretsDir, prune, makesKey, cluster } = options;
  const environment = { clock, readStdin, randomBytes, digester: hmacDigester };
  const about = { paths, stateFile, secretsDir, prune, makesKey };
  if (cluster === undefined) return ofDirectory(await lookAtDirectory(about, environment));
  // The Kubernetes client is large, and reading a folder does not need it.
  const { lookAtCluster } = await import('../../kubernetes/cluster/cluster-look.ts');
  const { loadClusterConfig } = await import('../../kubernetes/client/load-cluster-config.ts');
  const config = await loadClusterConfig(cluster, clock);
  const { namespaces, operatorNamespace = OPERATOR_NAMESPACE } = cluster;
  const ofContext = config.contextNamespace ?? DEFAULT_NAMESPACE;
  // As in kubectl, a manifest without a namespace belongs to the requested one.
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

/** The namespace of a context that names none, as in kubectl. */
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

/** Returns the declarations of a cluster, as if the manifests, if any, were applied to it now. */
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

/** Returns a reader that tries each reader in order: objects of the manifests come before those of the cluster. */
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
