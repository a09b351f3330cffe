import type { ClusterAccess } from './model/connection/cluster-access.ts';
import type { Egress } from './model/connection/egress.ts';
import type { NamespaceSelector } from './model/connection/namespace-selector.ts';
import type { LogFormat, LogLevel } from './ports/process/logger.ts';

/** Words on a command line or in the environment that cannot be meant: one line that says which, why, and what can. */
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

/** The configuration of `run`: checked, and constant as long as the process lives. */
export interface RunConfig {
  /** Which cluster, and as whom. */
  readonly access: ClusterAccess;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** Directory mode: where manifests are. Empty: Kubernetes. */
  readonly dirs: readonly string[];
  readonly state: string | undefined;
  readonly secretsDir: string | undefined;
  readonly prune: boolean;
  /** Also where more than ten manifests, or more than half of them, are gone at once. */
  readonly pruneMany: boolean;
  /** How long a manifest must be gone before its resource is deleted. Absent: 30 s. */
  readonly pruneAfterMs: number | undefined;
  /** Absent: turned off. */
  readonly metricsAddress: ListenAddress | undefined;
  /** Absent: the namespace of the pod, else a default. */
  readonly operatorNamespace: string | undefined;
  /** Which connections are worked on, as it was written and as it is meant. Absent: all. */
  readonly shardSelector: { readonly text: string; readonly selector: NamespaceSelector } | undefined;
  /** One replica of several works, the others stand by. */
  readonly leaderElect: boolean;
  /** Where the Lease is. Absent: the operator namespace. */
  readonly leaderElectionNamespace: string | undefined;
  readonly dryRun: boolean;
  readonly egress: Egress;
  /** True in a pod: Kubernetes tells every container where its API is. */
  readonly inCluster: boolean;
  readonly workers: number;
  readonly logLevel: LogLevel;
  /** Absent: pretty on a terminal, else JSON. */
  readonly logFormat: LogFormat | undefined;
}

/** Values of flags by their name in camel case, as a command-line parser gives them. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Variables by their name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. Nothing else in the program reads it. */
export function environment(): Environment {
  return process.env;
}

/** The flag of a name in camel case. */
export function flagName(name: string): string {
  return `--${kebab(name)}`;
}

/** The variable that stands for a flag, of which `name` is in camel case. */
export function variableName(name: string): string {
  return `DMS_OPERATOR_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
