import type { Condition, ConditionType, Reason, SyncedReason } from '../../api/condition.ts';
import type { DeploymentStatus } from '../../api/deployment.ts';
import type { Rollout } from '../external/rollout.ts';
import { type ConditionDraft, settledCondition } from './settled-condition.ts';
import type { Assessment } from '../compare/assess.ts';
import { onlyAnsweredMessage } from '../decide/only-answered.ts';
import { inSyncMessage } from '../compare/change.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import type { Outcome } from '../outcome/outcome.ts';
import type { Plan, Withheld } from '../plan/plan.ts';
import { toldBeside, toldOf } from '../plan/withheld.ts';

/**
 * How Ready gets its status. `kept`: unchanged until Synced has been Unknown for five minutes, then Unknown.
 * `unchanged`: always unchanged. `rollout`: by the newest revision. In no case is it True for a generation that was not
 * carried out (R1).
 */
type ReadyBy = 'True' | 'False' | 'Unknown' | 'kept' | 'unchanged' | 'rollout';

interface Meaning {
  readonly synced: Condition['status'];
  readonly ready: ReadyBy;
  /** The abnormal condition that accompanies the reason, if any. */
  readonly beside: 'Reconciling' | 'Stalled' | 'neither';
}

/** The statuses of the conditions for each reason: the table of docs/conditions.md. */
export const MEANING: Readonly<Record<SyncedReason, Meaning>> = {
  Paused: { synced: 'Unknown', ready: 'unchanged', beside: 'neither' },
  Deleting: { synced: 'False', ready: 'False', beside: 'Reconciling' },
  DeleteNotSupported: { synced: 'False', ready: 'False', beside: 'Stalled' },
  BeingDeleted: { synced: 'False', ready: 'False', beside: 'Stalled' },
  ConnectionNotFound: { synced: 'Unknown', ready: 'kept', beside: 'Reconciling' },
  ConnectionNotReady: { synced: 'Unknown', ready: 'kept', beside: 'Reconciling' },
  ConnectionChanged: { synced: 'False', ready: 'Unknown', beside: 'Stalled' },
  TenantChanged: { synced: 'False', ready: 'Unknown', beside: 'Stalled' },
  NameNotAllowed: { synced: 'False', ready: 'Unknown', beside: 'Stalled' },
  InvalidSpec: { synced: 'False', ready: 'False', beside: 'Stalled' },
  SourceMismatch: { synced: 'False', ready: 'False', beside: 'Stalled' },
  AmbiguousName: { synced: 'False', ready: 'False', beside: 'Stalled' },
  NameTaken: { synced: 'False', ready: 'False', beside: 'Stalled' },
  NotFound: { synced: 'False', ready: 'False', beside: 'Stalled' },
  OwnershipConflict: { synced: 'False', ready: 'False', beside: 'Stalled' },
  Unreadable: { synced: 'Unknown', ready: 'Unknown', beside: 'Stalled' },
  CreatePending: { synced: 'Unknown', ready: 'False', beside: 'Reconciling' },
  NotVisibleYet: { synced: 'Unknown', ready: 'False', beside: 'Reconciling' },
  ProviderMissing: { synced: 'False', ready: 'False', beside: 'Reconciling' },
  RepositoryNotFound: { synced: 'False', ready: 'False', beside: 'Reconciling' },
  SecretMissing: { synced: 'False', ready: 'False', beside: 'Reconciling' },
  ImmutableFieldChanged: { synced: 'False', ready: 'False', beside: 'Stalled' },
  SemanticsMismatch: { synced: 'False', ready: 'False', beside: 'Stalled' },
  UnmanagedSecretsPresent: { synced: 'False', ready: 'False', beside: 'Stalled' },
  SecretVisibilityUnproven: { synced: 'False', ready: 'False', beside: 'Stalled' },
  FieldNotClearable: { synced: 'False', ready: 'False', beside: 'Stalled' },
  NotConverging: { synced: 'False', ready: 'False', beside: 'Stalled' },
  RevisionBudgetExhausted: { synced: 'False', ready: 'False', beside: 'Stalled' },
  DriftCorrectionSuspended: { synced: 'False', ready: 'False', beside: 'Stalled' },
  Rejected: { synced: 'False', ready: 'False', beside: 'Stalled' },
  TooLarge: { synced: 'False', ready: 'False', beside: 'Stalled' },
  Forbidden: { synced: 'False', ready: 'False', beside: 'Stalled' },
  AwaitingApproval: { synced: 'False', ready: 'False', beside: 'Reconciling' },
  DriftReported: { synced: 'False', ready: 'rollout', beside: 'neither' },
  Differs: { synced: 'False', ready: 'rollout', beside: 'neither' },
  Pending: { synced: 'Unknown', ready: 'Unknown', beside: 'Reconciling' },
  Sent: { synced: 'Unknown', ready: 'Unknown', beside: 'Reconciling' },
  OutcomeUnknown: { synced: 'Unknown', ready: 'Unknown', beside: 'Reconciling' },
  Retrying: { synced: 'Unknown', ready: 'Unknown', beside: 'Reconciling' },
  InSync: { synced: 'True', ready: 'rollout', beside: 'neither' },
};

