import type { Key } from '../../api/metadata.ts';
import type { SecretValue } from '../../base/secret-value.ts';

/** Kind, namespace and name of a connection resource; `namespace` is '' for a ClusterConnection. */
export interface ConnectionName {
  readonly kind: 'Connection' | 'ClusterConnection';
  readonly namespace: string;
  readonly name: string;
}

/** Returns the name of the connection with a key. */
export function connectionNameOf({ kind, namespace, name }: Key): ConnectionName {
  return kind === 'ClusterConnection'
    ? { kind, namespace: '', name }
    : { kind: 'Connection', namespace, name };
}

/** Returns a connection's name as one string: `Kind/namespace/name`, as in metrics. */
export function connectionText(name: ConnectionName): string {
  return `${name.kind}/${name.namespace}/${name.name}`;
}

/** The edition of a service, which determines the possible sources (2.3). */
export type Edition = 'Unknown' | 'Hosted' | 'SelfHosted';

/** A header of every request of a connection. */
export interface RequestHeader {
  readonly name: string;
  readonly value: SecretValue;
  /** True if everyone who may read the connection can see the value, and it does not look like a credential. */
  readonly isPublic?: true;
}

/** The proxy through which a service is reached. */
export interface ProxySettings {
  /** Scheme, host and port, without a login. */
  readonly address: string;
  readonly login?: { readonly username: SecretValue; readonly password: SecretValue };
  /** The certificate authorities for an https proxy, in PEM form; absent: the default ones. */
  readonly ca?: string;
  /** Only for the proxy of the environment: the hosts that are reached without it, in the form of NO_PROXY. */
  readonly exceptions?: string;
}

/** A connection with defaults applied and references resolved. Durations are in milliseconds. */
export interface ConnectionSettings {
  readonly name: ConnectionName;
  /** Scheme, host and path prefix, without a trailing slash. */
  readonly baseURL: string;
  readonly edition: Edition;
  readonly headers: readonly RequestHeader[];
  readonly tls: {
    readonly ca?: string;
    readonly certificate?: string;
    readonly key?: SecretValue;
  };
  /** The proxy; absent if the service is reached directly. */
  readonly proxy?: ProxySettings;
  readonly rateLimit: {
    readonly requestsPerSecond: number;
    readonly burst: number;
    readonly concurrency: number;
  };
  readonly requestTimeoutMs: number;
  readonly poll: { readonly intervalMs: number; readonly rolloutMs: number };
  readonly list: {
    readonly pageSize: number;
    /** The names of the query parameters, which the specification does not show (4.3). */
    readonly parameters: {
      readonly limit: string;
      readonly offset: string;
      readonly name: string;
      readonly ids: string;
    };
  };
  readonly patchBodies: 'Auto' | 'Partial' | 'Full';
  readonly suspend: boolean;
  /** Only for a ClusterConnection: patterns for the names of deployments that may be bound; absent: every name. */
  readonly allowedNames?: readonly string[];
}

/** Numbers of the design that are not settings, in milliseconds unless the name says otherwise. */
export const DEFAULTS = {
  /** The time after which a list shows a write: longer than any reported lag. */
  consistencyWindowMs: 30_000,
  /**
   * The time limit of an announcement. If it takes longer, the write is not sent, since the window in which a read
   * looks for the write begins with the announcement.
   */
  announcementMs: 5_000,
  requestTimeoutMs: 30_000,
  pollIntervalMs: 60_000,
  pollRolloutMs: 10_000,
  rolloutDeadlineMs: 1_800_000,
  revisionsPerHour: 6,
  identicalSends: 2,
  driftCorrectionsPerDay: 3,
  secretDebounceMs: 10_000,
  requestsPerSecond: 5,
  /** The longest interval between calls that can be configured. */
  rarestCallsMs: 10_000,
  burst: 10,
  concurrency: 4,
  pageSize: 100,
  idsPerQuery: 50,
  heldAfterRejectionMs: 1_800_000,
  /** The number of temporary refusals (409, 412, 423) in a row before a request is held for a while. */
  conflictsInARow: 5,
  heldAfterConflictsMs: 300_000,
  authRetryMs: 300_000,
  /**
   * The interval of checks of an unusable connection. A check costs no call, and the resource should soon notice a
   * recovery.
   */
  connectionRetryMs: 30_000,
  retryBaseMs: 500,
  retryCapMs: 300_000,
  resyncMs: 600_000,
  drainMs: 35_000,
  leaseMs: 15_000,
  /** The time without a renewal after which a leader stops by itself, well before others can take its Lease. */
  renewDeadlineMs: 10_000,
  leaseRetryMs: 2_000,
} as const;

/** The default namespace of the controller. */
export const OPERATOR_NAMESPACE = 'dms-operator';

/** True for a valid name of a namespace: at most 63 lower-case letters, digits and hyphens. */
export function isNamespaceName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}

/** The name of the Secret with the key of all digests; no connection may take values from it. */
export const DIGEST_KEY_SECRET = 'dms-operator-digest-key';
