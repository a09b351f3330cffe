import { annotation, observesOnly, reportsDrift } from '../../api/deployment.ts';
import { outOfBudget, waitForApproval } from '../plan/wait-for-approval.ts';
import { fieldPart } from '../recorded/baseline.ts';
import { type BodyMode, bodyMode } from './body-mode.ts';
import { newGenerationOf } from '../plan/budget.ts';
import { DEFAULTS } from '../connection/connection.ts';
import { writeShownMs } from '../compare/assess.ts';
import { type Change, countOf, putBack, secretsLost } from '../compare/change.ts';
import { isRedeployRepeated } from '../compare/redeploy.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { areNaming, isShown, WHOLE_SPEC } from '../effects/effect-of.ts';
import { unprovenIn } from '../effects/beyond-unshown.ts';
import { untouchedBy } from '../effects/untouched.ts';
import { shownOtherwise } from '../effects/with-theirs.ts';
import { mayMakeRevision, type PatchBody } from '../external/patch-body.ts';
import type { Plan } from '../plan/plan.ts';
import { heldAfterRefusal } from '../plan/refusal.ts';
import type { Present } from '../plan/situation.ts';
import { type Selection, select } from './selection.ts';
import { toldOf, waitingBeside } from '../plan/withheld.ts';
import { lacksOurs } from './lacks-ours.ts';
import { mayLackCarried, withCarriedBy } from './last-carried.ts';
import { acceptedPatch } from '../recorded/accepted-patch.ts';
import { mayPrecedeOurs } from './may-precede-ours.ts';
import { bodyOf, bodyPartOf, causeOf, newRevisionOf, patchPlan, sentPaths } from './patch-plan.ts';

/**
 * Proposes a PATCH for the differences, and decides whether all of them may be sent now. The first match wins;
 * undefined if nothing differs.
 */
export function proposePatch(present: Present): Plan | undefined {
  return proposeFor(present, select(present));
}

function proposeFor(present: Present, selection: Selection): Plan | undefined {
  const { changes, withheld, later } = selection;
  const quiet = changes.length === 0 && withheld.length === 0 && !later;
  if (quiet && !selection.redeploy && !selection.repair) return undefined;
  const differs = changes.length > 0 || withheld.length > 0;
  if (observesOnly(present.resource) && (differs || !later)) return toldOnly(selection);
  const still = nothingToSend(present, selection) ?? waitForOthers(present, selection);
  if (still !== undefined) return still;
  const mode = bodyMode(present, selection);
  if (mode.kind === 'possible')
    return proposeBody(present, withCarried(losing(selection, present, mode), present, mode), mode);
  // No later pass asks for the repetition of a redeploy.
  if (selection.redeploy && isRedeployRepeated(present.resource, present.assessment))
    return proposeFor(present, { ...selection, redeploy: false });
  return waitingBeside(wouldLose(mode, selection), selection.withheld);
}

/** Returns the request, which has no unforeseen losses, or the reason why it must wait. */
function proposeBody(
  present: Present,
  selection: Selection,
  mode: Extract<BodyMode, { kind: 'possible' }>,
): Plan | undefined {
  const body = bodyOf(present, selection, mode);
  const revision = mayMakeRevision(body);
  const plan =
    waitForNewerLook(present, selection, mode) ??
    waitForRollout(present, selection, revision) ??
    waitForCarried(present, selection, body) ??
    waitForUnseen(present, selection, body) ??
    (revision ? noRoom(present, selection) : undefined) ??
    refusedBefore(present, selection) ??
    waitForReport(selection, body) ??
    waitForApproval(present, approvable(present, selection, mode), withRepair(selection, present));
  if (plan !== undefined) return waitingBeside(plan, selection.withheld);
  return patchPlan(present, selection, { body, unsaved: mode.unsaved });
}

/** Returns the changes with those of a repair, which a person approves too. */
function withRepair({ changes }: Selection, { assessment }: Present): readonly Change[] {
  const told = new Set(changes.map(({ path }) => path));
  return [...changes, ...assessment.lost.filter((path) => !told.has(path)).map(putBack)];
}

