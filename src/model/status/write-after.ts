import { defined } from '../../base/defined.ts';
import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import { bodyPartOfPlan, isWrite } from './announced-status.ts';
import { tellsOf } from '../effects/tells-of.ts';
import { type Assessment, verdictDueMs, writeShownMs } from '../compare/assess.ts';
import { type Budget, budgetOf, seen, wasRefused } from '../plan/budget.ts';
import { DEFAULTS } from '../connection/connection.ts';
import { createPart } from '../decide/creation.ts';
import { mayHaveCreated } from '../decide/deletion.ts';
import { requestDigest } from '../compare/evidence.ts';
import { showsAnotherValue } from '../compare/shows-another-value.ts';
import { MAY_BE_IMMUTABLE, SECRETS_PATH } from '../desired/fields.ts';
import { ofDeployment } from './forgetting.ts';
import { areNaming, isShown } from '../effects/effect-of.ts';
import { leftOpenBy, leftOutBy } from '../effects/untouched.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { supersededRevision } from '../external/newest-known.ts';
import type { Outcome } from '../outcome/outcome.ts';
import type { Decided } from '../decide/make-plan.ts';
import type { StatusChange } from '../recorded/record-facts.ts';
import { lastSentTime, refusalAfter } from '../plan/refusal.ts';
import { acceptedBefore, patchRecord } from '../recorded/accepted-patch.ts';
import { RELEASED } from '../recorded/baseline.ts';
import { releasedSecrets } from '../patch/released-secrets.ts';
import { refusedAs } from '../plan/refused-as.ts';
import { mayBeThere, unprovenBefore } from '../plan/unproven-before.ts';
import type { Situation } from '../plan/situation.ts';

/** The parts of a pass that determine the outcome of a write. */
interface WritePass {
  readonly resource: DeploymentResource;
  readonly current: DeploymentStatus;
  readonly outcome: Outcome;
  readonly situation?: Situation | undefined;
  readonly decided?: Decided | undefined;
}

/** The deployment as the pass last saw it, if it did. */
interface Seen {
  readonly observed: ObservedDeployment;
  readonly assessment: Assessment;
}

/** Returns the record of writes in a status: announced, verified, counted. */
export function writeAfter(pass: WritePass, seenNow: Seen | undefined): StatusChange {
  return {
    ...sentAfter(pass, seenNow),
    ...creationAfter(pass, seenNow),
    leftOut: leftOutAfter(pass, seenNow),
  };
}

/** Returns the values that the newest write left out, until a look has shown whether the service kept them. */
function leftOutAfter(pass: WritePass, seenNow: Seen | undefined): DeploymentStatus['leftOut'] {
  const { current, resource } = pass;
  const became = isAnnouncedNow(pass) ? fate(pass, seenNow) : undefined;
  const said = (became === 'refused' ? resource.status : current)?.leftOut ?? [];
  const open =
    became === 'applied' || became === 'unclear' ? openAfter(pass, said) : openAtRest(pass, said, seenNow);
  return open.length === 0 ? undefined : [...open];
}

/**
 * Returns the announced omissions of a write that its answer does not show, or that no list has shown since they were
 * restored.
 */
function openAfter(
  { resource, outcome, decided, situation }: WritePass,
  said: readonly string[],
): readonly string[] {
  if (outcome.kind !== 'applied' || outcome.answer.kind !== 'shown') return said;
  const shown = outcome.answer.deployment;
  const restored = decided?.plan.kind === 'patch' ? decided.plan.losses : [];
  const open = [...outcome.open, ...restored];
  const released = situation === undefined ? [] : releasedSecrets(situation);
  const carried = new Set([...(resource.status?.leftOut ?? []), ...released]);
  return said.filter((path) => areNaming(open, path) || (carried.has(path) && isShown(shown, path) !== true));
}