/** The time for which `Ready` stays unchanged after a connection stopped answering. */
const KEPT_MS = 300_000;

type Stored = NonNullable<DeploymentStatus['conditions']>;
type Draft = ConditionDraft<Stored[number]['type'], Stored[number]['reason']>;

/** The facts for the conditions. */
export interface ConditionFacts {
  readonly reason: SyncedReason;
  readonly message: string;
  /** The rollout; absent if this pass did not see the deployment. */
  readonly rollout: Rollout | undefined;
  readonly generation: number;
  /** True if the service shows, or once showed, the spec of this generation. */
  readonly carriedOut: boolean;
  readonly nowMs: number;
}

/** Returns the conditions after a pass. */
export function conditionsFor(previous: Stored | undefined, facts: ConditionFacts): Stored {
  const meaning = MEANING[facts.reason];
  const ready = readyDraft(previous, meaning.ready, facts);
  const rollout = meaning.ready === 'rollout' ? facts.rollout : undefined;
  const beside = rollout?.stalled ? 'Stalled' : rollout?.rolling ? 'Reconciling' : meaning.beside;
  const drafts: Draft[] = [ready, draft('Synced', meaning.synced, facts.reason, facts.message)];
  if (beside !== 'neither') {
    const [reason, message] =
      rollout === undefined ? [facts.reason, facts.message] : [rollout.reason, rollout.message];
    drafts.push(draft(beside, 'True', reason, message));
  }
  return drafts.map((next) => settledCondition(previous, next, facts));
}

/** Returns the conditions of a held resource: Synced reports the hold, and Ready and the generations stay. */
export function heldConditions(previous: Stored | undefined, message: string, nowMs: number): Stored {
  const generation = find(previous, 'Synced')?.observedGeneration ?? 0;
  const ready = find(previous, 'Ready') ?? draft('Ready', 'Unknown', 'Paused', message);
  const synced = draft('Synced', 'Unknown', 'Paused', message);
  return [ready, synced].map((next) => settledCondition(previous, next, { generation, nowMs }));
}

/**
 * Returns the draft of Ready. Tools that wait for Ready take True as the proof that exactly this generation is carried
 * out.
 */
function readyDraft(previous: Stored | undefined, by: ReadyBy, facts: ConditionFacts): Draft {
  const ready = readyOf(previous, by, facts);
  const mayBeTrue = ready.status !== 'True' || facts.carriedOut;
  return mayBeTrue ? ready : draft('Ready', 'Unknown', facts.reason, facts.message);
}

function readyOf(previous: Stored | undefined, by: ReadyBy, facts: ConditionFacts): Draft {
  const { reason, message, rollout } = facts;
  switch (by) {
    case 'True':
    case 'False':
    case 'Unknown':
      return draft('Ready', by, reason, message);
    case 'rollout':
      return rollout === undefined
        ? draft('Ready', 'Unknown', reason, message)
        : draft('Ready', rollout.ready, rollout.reason, rollout.message);
    case 'unchanged':
      return find(previous, 'Ready') ?? draft('Ready', 'Unknown', reason, message);
    case 'kept':
      return kept(previous, facts) ?? draft('Ready', 'Unknown', reason, message);
  }
}

/**
 * Returns the previous status of Ready if this generation was carried out, until Synced has been Unknown for too long.
 * A pause also makes Synced Unknown, so Ready stays for no longer than that time after the last look, whatever the
 * reasons in between.
 */
