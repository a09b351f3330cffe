import type { DeploymentStatus } from '../../../src/api/deployment.ts';
import type { Key } from '../../../src/api/metadata.ts';

/** One write that the process asked the store for. */
export interface StoreWrite {
  readonly operation: 'claim' | 'release' | 'announce' | 'saveStatus';
  readonly key: Key;
  /** The status that was to be written, where the operation writes one. */
  readonly status?: DeploymentStatus;
  /** True where the write is repeated until it lands. */
  readonly mustLand?: boolean;
}