/** Returns the values that a list must show and no list has shown yet. */
function openAtRest(
  { resource, situation }: WritePass,
  said: readonly string[],
  seenNow: Seen | undefined,
): readonly string[] {
  if (seenNow === undefined || situation === undefined) return said;
  const { assessment } = seenNow;
  const { observation, settings } = situation;
  if (assessment.evidence.kind === 'unknown' || observation.kind !== 'present') return said;
  const viaList = observation.via === 'list';
  // Nothing but the status remembers the write of another process, which this look may only seem to prove.
  const announcedMs = situation.inherited ? verdictDueMs(resource, settings, situation.foundMs) : 0;
  const dueMs = Math.max(writeShownMs(resource, settings), announcedMs);
  const isDue = viaList && observation.beganMs >= dueMs;
  const { unrestored, lost, goneOfOurs } = assessment;
  // Nothing else tells a later look that secrets which no list has shown are to be sent again.
  const resent = [...lost, ...goneOfOurs.filter((path) => path === SECRETS_PATH)];
  // An answer that outranks the list is completed with the values from before the write.
  const list = viaList ? observation.deployment : observation.outranked?.deployment;
  // The first list that shows the write also shows the values that the service kept, but a lagging replica may answer
  // after it. A list that must show everything decides about the missing ones.
  const isOlder = list !== undefined && supersededRevision(resource, list) !== undefined;
  const isJudged = !situation.inherited && situation.written === undefined && !isOlder;
  return said.filter((path) => {
    const shown = list && isShown(list, path);
    if (!isDue) return !isJudged || shown !== true || mayPrecedeSecrets(path, assessment, list);
    return !unrestored.includes(path) && (areNaming(resent, path) || shown === undefined);
  });
}

/**
 * True for a secret in a list that lacks one of ours: the list may be from before the write that sent ours, and the
 * secret may be gone since.
 */
function mayPrecedeSecrets(
  path: string,
  { applied }: Assessment,
  list: ObservedDeployment | undefined,
): boolean {
  if (list === undefined || !areNaming([SECRETS_PATH], path)) return false;
  return [...applied.secrets].some(
    ([name, digest]) =>
      digest !== '' && digest !== RELEASED && isShown(list, `${SECRETS_PATH}.${name}`) === false,
  );
}

function isAnnouncedNow({ current, resource }: WritePass): boolean {
  const { pendingWrite } = current;
  return pendingWrite !== undefined && pendingWrite.time !== resource.status?.pendingWrite?.time;
}

/** Marks a creation as done when its deployment was seen, and as void if somebody else made the one that was seen. */
function creationAfter(pass: WritePass, seenNow: Seen | undefined): StatusChange {
  const { current } = pass;
  const found = foundBy(pass) ?? seenNow;
  if (found === undefined || !mayHaveCreated({ status: current })) return {};
  if (!isMadeByOthers(pass, found)) return { creation: { ...current.creation, state: 'Done' } };
  return { creation: { state: 'None' } };
}

/** Returns the deployment as a PATCH of this pass found it. The answer may not show it, or no longer as it was. */
function foundBy({ situation, decided }: WritePass): Seen | undefined {
  if (situation?.observation.kind !== 'present' || decided?.plan.kind !== 'patch') return undefined;
  const { assessment } = decided;
  return assessment && { observed: situation.observation.deployment, assessment };
}

/**
 * True if a deployment has another name than that of an announced creation; or if no answer came to the creation, and the
 * deployment shows another value than the spec. Without the announcement, nothing tells who made the deployment.
 */
function isMadeByOthers(pass: WritePass, { observed, assessment }: Seen): boolean {
  const { situation, current, outcome, resource } = pass;
  if (isAnnouncedNow(pass) && current.pendingWrite?.operation === 'Create' && outcome.kind === 'applied')
    return false;
  const creation = [current.pendingWrite, resource.status?.pendingWrite].find(
    (pending) => pending?.operation === 'Create',
  );
  if (creation === undefined || situation === undefined) return true;
  const { digests } = situation;
  if (creation.bodyDigest !== requestDigest(createPart(observed.name, digests), digests)) return true;
  return creation.accepted !== true && assessment.judgements.some(showsAnotherValue);
}

function sentAfter(pass: WritePass, seenNow: Seen | undefined): StatusChange {
  if (isAnnouncedNow(pass)) return afterAnnouncement(pass, seenNow);
  const budget = budgetAfter(pass, seenNow);
  switch (seenNow?.assessment.evidence.kind) {
    case 'proven':
      return { budget, pendingWrite: undefined, lastPatch: lastPatch(pass, 'Verified', seenNow.observed) };
    case 'disproven':
      return { budget, pendingWrite: undefined, lastPatch: lastPatch(pass, 'NotApplied', seenNow.observed) };
    case 'none':
    case 'unknown':
    case undefined:
      return { budget: budgetAtRest(pass, seenNow), ...overtaken(pass, seenNow) };
  }
}

