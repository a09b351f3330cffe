/** The age of the data. */
export interface Freshness {
  /** The time of the newest message, RFC 3339. */
  readonly asOf: string;
  /** Why the data is old; absent while it is live. */
  readonly stale?: string;
  /** Rights that are missing, such as `list connections.dms-operator.dev in all namespaces`. */
  readonly missingRights: readonly string[];
  /** Manifests with errors, a line each. */
  readonly problems: readonly string[];
}

/** The frame around every screen. */
export interface Overview {
  /** Context and cluster, or the folder. */
  readonly place: string;
  readonly mode: 'cluster' | 'folder';
  /** Flags that lead a command to the same cluster or folder, word by word. */
  readonly flags: readonly string[];
  /** Version of the program. */
  readonly version: string;
  /** Whether the console permits actions. */
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

/** A namespace, and how many deployment resources it has. */
export interface NamespaceCount {
  readonly name: string;
  readonly count: number;
}
