import type { SyncedReason } from '../../api/condition.ts';
import { type Change, creationChanges } from '../../model/compare/change.ts';
import type { Plan, Withheld } from '../../model/plan/plan.ts';
import type { ExpectedRevision, Memory, PlanView, Unknown } from './planned-resource.ts';
import type { Decided } from '../../model/decide/make-plan.ts';
import type { Situation } from '../../model/plan/situation.ts';
import type { Assessment } from '../../model/compare/assess.ts';
import type { Judgement } from '../../model/compare/judge-fields.ts';
import { SECRETS_PATH } from '../../model/desired/fields.ts';
import { mayMakeRevision } from '../../model/external/patch-body.ts';

/** The parts of a decision that a view needs. */
export interface ViewedDecision extends Decided {
  readonly situation: Situation;
}

/** A view of a plan that sends nothing and has nothing to show. */
const QUIET = { sends: false, message: '', changes: [], withheld: [], unknown: [] } as const;

/** Returns the view of a plan, and of its decision if the service was read. */
export function planView(plan: Plan, decision: ViewedDecision | undefined, memory: Memory): PlanView {
  const view = approvable(ofPlan(plan, decision), memory);
  if (decision === undefined) return view;
  const { assessment } = decision;
  const unknown = assessment === undefined ? [] : unknownsOf(assessment, memory);
  const asked = plan.kind === 'patch' && (plan.cause === 'redeploy' || plan.cause === 'repair');
  const known = asked ? { ...view, unknown } : withoutUnknown({ ...view, unknown }, memory);
  return { ...known, revision: known.sends ? revisionOf(plan, decision, known.changes) : undefined };
}

/** Removes the hash from a view if it was not made with the controller's key: such a hash would approve nothing. */
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
 * Describes the resource that came first. Names it only if it is in the same namespace: a tenant must not learn the
 * names of another tenant.
 */
function otherOf(
  { claimedBy = '' }: Extract<Plan, { kind: 'postponed' }>,
  decision: ViewedDecision | undefined,
): string {
  const [, namespace, name] = claimedBy.split('/');
  const beside = namespace === decision?.situation.resource.metadata.namespace;
  return beside && name !== undefined ? `${namespace}/${name}` : 'another resource';
}

/** Reasons with which nothing is sent and no person has to act. */
const QUIET_REASONS: ReadonlySet<SyncedReason> = new Set(['InSync', 'Differs', 'DriftReported']);

/** Reasons for waiting that end by themselves. */
const PASSING: ReadonlySet<SyncedReason> = new Set(['Pending', 'Sent']);