function afterAnnouncement(pass: WritePass, seenNow: Seen | undefined): StatusChange {
  switch (fate(pass, seenNow)) {
    case 'unclear':
      return pass.outcome.kind === 'applied'
        ? { budget: answeredBudget(pass), pendingWrite: acceptedWrite(pass) }
        : {};
    case 'applied':
      return {
        budget: seen(answeredBudget(pass), answeredPaths(pass, seenNow)),
        pendingWrite: answeredDeletion(pass),
        lastPatch: lastPatch(pass, 'Applied', toldBy(pass, seenNow)),
      };
    case 'refused':
      return {
        budget: budgetAfterRefusal(pass, budgetAtRest(pass, seenNow)),
        pendingWrite: undefined,
        creation: pass.resource.status?.creation,
        ...(pass.current.pendingWrite?.operation === 'Create'
          ? ofDeployment(pass.resource.status ?? {})
          : {}),
        lastPatch: refusedPatch(pass),
        ...redeployAfterRefusal(pass),
      };
  }
}

/**
 * Returns the announcement of an answered deletion, which stays, since the list may lag behind it. If the service does
 * not know the deployment, that is no acceptance, since a credential of another tenant gets the same answer.
 */
function answeredDeletion({ current, outcome }: WritePass): DeploymentStatus['pendingWrite'] {
  const pending = current.pendingWrite;
  if (pending?.operation !== 'Delete' || outcome.kind !== 'applied') return undefined;
  return { ...pending, accepted: outcome.answer.kind === 'shown' || outcome.answer.notThere !== true };
}

/** Returns the announcement of a write whose answer shows nothing: the service has accepted the write, unless it is a page. */
function acceptedWrite({ current, outcome }: WritePass): DeploymentStatus['pendingWrite'] {
  const isPage = outcome.kind === 'applied' && outcome.answer.kind === 'unclear' && outcome.answer.isPage;
  return current.pendingWrite && { ...current.pendingWrite, ...(!isPage && { accepted: true }) };
}

/** Returns the budget after the service has answered: now repeated values count. */
function answeredBudget({ current, decided }: WritePass): Budget | undefined {
  return decided?.plan.kind === 'patch' ? decided.plan.announcement.budget : current.budget;
}

/**
 * Returns the budget after a refusal. A refused write costs nothing, but a refused value of a possibly immutable field
 * is not requested again (H23). The refusal of a repair says nothing about the values that its body only carries.
 */
function budgetAfterRefusal(pass: WritePass, atRest: Budget | undefined): Budget | undefined {
  const { current, outcome, situation, decided } = pass;
  const before = budgetWithUnproven(pass, atRest);
  const rejected =
    outcome.kind === 'failed' && outcome.failure.kind === 'terminal' && outcome.failure.reason === 'Rejected';
  const paths = current.pendingWrite?.paths ?? [];
  const assessment = decided?.assessment;
  const carried = assessment === undefined ? [] : carriedByRepair(assessment);
  const asked = paths.filter((path) => MAY_BE_IMMUTABLE.has(path) && !carried.includes(path));
  if (!rejected || asked.length === 0 || situation === undefined || assessment === undefined) return before;
  const refused = asked.map((path) => {
    const as = refusedAs(path, { ...situation, resource: pass.resource, assessment });
    return { path, digest: paths.length === 1 ? as.alone : as.together, count: 1, refused: true };
  });
  return {
    ...(before ?? { sends: [], drift: [] }),
    same: [...(before?.same ?? []).filter(({ path }) => !asked.includes(path)), ...refused],
  };
}

/** Returns the budget before a refused write. A value that an earlier write sent, and that nothing proves, counts once. */
function budgetWithUnproven({ decided }: WritePass, before: Budget | undefined): Budget | undefined {
  if (decided?.plan.kind !== 'patch') return before;
  const { paths, budget } = decided.plan.announcement;
  const sent = budget.same.filter(({ path, count }) => paths.includes(path) && count > 1);
  if (sent.length === 0) return before;
  const others = (before?.same ?? []).filter(({ path }) => !sent.some((entry) => entry.path === path));
  const same = [...others, ...sent.map((entry) => ({ ...entry, count: entry.count - 1 }))];
  return { ...(before ?? { sends: [], drift: [] }), same };
}

