import type { NextStep, ScreenPlan } from './deployment-screen.ts';
import type { FleetRow } from './fleet-screen.ts';
import type { ScreenAction } from './screen-action.ts';

/** Everything that only a person brings further: plans to approve first, then what is stalled, then what is paused. */
export interface WaitingScreen {
  /** Such as `3 plans wait for approval · 1 is stalled · 2 are paused`. */
  readonly sentence: string;
  readonly rows: readonly WaitingRow[];
  readonly total: number;
  /** From 1. */
  readonly page: number;
  /** At least 1. */
  readonly pages: number;
}

/** One resource that waits for a person. */
export interface WaitingRow {
  readonly kind: 'approve' | 'stalled' | 'paused';
  readonly row: FleetRow;
  readonly resourceVersion: string;
  /** Why, and what helps. */
  readonly next: NextStep;
  /** The plan to approve. */
  readonly plan?: ScreenPlan;
  /** Those that help. */
  readonly actions: readonly ScreenAction[];
}
