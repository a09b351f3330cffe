import type { SyncedReason } from '../../api/condition.ts';
import type { Assessment } from '../compare/assess.ts';
import { MEANING } from './conditions.ts';
import { inSyncMessage } from '../compare/change.ts';
import type { Outcome } from '../outcome/outcome.ts';
import type { Plan } from '../plan/plan-kinds.ts';
import { toldBeside, toldOf } from '../plan/withheld.ts';

/** The content of the condition. */
interface Synced {
  readonly reason: SyncedReason;
  readonly message: string;
}

/**
 * The same for a resource that is being deleted: that comes first, and what passes by itself is what the deletion waits
 * for (R11). A reason that needs a person, or an approval, keeps its own name.
 */
export function syncedWhileDeleting({ reason, message }: Synced): Synced {
  const passes = MEANING[reason].beside === 'Reconciling' && reason !== 'AwaitingApproval';
  if (!passes || reason === 'Deleting') return { reason, message };
  return { reason: 'Deleting', message: `the deletion waits: ${message}` };
}

/** The reason of Synced after a pass that came to this outcome, and the text that goes with it. */
export function syncedAfter(
  outcome: Outcome,
  plan: Plan | undefined,
  assessment: Assessment | undefined,
): Synced {
  switch (outcome.kind) {
    case 'settled':
    case 'waiting':
      return outcome;
    case 'released':
      return { reason: 'Deleting', message: outcome.message };
    case 'held':
      return { reason: 'Paused', message: outcome.message };
    case 'postponed':
      throw new Error('a postponed pass is not recorded');
    case 'applied':
      return afterWrite(outcome, plan, assessment);
    case 'failed': {
      const { failure, message } = outcome;
      const told = { reason: failure.kind === 'bug' ? 'Retrying' : failure.reason, message };
      return toldBeside(told, plan?.kind === 'patch' ? plan.withheld : []);
    }
  }
}

function afterWrite(
  outcome: Extract<Outcome, { kind: 'applied' }>,
  plan: Plan | undefined,
  assessment: Assessment | undefined,
): Synced {
  if (plan?.kind === 'delete' && plan.inVain !== undefined)
    return { reason: 'DeleteNotSupported', message: plan.inVain };
  if (plan?.kind === 'delete')
    return { reason: 'Deleting', message: 'deletion was asked for; waiting until it is gone' };
  if (outcome.answer.kind === 'unclear' || assessment === undefined) {
    const why = outcome.answer.kind === 'unclear' ? outcome.answer.why : 'nothing was shown';
    return { reason: 'Sent', message: `sent; the answer does not show the result (${why})` };
  }
  if (outcome.open.length > 0) {
    const message = `sent; the answer does not show ${outcome.open.join(', ')}, which were left out: the list is asked`;
    return { reason: 'Sent', message };
  }
  const withheld = plan?.kind === 'patch' ? toldOf(plan.withheld) : undefined;
  if (withheld !== undefined) return withheld;
  const open = assessment.judgements.filter(({ verdict }) => verdict !== 'in-sync' && verdict !== 'adopt');
  if (open.length === 0) return { reason: 'InSync', message: inSyncMessage(assessment.judgements) };
  const paths = open.map((j) => j.desired.field.path).join(', ');
  const reported = plan?.kind === 'patch' ? plan.reported : [];
  if (open.every(({ desired }) => reported.includes(desired.field.path)))
    return {
      reason: 'DriftReported',
      message: `sent without what is only reported (spec.driftPolicy): ${paths}`,
    };
  return { reason: 'Sent', message: `sent; the answer does not show it yet: ${paths}` };
}