/** Returns the paths of values that seemed refused when a repair of other values carried them. */
function carriedByRepair(assessment: Assessment): readonly string[] {
  return assessment.lost.length === 0 ? [] : ignoredIn(assessment);
}

/** Returns the paths of the values that the service seemed to ignore. */
function ignoredIn(assessment: Assessment | undefined): readonly string[] {
  const ignored = assessment?.judgements.filter(({ verdict }) => verdict === 'ignored') ?? [];
  return ignored.map(({ desired }) => desired.field.path);
}

/**
 * Keeps a refused redeploy due; after a final refusal it is held like a refused edit. The refusal of a repeated request
 * restores the announcement of the request before it, which no read has proven, unless the refusal is final.
 */
function redeployAfterRefusal({ outcome, resource, current }: WritePass): StatusChange {
  const { lastHandledRedeploy, pendingWrite } = resource.status ?? {};
  const repeats =
    pendingWrite?.redeploy !== undefined && pendingWrite.redeploy === current.pendingWrite?.redeploy;
  if (!repeats) return { lastHandledRedeploy };
  const isFinal = outcome.kind === 'failed' && outcome.failure.kind === 'terminal';
  return isFinal ? {} : { lastHandledRedeploy, pendingWrite };
}

/** Returns the result of the write that this pass announced. */
function fate({ outcome, current }: WritePass, seenNow: Seen | undefined): 'applied' | 'refused' | 'unclear' {
  if (outcome.kind === 'applied') {
    const shown = seenNow !== undefined || current.pendingWrite?.operation === 'Delete';
    return shown ? 'applied' : 'unclear';
  }
  if (outcome.kind !== 'failed') return 'refused';
  return outcome.failure.kind === 'bug' || outcome.failure.sent === 'perhaps' ? 'unclear' : 'refused';
}

/** Ends the announcement of a creation when the deployment is found, which proves the creation. */
function overtaken({ current }: WritePass, seenNow: Seen | undefined): StatusChange {
  const operation = current.pendingWrite?.operation;
  const verified = operation === 'Create' && seenNow !== undefined;
  return verified ? { pendingWrite: undefined } : {};
}

function budgetAfter(pass: WritePass, seenNow: Seen | undefined): Budget | undefined {
  return seen(budgetOf(pass.resource), listedPaths(pass, seenNow));
}

/**
 * Computes the budget as after a write, but writes no status for a count that allows another request, unless the field
 * was corrected: the count then tells whether the service may only answer as if it kept the value. A refused value that
 * the service shows is no longer refused: an earlier request brought it late, or somebody else did.
 */
function budgetAtRest(pass: WritePass, seenNow: Seen | undefined): Budget | undefined {
  const budget = budgetOf(pass.resource);
  const isCorrected = (path: string): boolean => budget?.drift.some((entry) => entry.path === path) === true;
  const spent = budget?.same?.filter(
    ({ path, count, refused }) => refused === true || count >= DEFAULTS.identicalSends || isCorrected(path),
  );
  const paths = listedPaths(pass, seenNow);
  return seen(budget, new Set(spent?.map(({ path }) => path).filter((path) => paths.has(path))));
}

function lastPatch(
  { current }: WritePass,
  outcome: string,
  observed: ObservedDeployment | undefined,
): DeploymentStatus['lastPatch'] | undefined {
  const pending = current.pendingWrite;
  if (pending === undefined || pending.operation === 'Delete') return current.lastPatch;
  return patchRecord(pending, outcome, observed);
}

/**
 * Returns the deployment if the answer shows something of the write; any other answer may show the previous revision
 * (N14).
 */
function toldBy(
  { decided, situation }: WritePass,
  seenNow: Seen | undefined,
): ObservedDeployment | undefined {
  if (seenNow === undefined || decided?.plan.kind !== 'patch') return seenNow?.observed;
  const { plan } = decided;
  if (situation?.observation.kind !== 'present') return undefined;
  const { deployment: before } = situation.observation;
  const asked = {
    before,
    body: plan.body,
    unproven: unprovenBefore(situation),
    mayBeThere: mayBeThere(situation),
  };
  return tellsOf(asked, seenNow.observed) ? seenNow.observed : undefined;
}

