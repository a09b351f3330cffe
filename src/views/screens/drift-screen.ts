/** Everything that was changed at the service since it was applied. */
export interface DriftScreen {
  /** Such as `4 resources drift in 2 fields`. */
  readonly sentence: string;
  /** How many resources drift. */
  readonly resources: number;
  /** By change, the largest group first. */
  readonly groups: readonly DriftGroup[];
  /** By connection, the most first. */
  readonly connections: readonly DriftOfConnection[];
}

/** The same change of one field, and the resources that have it. */
export interface DriftGroup {
  readonly path: string;
  /** The part of the values in which they differ: what the service shows, and what was applied. */
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** Why nothing is sent, or what is waited for. */
  readonly reason: string;
  /** The first twenty. */
  readonly members: readonly DriftMember[];
}

/** A resource that drifts. */
export interface DriftMember {
  readonly namespace: string;
  readonly name: string;
  readonly connection: string;
}

/** How much drifts behind one connection. */
export interface DriftOfConnection {
  readonly connection: string;
  readonly resources: number;
  readonly fields: number;
}
