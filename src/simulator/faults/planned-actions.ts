import type { Action } from './actors.ts';
import type { RequestMatch } from './scenario.ts';

/** An action that waits for a request. */
export interface PlannedAction {
  readonly match: RequestMatch;
  readonly action: Action;
  /** Right before the request is handled, which is the default, or right after it was answered. */
  readonly when?: 'before' | 'after';
  /** So much later than that. */
  readonly delaySeconds?: number;
  /** For how many requests in a row. Default: 1; 0 means all. */
  readonly times?: number;
}

/** True for an action that comes at this side of a request. */
export function comes(side: 'before' | 'after'): (planned: PlannedAction) => boolean {
  return ({ when = 'before' }) => when === side;
}