function ofWait(plan: Extract<Plan, { kind: 'wait' }>, corrects: boolean): PlanView {
  const { changes = [] } = plan;
  // A sent value that the service does not show yet is not sent again. A value that was changed since then is sent
  // again.
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

/** Returns a view for a plan that could not be made, with the reason. */
export function failedView(message: string, reason?: SyncedReason): PlanView {
  return { ...QUIET, action: 'Error', reason, message };
}

const FORGOTTEN: Readonly<Record<Exclude<Memory, 'whole'>, string>> = {
  none: 'no earlier write is remembered here',
  'paths only': 'the key of what was applied may not be read',
};

/**
 * Returns the values that the service does not show. Only the memory of earlier writes could tell whether they differ.
 */
function unknownsOf(assessment: Assessment, memory: Memory): readonly Unknown[] {
  if (memory === 'whole') return [];
  const fields = assessment.judgements.filter(isUnseen).map(({ desired }) => ({
    path: desired.field.path,
    why: `the service does not show it, and ${FORGOTTEN[memory]}`,
  }));
  return areSecretsUnseen(assessment, memory)
    ? [
        ...fields,
        { path: SECRETS_PATH, why: `values that the service shows may be masks, and ${FORGOTTEN[memory]}` },
      ]
    : fields;
}

function isUnseen({ verdict, shown }: Judgement): boolean {
  return shown === undefined && (verdict === 'first' || verdict === 'change');
}

/**
 * True if this look cannot judge secrets. Without any memory, `apply` holds them too. The controller may know more,
 * since its key may be unreadable here.
 */
function areSecretsUnseen({ secrets: { verdict, withheld } }: Assessment, memory: Memory): boolean {
  const isHeld = withheld?.reason === 'SecretVisibilityUnproven' && memory === 'paths only';
  return verdict === 'first' || verdict === 'change' || isHeld;
}

/**
 * Returns a plan without the parts that only the controller can judge: it has the key of the applied values, which this
 * look may not read. Without any memory the plan stays whole, since `apply` would know no more at its start.
 */
function withoutUnknown(view: PlanView, memory: Memory): PlanView {
  if (memory !== 'paths only') return view;
  const left = new Set(view.unknown.map(({ path }) => path));
  const isKnown = ({ path }: { readonly path: string }): boolean => !left.has(path);
  const changes = view.changes.filter(isKnown);
  const withheld = view.withheld.filter(isKnown);
  const same = changes.length === view.changes.length && withheld.length === view.withheld.length;
  if (same || changes.length > 0 || withheld.length > 0) return { ...view, changes, withheld };
  const message = 'nothing differs as far as that can be known';
  return { ...view, action: 'None', sends: false, reason: undefined, message, changes, withheld };
}

/** The number of paths that a reason names; the others are only counted. */
const PATHS_TOLD = 3;

/** Predicts whether a plan makes a revision. */
function revisionOf(
  plan: Plan,
  { situation: { learned } }: { readonly situation: Pick<Situation, 'learned'> },
  changes: readonly Change[],
): ExpectedRevision {
  if (plan.kind === 'delete') return { expected: 'None', why: 'a deletion makes none' };
  if (plan.kind === 'create')
    return { expected: 'Expected', why: 'a new deployment begins with its first revision' };
  if (plan.kind === 'patch') {
    if (plan.cause === 'redeploy')
      return { expected: 'Expected', why: 'the redeploy annotation asks for one' };
    const sendsBlock = plan.body.sourceRevisionConfig !== undefined;
    if (sendsBlock && learned.revisionTrigger?.verdict === 'Presence')
      return { expected: 'Expected', why: 'this service makes one for every revision block that it is sent' };
  }
  if (plan.kind !== 'patch') return revisionOfChanges(changes);
  const expected = revisionOfChanges(sentOf(plan, changes));
  if (expected.expected !== 'None' || !mayMakeRevision(plan.body)) return expected;
  return { expected: 'Possible', why: 'parts that a revision is made of go along as they are' };
}

/** Returns the differences that the request carries; others are only reported. */
function sentOf(
  { announcement }: Extract<Plan, { kind: 'patch' }>,
  changes: readonly Change[],
): readonly Change[] {
  return changes.filter(({ path }) => announcement.paths.includes(path));
}

/** Predicts a revision from fields alone. */
export function revisionOfChanges(changes: readonly Change[]): ExpectedRevision {
  const [expected, possible] = (['Expected', 'Possible'] as const).map((revision) =>
    changes.filter((change) => change.revision === revision).map(({ path }) => path),
  );
  if (expected !== undefined && expected.length > 0)
    return { expected: 'Expected', why: `${listed(expected)} is part of what a revision is made of` };
  if (possible !== undefined && possible.length > 0)
    return { expected: 'Possible', why: `the service does not say whether ${listed(possible)} makes one` };
  return { expected: 'None', why: 'nothing that is sent is part of a revision' };
}

function listed(paths: readonly string[]): string {
  const more = paths.length > PATHS_TOLD ? ` and ${paths.length - PATHS_TOLD} more` : '';
  return `${paths.slice(0, PATHS_TOLD).join(', ')}${more}`;
}
