import type { DeploymentStatus } from '../../../src/api/deployment.ts';
import type { Key } from '../../../src/api/metadata.ts';

/** A write that the process requested from the store. */
export interface StoreWrite {
  readonly operation: 'claim' | 'release' | 'announce' | 'saveStatus';
  readonly key: Key;
  /** The status of the write, if the operation writes one. */
  readonly status?: DeploymentStatus;
  /** True if the write is repeated until it lands. */
  readonly mustLand?: boolean;
}