function kept(
  previous: Stored | undefined,
  { generation, carriedOut, nowMs }: ConditionFacts,
): Draft | undefined {
  const [ready, synced] = [find(previous, 'Ready'), find(previous, 'Synced')];
  if (!carriedOut || ready?.observedGeneration !== generation) return undefined;
  const sinceMs = synced?.status === 'Unknown' ? Date.parse(synced.lastTransitionTime) : nowMs;
  // A time in the future is from before the clock was set back; one far ahead says nothing.
  return Math.abs(nowMs - sinceMs) < KEPT_MS ? ready : undefined;
}

function draft(type: ConditionType, status: Condition['status'], reason: Reason, message: string): Draft {
  return { type, status, reason, message };
}

function find(conditions: Stored | undefined, type: string): Stored[number] | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The content of the condition. */
interface Synced {
  readonly reason: SyncedReason;
  readonly message: string;
}

/**
 * Returns the condition of a resource that is being deleted. The reason is the deletion, and a temporary reason becomes
 * what the deletion waits for (R11). A reason that needs a person, or an approval, keeps its name.
 */
export function syncedWhileDeleting({ reason, message }: Synced): Synced {
  const passes = MEANING[reason].beside === 'Reconciling' && reason !== 'AwaitingApproval';
  if (!passes || reason === 'Deleting') return { reason, message };
  return { reason: 'Deleting', message: `the deletion waits: ${message}` };
}

/** Returns the reason and the message of Synced after a pass with this outcome. */
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
    return {
      reason: 'Deleting',
      message: 'the operator asked for the deletion; waiting until the deployment is gone',
    };
  if (outcome.answer.kind === 'unclear' || assessment === undefined) {
    const why = outcome.answer.kind === 'unclear' ? outcome.answer.why : 'nothing was shown';
    return { reason: 'Sent', message: `sent; the answer does not show the result (${why})` };
  }
  if (outcome.open.length > 0) {
    const message = `sent; the answer does not show ${outcome.open.join(', ')}, which the write left out; the operator reads the list`;
    return { reason: 'Sent', message };
  }
  const withheld = plan?.kind === 'patch' ? toldOf(stillWithheld(plan.withheld, assessment)) : undefined;
  if (withheld !== undefined) return withheld;
  const open = openAfterWrite(assessment);
  if (open.length === 0) return answeredInSync(plan, assessment);
  const paths = open.join(', ');
  // A field is cleared once. One that shows a value again is no drift.
  const cleared = assessment.judgements.filter(({ desired }) => desired.cleared);
  const emptied = new Set(cleared.map(({ desired }) => desired.field.path));
  const reported = plan?.kind === 'patch' ? plan.reported : [];
  if (open.every((path) => reported.includes(path) && !emptied.has(path)))
    return {
      reason: 'DriftReported',
      message: `sent without fields that are only reported (spec.driftPolicy): ${paths}`,
    };
  return { reason: 'Sent', message: `sent; the answer does not show it yet: ${paths}` };
}

/** Returns the condition after an answer that shows everything as the spec asks. */
function answeredInSync(plan: Plan | undefined, { judgements }: Assessment): Synced {
  const doubt = plan?.kind === 'patch' ? onlyAnsweredMessage(plan.announcement.budget) : undefined;
  return doubt === undefined
    ? { reason: 'InSync', message: inSyncMessage(judgements) }
    : { reason: 'Sent', message: doubt };
}

/**
 * Returns the withheld fields that an answer does not show as the spec asks. The look behind the decision may have been a
 * list that lags, or have become old during the write.
 */
function stillWithheld(withheld: readonly Withheld[], { judgements }: Assessment): readonly Withheld[] {
  const shown = judgements.filter(
    ({ verdict, digests }) => digests.shown !== undefined && (verdict === 'in-sync' || verdict === 'adopt'),
  );
  return withheld.filter(({ path }) => !shown.some(({ desired }) => desired.field.path === path));
}

/** Returns the paths of values that an answer does not show as the spec asks, and of secrets that it still lists. */
function openAfterWrite({ judgements, secrets }: Assessment): readonly string[] {
  const fields = judgements
    .filter(({ verdict }) => verdict !== 'in-sync' && verdict !== 'adopt')
    .map(({ desired }) => desired.field.path);
  const isSettled = secrets.verdict === 'in-sync' || secrets.verdict === 'unmanaged';
  const removed = [...secrets.still, ...secrets.leftOut];
  return isSettled && removed.length === 0 ? fields : [...fields, SECRETS_PATH];
}
