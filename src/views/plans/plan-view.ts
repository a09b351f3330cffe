import type { SyncedReason } from '../../api/condition.ts';
import { type Change, creationChanges } from '../../model/compare/change.ts';
import type { Plan, Withheld } from '../../model/plan/plan-kinds.ts';
import { revisionOf } from './plan-revision.ts';
import { unknownsOf, withoutUnknown } from './plan-unknowns.ts';
import type { Memory, PlanView } from './planned.ts';
import type { Decided } from '../../model/decide/plan.ts';
import type { Situation } from '../../model/plan/situation.ts';

/** A decision as far as a view of it needs it. */
export interface ViewedDecision extends Decided {
  readonly situation: Situation;
}

/** The placeholder for a hidden value in a view. */
const QUIET = { sends: false, message: '', changes: [], withheld: [], unknown: [] } as const;

/** A plan that was made, and the decision that it is part of where the service was looked at. */
export function planView(plan: Plan, decision: ViewedDecision | undefined, memory: Memory): PlanView {
  const view = approvable(ofPlan(plan, decision), memory);
  if (decision === undefined) return view;
  const { assessment } = decision;
  const unknown = assessment === undefined ? [] : unknownsOf(assessment, memory);
  const asked = plan.kind === 'patch' && (plan.cause === 'redeploy' || plan.cause === 'repair');
  const known = asked ? { ...view, unknown } : withoutUnknown({ ...view, unknown }, memory);
  return { ...known, revision: known.sends ? revisionOf(plan, decision, known.changes) : undefined };
}

/** The hash is made with the key of the controller: with another it would approve nothing. */
function approvable(view: PlanView, memory: Memory): PlanView {
  if (view.approval === undefined || memory === 'whole') return view;
  return { ...view, approval: undefined, message: 'sent once it is approved; the controller shows the hash' };
}

function ofPlan(plan: Plan, decision: ViewedDecision | undefined): PlanView {
  switch (plan.kind) {
    case 'nothing':
      return { ...QUIET, ...told(plan), action: QUIET_REASONS.has(plan.reason) ? 'None' : 'Held' };
    case 'patch':
      return { ...QUIET, action: 'Update', sends: true, changes: plan.changes, withheld: plan.withheld };
    case 'create':
      return {
        ...QUIET,
        ...{ action: 'Create', sends: true, message: `as ${plan.body.name}` },
        changes: decision === undefined ? [] : creationChanges(decision.situation.desired),
      };
    case 'delete':
      return { ...QUIET, action: 'Delete', sends: true, message: `deployment ${plan.id}` };
    case 'release':
      return { ...QUIET, action: 'Release', message: plan.message };
    case 'wait':
      return ofWait(plan, decision?.situation.resource.spec.driftPolicy !== 'Report');
    case 'blocked':
      return { ...QUIET, ...told(plan), action: 'Held' };
    case 'held':
      return { ...QUIET, action: 'Held', message: plan.message };
    case 'postponed':
      return { ...QUIET, action: 'Held', message: `${otherOf(plan, decision)} means the same deployment` };
  }
}

/**
 * The resource that came first, by its name where it is a neighbour: a tenant does not learn the names of another
 * one.
 */
function otherOf(
  { claimedBy = '' }: Extract<Plan, { kind: 'postponed' }>,
  decision: ViewedDecision | undefined,
): string {
  const [, namespace, name] = claimedBy.split('/');
  const beside = namespace === decision?.situation.resource.metadata.namespace;
  return beside && name !== undefined ? `${namespace}/${name}` : 'another resource';
}

/** Reasons for which nothing is sent and no person has to act. */
const QUIET_REASONS: ReadonlySet<SyncedReason> = new Set(['InSync', 'Differs', 'DriftReported']);

/** Reasons for waiting that end by themselves. */
const PASSING: ReadonlySet<SyncedReason> = new Set(['Pending', 'Sent']);

function ofWait(plan: Extract<Plan, { kind: 'wait' }>, corrects: boolean): PlanView {
  const { changes = [] } = plan;
  // A sent value that is not shown yet is not sent again; a value that was changed since is put back.
  const sends =
    plan.reason === 'Sent' ? corrects && changes.some(({ drift }) => drift === true) : changes.length > 0;
  const view = { ...QUIET, ...told(plan) };
  if (plan.hash !== undefined) return { ...view, action: 'Approve', sends: true, approval: plan.hash };
  return PASSING.has(plan.reason) ? { ...view, action: 'Wait', sends } : { ...view, action: 'Held' };
}

function told(plan: {
  readonly reason: SyncedReason;
  readonly message: string;
  readonly changes?: readonly Change[];
  readonly withheld?: readonly Withheld[];
}): Pick<PlanView, 'reason' | 'message' | 'changes' | 'withheld'> {
  const { reason, message, changes = [], withheld = [] } = plan;
  return { reason, message, changes, withheld };
}

/** A fact that could not be found out, with the reason. */
export function failedView(message: string, reason?: SyncedReason): PlanView {
  return { ...QUIET, action: 'Error', reason, message };
}