/** Adds the secrets that a full body loses to the changes. A repair does not: its secrets are already lost. */
function losing(
  selection: Selection,
  { assessment }: Present,
  { unsaved }: Extract<BodyMode, { kind: 'possible' }>,
): Selection {
  if (unsaved.length === 0 || assessment.lost.length > 0) return selection;
  return { ...selection, changes: [...selection.changes, secretsLost(unsaved)] };
}

/**
 * Adds the values that seem refused to a repair with a whole body. Such a body carries them anyway, and our write that
 * emptied the rest may also have emptied the value that the service kept instead. Values that may be changed are not
 * added: they are sent again after the window.
 */
function withCarried(
  selection: Selection,
  { assessment }: Present,
  { base }: Extract<BodyMode, { kind: 'possible' }>,
): Selection {
  if (base === undefined || !selection.repair) return selection;
  const others = new Set([...sentPaths(selection), ...selection.unsendable, ...selection.reported]);
  const carried = assessment.judgements.filter(
    ({ desired: { field, cleared }, verdict }) =>
      verdict === 'ignored' && field.mayBeImmutable && !cleared && !others.has(field.path),
  );
  return { ...selection, send: [...selection.send, ...carried] };
}

/**
 * Returns the plan of Observe, which only reports: it sends nothing for a difference, a redeploy, or values that
 * another person's write emptied.
 */
function toldOnly({ changes, withheld }: Selection): Plan | undefined {
  if (changes.length > 0) {
    const message = `${countOf(changes)} would be made if spec.managementPolicy were Manage`;
    return { kind: 'nothing', reason: 'Differs', message, changes, withheld: [] };
  }
  const told = toldOf(withheld);
  return told && { kind: 'nothing', ...told, changes, withheld };
}

function nothingToSend(present: Present, selection: Selection): Plan | undefined {
  const { assessment, observed, resource } = present;
  if (selection.send.length > 0 || selection.sendSecrets || selection.redeploy || selection.repair)
    return undefined;
  const { withheld, unsendable, changes } = selection;
  const told = toldOf(withheld);
  const again = selection.later ? { againInMs: DEFAULTS.pollRolloutMs } : {};
  if (told !== undefined) return { kind: 'nothing', ...told, changes, withheld, unsendable, ...again };
  if (selection.reported.length > 0) {
    // A process that did not make the write knows the losses from the status.
    const recorded = (resource.status?.lost ?? []).filter((path) => isShown(observed, path) !== true);
    const lost = [...assessment.unrestored, ...recorded];
    const names = assessment.secrets.names.map((name) => `${SECRETS_PATH}.${name}`);
    const reported = selection.reported.flatMap((path) => (path === SECRETS_PATH ? names : [path]));
    const isLost = reported.every((path) => areNaming(lost, path));
    const how = isLost ? 'since a write of ours' : writerOf(present, selection);
    const message = `${countOf(changes)} ${how}, reported and not corrected (spec.driftPolicy)`;
    return { kind: 'nothing', reason: 'DriftReported', message, changes, withheld, unsendable, ...again };
  }
  const message = changes.some(({ drift }) => drift === true)
    ? 'changed at the service soon after our write; a later look decides whether it is drift'
    : 'the service may not show the effect of the last write yet; looking again';
  return { kind: 'wait', reason: 'Sent', message, againInMs: DEFAULTS.pollRolloutMs, changes };
}

/**
 * Says who made the reported changes. Values that are shown as before our write may never have changed: the service may
 * have answered only as if it took them.
 */
function writerOf({ assessment }: Present, { reported }: Selection): string {
  const isAsBefore = (path: string): boolean =>
    assessment.judgements.some(
      ({ desired, digests: { was, shown } }) =>
        desired.field.path === path && was !== undefined && was === shown,
    );
  return reported.every(isAsBefore)
    ? 'that the service did not keep, or that another writer undid'
    : 'by another writer';
}

/**
 * Makes a rotated secret wait a moment for further ones, so that secrets which rotate together make one request (H12).
 */
