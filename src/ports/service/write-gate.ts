import type { DeploymentResource } from '../../api/deployment.ts';
import type { Outcome } from '../../model/outcome/outcome.ts';
import type { WritePlan } from '../../model/status/announced-status.ts';
import type { ViewedDecision } from '../../views/plans/plan-view.ts';

/** The kind of a write that a pass proposes. */
export type WriteOperation = WritePlan['kind'];

/** The outcome of a pass whose write the gate refused. */
export type HeldBack = Extract<Outcome, { readonly kind: 'postponed' | 'waiting' }>;

/** Decides on every write of a pass, before anything is claimed, announced or sent. */
export interface WriteGate {
  /** Returns undefined if the write may proceed. */
  holdsBack(
    resource: DeploymentResource,
    operation: WriteOperation,
    decision: ViewedDecision,
  ): HeldBack | undefined;
}
