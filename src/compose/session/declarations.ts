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

/** The place of declarations, and of the remembered state. */
export interface DeclarationOptions {
  /** Manifests: folders, files or, for `-`, standard input. Empty: the resources of the cluster. */
  readonly paths: readonly string[];
  readonly state?: string | undefined;
  readonly secretsDir?: string | undefined;
  /** For manifests with a state: remembered resources without a declaration are to be deleted. */
  readonly prune?: boolean | undefined;
  /** For a folder: a later process compares its digests. */
  readonly makesKey?: boolean | undefined;
  /** The cluster of the manifests or of the resources. Absent: no cluster is read. */
  readonly cluster?: ClusterScope | undefined;
}

/** A cluster, and the part of it that is read. */
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
  /** All known resources, since any of them may be bound to the same deployment. */
  readonly fleet: readonly DeploymentResource[];
  readonly connections: readonly ConnectionResource[];
  readonly problems: readonly FileProblem[];
  /** The places of declarations in manifests, by key. */
  readonly declared: DirectoryLook['declared'];
  readonly memory: Memory;
  readonly connectionAccess: ConnectionAccess;
  readonly secretReader: SecretReader;
  readonly digester: Digester;
  readonly operatorNamespace: string;
  /** For resources of a cluster: the default namespace. */
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
