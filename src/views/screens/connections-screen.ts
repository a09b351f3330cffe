import type { Tone } from './tone.ts';

/** The ways to the service, those with trouble first. */
export interface ConnectionsScreen {
  /** Such as `2 connections: 1 ready · 1 cannot be used`. */
  readonly sentence: string;
  readonly connections: readonly ConnectionCard[];
}

/** One Connection or ClusterConnection. */
export interface ConnectionCard {
  readonly kind: 'Connection' | 'ClusterConnection';
  /** Empty for a ClusterConnection. */
  readonly namespace: string;
  readonly name: string;
  readonly tone: Tone;
  /** The reason of `Ready`; absent until a controller has looked. */
  readonly reason?: string;
  readonly message?: string;
  /** Since when it is so. */
  readonly since?: string;
  /** The meaning of the reason, and what to do about it. */
  readonly means?: string;
  readonly todo?: string;
  /** Scheme, host and path of the service, without anything secret. */
  readonly endpoint: string;
  readonly edition: string;
  readonly tenantID?: string;
  readonly suspended: boolean;
  /** The shard that serves it. */
  readonly servedBy?: string;
  /** Counts from the list of the service. */
  readonly deployments?: { readonly total: number; readonly managed: number };
  /** The bounds that the spec sets; absent ones are the defaults. */
  readonly rate: {
    readonly requestsPerSecond?: number;
    readonly burst?: number;
    readonly concurrency?: number;
  };
  /** Seconds between two looks at the list, where the spec says so. */
  readonly pollSeconds?: number;
  /** Habits of the service, as writes have shown them. */
  readonly learned: readonly LearnedLine[];
  readonly providers: readonly ProviderLine[];
  readonly users: ConnectionUsers;
}

/** One habit of a service. */
export interface LearnedLine {
  /** The open question, in words. */
  readonly what: string;
  readonly verdict: string;
  /** How often it was seen. */
  readonly count: number;
  readonly time: string;
}

/** An OAuth provider that the service has. */
export interface ProviderLine {
  readonly name: string;
  readonly providerID: string;
  readonly type?: string;
}

/** Who uses a connection. */
export interface ConnectionUsers {
  readonly count: number;
  readonly namespaces: readonly { readonly name: string; readonly count: number }[];
  /** How many of them are how. */
  readonly tones: Readonly<Record<Tone, number>>;
}
