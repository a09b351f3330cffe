/** The age of the data. */
export interface Freshness {
  /** The time of the newest message, in RFC 3339. */
  readonly asOf: string;
  /** The reason why the data is old; absent while it is live. */
  readonly stale?: string;
  /** The missing rights, such as `list connections.dms-operator.dev in all namespaces`. */
  readonly missingRights: readonly string[];
  /** The errors of manifests, one line each. */
  readonly problems: readonly string[];
}

/** The frame around every screen. */
export interface Overview {
  /** The context and cluster, or the folder. */
  readonly place: string;
  readonly mode: 'cluster' | 'folder';
  /** The flags that select the same cluster or folder in a command, one word per item. */
  readonly flags: readonly string[];
  /** The version of the program. */
  readonly version: string;
  /** True if the console permits actions. */
  readonly allowActions: boolean;
  readonly namespaces: readonly NamespaceCount[];
  /** The number of resources that wait for a person. */
  readonly waiting: number;
  /** The number of resources with drift. */
  readonly drifted: number;
  /** The number of connections. */
  readonly connections: number;
  readonly freshness: Freshness;
}

/** A namespace and its number of deployment resources. */
export interface NamespaceCount {
  readonly name: string;
  readonly count: number;
}