function waitForOthers(present: Present, selection: Selection): Plan | undefined {
  const { assessment } = present;
  const rotated = assessment.secrets.verdict === 'change' && assessment.evidence.kind === 'none';
  if (!rotated || causeOf(present, selection) !== 'secret' || wasMissed(present)) return undefined;
  const dueMs = (present.rotationSeenMs ?? present.nowMs) + DEFAULTS.secretDebounceMs;
  if (present.nowMs >= dueMs) return undefined;
  return { kind: 'postponed', againInMs: dueMs - present.nowMs, rotation: true };
}

/**
 * True if a Secret was missing for longer than a rotation by deletion takes. Then its values are sent as soon as it
 * exists (H19).
 */
function wasMissed({ secretMissedMs, nowMs }: Present): boolean {
  return secretMissedMs !== undefined && nowMs - secretMissedMs >= DEFAULTS.secretDebounceMs;
}

/** Returns the plan that sends nothing, because a request would lose values that cannot be restored (N1). */
function wouldLose(
  { reason, message }: Extract<BodyMode, { kind: 'impossible' }>,
  { changes, withheld }: Selection,
): Plan {
  return { kind: 'nothing', reason, message, changes, withheld };
}

/**
 * Makes a full body wait while the shown values may be from before our last write, or from before a change by another
 * client: the body repeats them, and would undo that write or that change. A process that did not make the write does not
 * know which values it restored. A repair does not wait, since its values come from older looks.
 */
function waitForNewerLook(
  present: Present,
  { later, changes }: Selection,
  { base }: Extract<BodyMode, { kind: 'possible' }>,
): Plan | undefined {
  const { assessment, observation, resource, settings, inherited } = present;
  const { leftOut = [], lastPatch } = resource.status ?? {};
  // A list may still show what a field had before the write of an earlier process, also of one that the spec released.
  const isReleased = (lastPatch?.paths ?? []).some(
    (path) => path.includes('.') && !managedPaths(present).has(path),
  );
  const isOpen = inherited && (leftOut.length > 0 || isReleased);
  const mayBeOlder =
    later ||
    (isOpen && observation.beganMs < writeShownMs(resource, settings)) ||
    mayPrecedeOurs(present, managedPaths(present)) ||
    mayBeTheirs(present);
  if (base === undefined || !mayBeOlder || assessment.lost.length > 0) return undefined;
  const message = 'a request has to contain every value, and those shown may be out of date; looking again';
  return { kind: 'wait', reason: 'Pending', message, againInMs: DEFAULTS.pollRolloutMs, changes };
}

/**
 * Under `Report`, makes a request wait while nothing tells whether somebody has changed a value of a block that it carries
 * whole: the request would put the declared value back.
 */
function waitForReport({ unsettled, changes }: Selection, body: PatchBody): Plan | undefined {
  const carried = unsettled.filter((path) =>
    path.startsWith(`${WHOLE_SPEC}.`)
      ? body.sourceConfig?.resourceSpec !== undefined
      : path.startsWith('sourceRevisionConfig.') && body.sourceRevisionConfig !== undefined,
  );
  if (carried.length === 0) return undefined;
  const message = `a request would put back ${carried.join(', ')}, which somebody may have changed; looking again`;
  return { kind: 'wait', reason: 'Pending', message, againInMs: DEFAULTS.pollRolloutMs, changes };
}

/**
 * Makes a request wait while the look lacks a value of the revision block that our last write carried and that this
 * request leaves out: the look may be older than that write. If the service then emptied the value, nothing would show
 * that there had been one.
 */
function waitForCarried(
  { written, observed, listed, nowMs }: Present,
  { changes }: Selection,
  body: PatchBody,
): Plan | undefined {
  if (written?.listed === undefined || written.effect !== undefined) return undefined;
  if (!mayLackCarried(written, listed, nowMs)) return undefined;
  const { lost } = untouchedBy({ before: withCarriedBy(written, written.listed), body }, observed);
  const isCarried = lost.some((path) => {
    const [block, key = ''] = path.split('.');
    return block === 'sourceRevisionConfig' && !isEmpty(written.body.sourceRevisionConfig?.[key]);
  });
  if (!isCarried) return undefined;
  const message = 'the list may not show yet what the last write carried; looking again';
  return { kind: 'wait', reason: 'Pending', message, againInMs: DEFAULTS.pollRolloutMs, changes };
}

