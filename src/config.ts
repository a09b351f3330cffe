import type { ClusterAccess } from './model/connection/cluster-access.ts';
import type { Egress } from './model/connection/egress.ts';
import type { NamespaceSelector } from './model/connection/namespace-selector.ts';
import type { LogFormat, LogLevel } from './ports/process/logger.ts';

/**
 * An invalid word on the command line or in the environment. The message is one line that names the word, the problem
 * and the valid values.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Where to listen; no host means every address. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** The configuration of `run`: validated, and constant for the lifetime of the process. */
export interface RunConfig {
  /** The cluster and the user. */
  readonly access: ClusterAccess;
  /** The namespaces to watch; empty means all. */
  readonly namespaces: readonly string[];
  /** The folders of manifests in directory mode; empty means Kubernetes. */
  readonly dirs: readonly string[];
  readonly state: string | undefined;
  readonly secretsDir: string | undefined;
  readonly prune: boolean;
  /** True to prune even if more than ten manifests, or more than half of them, disappear at once. */
  readonly pruneMany: boolean;
  /** The time from the disappearance of a manifest to the deletion of its resource. Absent: 30 s. */
  readonly pruneAfterMs: number | undefined;
  /** The address for metrics; absent if they are turned off. */
  readonly metricsAddress: ListenAddress | undefined;
  /** The namespace of the operator. Absent: the namespace of the pod, else a default. */
  readonly operatorNamespace: string | undefined;
  /** Selects the connections that this process serves: the original text and its parsed form. Absent: all. */
  readonly shardSelector: { readonly text: string; readonly selector: NamespaceSelector } | undefined;
  /** True if one of several replicas works while the others stand by. */
  readonly leaderElect: boolean;
  /** The namespace of the Lease. Absent: the operator namespace. */
  readonly leaderElectionNamespace: string | undefined;
  readonly dryRun: boolean;
  readonly egress: Egress;
  /** True in a pod; Kubernetes gives every container the address of its API. */
  readonly inCluster: boolean;
  readonly workers: number;
  readonly logLevel: LogLevel;
  /** The log format. Absent: pretty on a terminal, else JSON. */
  readonly logFormat: LogFormat | undefined;
}

/** The values of flags by their name in camel case, as the command-line parser returns them. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The environment variables by their name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment of this process. No other code in the program reads it. */
export function environment(): Environment {
  return process.env;
}

/** Returns the flag for a name in camel case. */
export function flagName(name: string): string {
  return `--${kebab(name)}`;
}

/** Returns the environment variable that replaces a flag; `name` is the flag's name in camel case. */
export function variableName(name: string): string {
  return `DMS_OPERATOR_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