/**
 * Returns the record of a refused write. A refused deletion is also remembered, and held as long as a refused change.
 */
function refusedPatch(pass: WritePass): DeploymentStatus['lastPatch'] {
  const { resource, current, outcome, situation, decided } = pass;
  const pending = current.pendingWrite;
  if (pending === undefined) return current.lastPatch;
  const { time, paths } = pending;
  const refusal =
    outcome.kind === 'failed' &&
    outcome.failure.kind !== 'bug' &&
    situation !== undefined &&
    decided !== undefined &&
    isWrite(decided.plan)
      ? refusalAfter({ ...situation, resource }, outcome.failure, {
          message: outcome.message,
          bodyPart: bodyPartOfPlan(decided.plan, situation.digests),
        })
      : undefined;
  // An approval names the status of the decision, which may lack the write that the announcement records as proven.
  const sentBefore = lastSentTime(resource.status?.lastPatch);
  return {
    ...{ time, outcome: 'Refused', paths },
    ...defined({ lastSentTime: sentBefore }),
    ...acceptedBefore(current),
    ...defined({ refusal }),
  };
}

/**
 * Returns the paths that lists do not show and for which the answer counts. It counts if it shows a part of the block
 * that the request did not contain; or, if the request left out nothing of the block, another omitted value. Any other
 * answer may only repeat the request. If lists show a value, the answer does not count, since it may show a value that
 * the service does not keep; nor does it count for an ignored value that was sent again. For secrets, only a list counts.
 */
function answeredPaths({ situation, decided }: WritePass, seenNow: Seen | undefined): ReadonlySet<string> {
  const before = situation?.observation;
  if (seenNow === undefined || before?.kind !== 'present' || decided?.plan.kind !== 'patch') return new Set();
  const sent = { before: before.deployment, body: decided.plan.body };
  const left = leftOutBy(sent);
  const open = leftOpenBy(sent, seenNow.observed);
  const isTold = (path: string): boolean => {
    const beside = left.filter((other) => other.split('.')[0] === path.split('.')[0]);
    return (beside.length > 0 ? beside : left).some((other) => !open.includes(other));
  };
  const isListed = (path: string): boolean =>
    path === SECRETS_PATH || situation?.listedPaths.has(path) === true;
  const { paths } = decided.plan.announcement;
  const again = ignoredIn(decided.assessment).filter((path) => paths.includes(path));
  return new Set(
    [...shownPaths(seenNow)].filter((path) => !isListed(path) && !again.includes(path) && isTold(path)),
  );
}

/** Returns the paths whose value a list shows, unless the service refused another value than that one. */
function listedPaths(pass: WritePass, seenNow: Seen | undefined): ReadonlySet<string> {
  const observation = pass.situation?.observation;
  const isListed = observation?.kind === 'present' && observation.via === 'list';
  const paths = isListed ? [...shownPaths(seenNow)] : [];
  return new Set(paths.filter((path) => !isOtherRefused(path, pass, seenNow)));
}

/** True for a field of which the service refused a value for which the spec does not ask any more. */
function isOtherRefused(
  path: string,
  { resource, situation }: WritePass,
  seenNow: Seen | undefined,
): boolean {
  const budget = resource.status?.budget;
  const isRefused = budget?.same.some((entry) => entry.path === path && entry.refused === true);
  if (isRefused !== true || situation === undefined || seenNow === undefined) return false;
  const { assessment } = seenNow;
  return !wasRefused(budget, path, refusedAs(path, { ...situation, resource, assessment }));
}

/** Returns the paths whose desired value or baseline is shown; their counts of identical sends start again. */
function shownPaths(seenNow: Seen | undefined): ReadonlySet<string> {
  if (seenNow === undefined) return new Set();
  const { judgements, secrets } = seenNow.assessment;
  const shown = judgements.filter(
    ({ digests, verdict }) =>
      digests.shown !== undefined && ['in-sync', 'adopt', 'settling'].includes(verdict),
  );
  const listed = secrets.verdict === 'in-sync' && secrets.listedAsSent ? [SECRETS_PATH] : [];
  return new Set([...shown.map((j) => j.desired.field.path), ...listed]);
}