/**
 * Makes a request wait while it might empty values of ours that nothing has shown yet. Under `Report` it does not wait:
 * until a look shows a value, the operator may send it again, although somebody has changed it.
 */
function waitForUnseen(
  present: Present,
  { changes, redeploy }: Selection,
  body: PatchBody,
): Plan | undefined {
  if (redeploy || reportsDrift(present.resource) || !isUnproven(present)) return undefined;
  const paths = lacksOurs(present, body);
  if (paths.length === 0) return undefined;
  const message = `nothing shows yet what an earlier request sent: ${paths.join(', ')}; looking again`;
  return { kind: 'wait', reason: 'Pending', message, againInMs: DEFAULTS.pollRolloutMs, changes };
}

/** True if neither an answer nor a list has shown our last write. */
function isUnproven({ inherited, resource, written }: Present): boolean {
  return inherited
    ? acceptedPatch(resource.status)?.revisionID === undefined
    : unprovenIn(written) !== undefined;
}

/**
 * True if the answer to our last write shows an unmanaged field that a list shows with another value, or that a list
 * under a new revision lacks: another client may have changed or removed the field after our write.
 */
function mayBeTheirs(present: Present): boolean {
  const { observation, observed } = present;
  const list = observation.kind === 'present' ? observation.outranked?.deployment : undefined;
  if (list === undefined) return false;
  const { lost } = untouchedBy({ before: observed, body: {} }, list);
  const removed = newRevisionOf(present) === undefined ? [] : lost.filter((path) => path.includes('.'));
  const managed = managedPaths(present);
  return [...shownOtherwise(observed, list), ...removed].some(
    (path) => path !== WHOLE_SPEC && !managed.has(path),
  );
}

function managedPaths({ desired }: Present): ReadonlySet<string> {
  return new Set(desired.fields.map(({ field }) => field.path));
}

/**
 * Makes a correction or a redeploy wait until the newest revision is active or overdue; an edit does not wait (N47,
 * H53).
 */
function waitForRollout(present: Present, selection: Selection, revision: boolean): Plan | undefined {
  const { rollout } = present.assessment;
  const database = present.observed.serviceStatus === 'AWAITING_DATABASE' && revision;
  if (!database && (selection.asked || !rollout.rolling)) return undefined;
  const message = database
    ? 'the service is preparing the database; the operator sends nothing that makes a revision'
    : `${selection.redeploy ? 'the redeploy follows' : 'a difference will be corrected'} when the rollout has ended`;
  return {
    kind: 'wait',
    reason: 'Pending',
    message,
    againInMs: present.settings.poll.rolloutMs,
    changes: selection.changes,
  };
}

function noRoom(present: Present, selection: Selection): Plan | undefined {
  return outOfBudget(present.resource, {
    newGeneration: newGenerationOf(present.resource),
    nowMs: present.nowMs,
    changes: selection.changes,
  });
}

/** Holds back a request that the service refused before, if the basis of the refusal has not changed. */
function refusedBefore(present: Present, selection: Selection): Plan | undefined {
  const { changes } = selection;
  return heldAfterRefusal(present, { bodyPart: bodyPartOf(present, sentPaths(selection)), changes });
}

/**
 * Returns the content of the proposal that a person approves: for each path the shown and the new value, and the
 * losses, both those that the request makes and those that it restores.
 */
function approvable(
  { resource, observed, assessment, digests }: Present,
  selection: Selection,
  { unsaved }: Extract<BodyMode, { kind: 'possible' }>,
): readonly unknown[] {
  const fields = selection.send.map(({ desired, shown }) => [
    desired.field.path,
    shown === undefined ? '' : fieldPart(desired, shown, digests),
    fieldPart(desired, desired.value, digests),
  ]);
  const secrets = selection.sendSecrets ? [[SECRETS_PATH, '', assessment.secrets.part]] : [];
  const sent = [...fields, ...secrets].toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const lost = unsaved.length === 0 ? [] : [['lost', ...unsaved]];
  const restored = assessment.lost.length === 0 ? [] : [['restored', ...assessment.lost]];
  return [observed.id, annotation(resource, 'redeploy') ?? '', sent, ...lost, ...restored];
}
