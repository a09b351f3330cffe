import type { DeploymentResource } from '../../api/deployment.ts';
import type { Outcome } from '../../model/outcome/outcome.ts';
import type { WritePlan } from '../../model/status/announced-status.ts';
import type { ViewedDecision } from '../../views/plans/plan-view.ts';

/** A write that a pass proposes. */
export type WriteOperation = WritePlan['kind'];

/** The result of a pass whose write was refused at the gate. */
export type HeldBack = Extract<Outcome, { readonly kind: 'postponed' | 'waiting' }>;

/** Asked by every pass that decided to write, before anything is claimed, announced or sent. */
export interface WriteGate {
  /** Undefined where the write may go. */
  holdsBack(
    resource: DeploymentResource,
    operation: WriteOperation,
    decision: ViewedDecision,
  ): HeldBack | undefined;
}
