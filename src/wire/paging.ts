import type { WireDeployment } from './deployment.ts';

/** The largest page the list takes (section 8). */
export const MAX_PAGE_SIZE = 100;

/** One page of GET /v2/deployments (4.3). */
export interface WireDeploymentPage<Value = string> {
  readonly resources: readonly WireDeployment<Value>[];
  /** To be passed back for the next page (4.3). How it counts, and whether it is always there, is not shown. */
  readonly offset?: number | null;
}
