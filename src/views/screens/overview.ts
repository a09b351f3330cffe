/** How far a picture can be relied upon. */
export interface Freshness {
  /** When the newest word about it came, RFC 3339. */
  readonly asOf: string;
  /** Why the picture is old; absent while it is live. */
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
  /** Whether actions may be asked for at all. */
  readonly allowActions: boolean;
  readonly namespaces: readonly NamespaceCount[];
  /** How many resources wait for a person. */
  readonly waiting: number;
  /** How many resources drift. */
  readonly drifted: number;
  /** How many connections there are. */
  readonly connections: number;
  readonly freshness: Freshness;
}

/** A namespace, and how many deployment resources it has. */
export interface NamespaceCount {
  readonly name: string;
  readonly count: number;
}
