import { type DeploymentResource, reportsDrift } from '../../api/deployment.ts';
import type { JsonObject } from '../../base/json.ts';
import { createdByUs } from '../recorded/created-by-us.ts';
import { acceptedPatch } from '../recorded/accepted-patch.ts';
import { type Applied, fieldDigest, readApplied, type Baseline } from '../recorded/baseline.ts';
import type { Digests } from '../recorded/digests.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { DEFAULTS } from '../connection/connection.ts';
import type { DesiredDeployment, DesiredField } from '../desired/desired-deployment.ts';
import { type Judgement, judgeFields, type Open, stillOpen, type Verdict } from './judge-fields.ts';
import { keepsRemoved } from './keeps-removed.ts';
import { assumed } from './assumed.ts';
import { mayHaveMadeLater } from './proven-by-revision.ts';
import { type Evidence, judgePending, withEvidence } from './evidence.ts';
import { mayMakeRevision, REPO_REF_PATH, SECRETS_PATH } from '../desired/fields.ts';
import { goneFromSpec, staysBeside } from '../external/stays-beside.ts';
import { askedOf, leftOutBy } from '../effects/untouched.ts';
import { beyondUnshown, partAt } from '../effects/beyond-unshown.ts';
import { isOfSpec } from '../effects/shared-maps.ts';
import { showsAnsweredRevision } from '../effects/made-revision.ts';
import { alike, isEmpty } from '../desired/canonical-text.ts';
import { areNaming, isOneOf, isShown, stillLost, WHOLE_SPEC, type Written } from '../effects/effect-of.ts';
import type { ObservedDeployment, Shown } from '../external/observation.ts';
import type { PatchBody } from '../external/patch-body.ts';
import { judgeRollout, type Rollout } from '../external/rollout.ts';
import { rolloutStarted } from '../recorded/record-facts.ts';
import type { Learned } from '../effects/learned.ts';
import { judgeSecrets, type SecretsJudgement, trustIn } from './judge-secrets.ts';
import type { PlainLists } from '../recorded/masks.ts';
import { isPushBeside, looksLikeCommit, shownFor, shownOf } from '../external/shown.ts';
import { isSpelling } from '../external/is-spelling.ts';
import type { SecretsContext } from './secrets-guard.ts';
import { divided, overtaken } from '../effects/unrestored.ts';

/** The facts needed to compare a resource with a deployment that exists. */
export interface Comparison {
  readonly resource: DeploymentResource;
  readonly desired: DesiredDeployment;
  readonly observed: ObservedDeployment;
  readonly beganMs: number;
  /** The origin of the look: a list, or the answer to a write. */
  readonly via: 'list' | 'answer';
  readonly settings: ConnectionSettings;
  readonly secretsListed: boolean;
  /** See `Situation`. */
  readonly listedPaths: ReadonlySet<string>;
  readonly secretsPlain: boolean;
  readonly learned: Learned;
  readonly written?: Written | undefined;
  /** See `Situation`. */
  readonly listed?: ObservedDeployment | undefined;
  /** See `Situation`. */
  readonly inherited: boolean;
  readonly plainLists: PlainLists;
  readonly digests: Digests;
  readonly nowMs: number;
  /** See `Situation`. */
  readonly foundMs?: number | undefined;
  /** See `Situation`. */
  readonly foundRevisionID?: string | undefined;
  /** See `Situation`. */
  readonly holdUnprovenSecrets?: boolean | undefined;
  /** See `Situation`. */
  readonly open?: Open | undefined;
  /** See `Situation`. */
  readonly refilled?: ReadonlyMap<string, number> | undefined;
  /** See `Situation`. */
  readonly settledMs?: number | undefined;
  /** See `Situation`. */
  readonly sawWindow?: boolean | undefined;
  /** See `Situation`. */
  readonly showedSpec?: boolean | undefined;
  /** See `judgePending`. */
  readonly secondRead: boolean;
  /** See `Situation`. */
  readonly provenBefore?: readonly string[] | undefined;
}

/** The judged facts on which a plan depends. */
export interface Assessment {
  readonly applied: Applied;
  readonly judgements: readonly Judgement[];
  readonly secrets: SecretsJudgement;
  /** True if an edited list of secrets counts as applied already, in whole or in part. */
  readonly adoptsSecrets: boolean;
  readonly evidence: Evidence;
  /** True if the shown values prove that an announced write of new secrets arrived. */
  readonly showsSecrets: boolean;
  readonly rollout: Rollout;
  /** Values that our last write emptied unintentionally, and that the next write restores. */
  readonly lost: readonly string[];
  /** Values that it lost and that no write restores; see `Losses`. */
  readonly unrestored: readonly string[];
  /**
   * Losses by a write of an earlier process, which are also in `unrestored`; and declared values that the operator's
   * writes empty alternately.
   */
  readonly foundGone: readonly string[];
  /** Missing declared values that our last write left out, as a list shows, whoever removed them. */
  readonly emptied: readonly string[];
  /** Missing declared values that our writes left out. The next write sends them; without a write they are lost. */
  readonly goneOfOurs: readonly string[];
}

/** Compares the desired, the applied and the previously shown values with the values that are shown now. */
export function assess(comparison: Comparison): Assessment {
  const c = withoutMemoryOfAnother(comparison);
  const { resource, desired, observed, digests } = c;
  const generation = resource.metadata.generation ?? 0;
  const shownNames = (observed.secrets ?? []).map(({ name }) => name);
  const remembered = readApplied(resource.status, generation, desired.secrets, shownNames, digests);
  const before = comparedWith(remembered, c);
  const evidence = evidenceOf(before, remembered, c);
  const recorded = resource.status?.observed;
  const facts = { recorded, digests, provenBefore: c.provenBefore };
  const proven = withEvidence(remembered, evidence, before.judgements, before.secrets, facts);
  const there = evidence.kind === 'none' ? before.secrets.alreadyThere : new Map<string, string>();
  const applied = withThere(assumed(resource, observed, proven, before), there);
  const after = applied === remembered ? before : comparedWith(applied, c);
  const judged = { applied, ...after, evidence, emptied: emptiedIn(c, after.judgements) };
  const isTakenOver = after.secrets.verdict === 'in-sync' && !after.secrets.wasApplied;
  const adoptsSecrets = after.secrets.goneAlready || there.size > 0 || isTakenOver;
  const isArrived = evidence.kind === 'proven' && evidence.paths.includes(SECRETS_PATH);
  const showsSecrets = isArrived && before.secrets.isNew && before.secrets.shownAsSent;
  return { ...judged, adoptsSecrets, showsSecrets, rollout: rolloutOf(c), ...lossesIn(judged, c) };
}

/** Returns the applied state with the declared secrets that are there already, which count as applied. */
function withThere(applied: Applied, there: ReadonlyMap<string, string>): Applied {
  return there.size === 0 ? applied : { ...applied, secrets: new Map([...applied.secrets, ...there]) };
}

type Compared = Pick<Assessment, 'judgements' | 'secrets'>;

/** Compares every field and the secrets with one state of the applied values. */
function comparedWith(applied: Applied, c: Comparison): Compared {
  const { resource, desired, observed, digests } = c;
  const ours = isOurs(c);
  const how = {
    settling: (field: DesiredField, shown: Shown): boolean =>
      ours &&
      (mayHaveSettled(c, applied.fields.get(field.field.path))
        ? isOwnForm(field, shown)
        : mayBeOurs(c, field, shown)) &&
      (isSettling(c) || mayResolveLate(c, field.field.path, shown)),
    standsIn: (field: DesiredField, shown: Shown): boolean => standsIn(c, field, shown),
    notShown: (path: string, kept: Baseline | undefined): Verdict => notShown(c, path, kept),
    isGone: (path: string): boolean => isGone(c, path) || isStillLost(c, path),
    isDropped: (path: string): boolean => isDropped(c, path) || isStillLost(c, path),
    unseen: (path: string, kept: Baseline | undefined): boolean => isUnseen(c, path, kept),
    listed: c.via === 'list',
    inLists: (path: string): boolean => c.listedPaths.has(path),
    emptyInList: (path: string): boolean =>
      c.via === 'list' || (c.listed !== undefined && isShown(c.listed, path) === false),
    digests,
  };
  return {
    judgements: judgeFields(desired, applied, observed, how).map((judgement) =>
      stillOpen(judgement, c.open ?? NOTHING_OPEN, {
        asked: (path) => wasAskedFor(resource, path),
        isOlder: isOlder(c),
      }),
    ),
    secrets: judgeSecrets(desired.secrets, applied, observed, secretsContext(c), digests),
  };
}

function secretsContext(c: Comparison): SecretsContext {
  const { resource, learned } = c;
  return {
    ownership: resource.spec.secretsOwnership ?? 'Guarded',
    secretsListed: c.secretsListed || hasListed(c),
    listed: c.via === 'list',
    listShowsWrites: mustShowWrites(c),
    listFollowsWrites: mustShowWrites(c) || showsOurRevision(c),
    leftOutOrLost: leftOutOrLost(resource),
    listIsNewer: isNewerThanShown(c),
    secretsPlain: c.secretsPlain,
    visibility: learned.secretsVisibility?.verdict,
    revisionMoved: acceptedPatch(resource.status)?.revisionID !== undefined && !isOurs(c),
    plainLists: c.plainLists,
    listsMerge: learned.lists?.verdict === 'Merge',
    createdByUs: createdByUs(resource.status, c.observed.id),
    holdUnproven: c.holdUnprovenSecrets === true,
  };
}

/**
 * True if the status names a secret of others that a write of ours left out or lost: lists showed it, perhaps to an
 * earlier process. False if the service is known to hide secrets by now.
 */
function hasListed({ resource: { status }, learned }: Comparison): boolean {
  if (learned.secretsVisibility?.verdict === 'Omitted') return false;
  const { leftOut = [], lost = [] } = status ?? {};
  return [...leftOut, ...lost].some((path) => path.startsWith(`${SECRETS_PATH}.`));
}

/** Returns the paths of values that a write of ours left out or lost, unless a later one was to carry secrets. */
function leftOutOrLost({ status }: DeploymentResource): readonly string[] {
  const { leftOut = [], lost = [], pendingWrite } = status ?? {};
  const hasCarried = [acceptedPatch(status), pendingWrite].some((one) => one?.paths.includes(SECRETS_PATH));
  return hasCarried ? [] : [...leftOut, ...lost];
}

/** Returns the evidence of this look about an announced write. */
function evidenceOf(before: Compared, remembered: Applied, c: Comparison): Evidence {
  const { status } = c.resource;
  const nulls = c.learned.nulls?.verdict;
  const shownMs = writeShownMs(c.resource, c.settings);
  const untilMs = verdictDueMs(c.resource, c.settings, c.foundMs);
  return judgePending(status?.pendingWrite, {
    ...before,
    observed: c.observed,
    nullsCount: nulls === 'Clears' || nulls === 'Rejected',
    generation: c.resource.metadata.generation,
    recorded: status?.observed,
    revisions: status?.revisions,
    lastPatch: status?.lastPatch,
    secretsListed: c.secretsListed,
    othersMayStay:
      c.learned.lists?.verdict === 'Merge' || reportsDrift(c.resource) || bringsName(before, remembered, c),
    reports: reportsDrift(c.resource),
    listedPaths: c.listedPaths,
    beganMs: c.beganMs,
    // The clock of another process may differ, so the times of its writes say little about our reads.
    settledMs: c.foundMs === undefined ? shownMs : Math.max(shownMs, untilMs),
    digests: c.digests,
    untilMs,
    foundMs: c.foundMs,
    foundRevisionID: c.foundRevisionID,
    mayBeOfEarlier: mayHaveMadeLater(status, windowMs(c.settings), c.observed),
    secondRead: c.secondRead,
    provenBefore: c.provenBefore,
  });
}

/**
 * True if a look shows a secret of the announced list that no look had shown at the announcement, which recorded it
 * without a digest: the list arrived.
 */
function bringsName({ secrets }: Compared, applied: Applied, { observed }: Comparison): boolean {
  return (observed.secrets ?? []).some(
    ({ name }) => secrets.digests.has(name) && applied.secrets.get(name) === '',
  );
}

/** Returns the values that our writes emptied, divided by what happens to them. */
function lossesIn(
  judged: Compared & Pick<Assessment, 'applied' | 'evidence' | 'emptied'>,
  c: Comparison,
): Pick<Assessment, 'lost' | 'unrestored' | 'foundGone' | 'goneOfOurs'> {
  const { applied, judgements, secrets, evidence, emptied } = judged;
  const { resource, desired, observed } = c;
  // With partial bodies, a person has decided that the operator ignores omitted fields.
  const watched = c.settings.patchBodies === 'Partial' ? undefined : c.written;
  const cleared = judgements.filter((j) => j.desired.cleared).map((j) => j.desired.field.path);
  // A field that the spec empties now is not restored.
  const missing = stillLost(watched, observed, c).filter((path) => !cleared.includes(path));
  const { lost, unrestored } =
    watched === undefined
      ? { lost: [], unrestored: [] }
      : divided(missing, watched, {
          desired: desired.secrets,
          applied: applied.secrets,
          trust: trustIn(secrets, c),
          exclusive: resource.spec.secretsOwnership === 'Exclusive',
        });
  const managed = managedPaths(judged, resource);
  const gone = goneSince(c, { evidence, managed }).filter((path) => !areNaming(lost, path));
  const drifted = judgements.filter(({ verdict }) => verdict === 'drift');
  // Managed values are corrected as drift, unless drift is only reported.
  const isReported = reportsDrift(resource);
  const goneOfOthers = gone.filter((path) => !managed.has(path));
  const corrected = isReported ? [] : drifted.map((j) => j.desired.field.path);
  const wanted = new Set([...corrected, ...cleared, ...resent(watched, managed)]);
  const arrived = c.inherited && evidence.kind !== 'disproven';
  const taught = arrived ? taughtBy(c, goneOfOthers, managed) : [];
  const named = new Set([...unrestored, ...(isReported ? gone : goneOfOthers)]);
  const missed = [...named].filter((path) => !wanted.has(path) && isShown(observed, path) !== true);
  const left = overtaken(lost, watched, observed).filter((path) => !managed.has(path));
  return {
    lost,
    unrestored: [...missed, ...left],
    foundGone: [...taught, ...goneAgain(c, emptied)],
    goneOfOurs: goneOfOurs(judged, c),
  };
}

/** Returns the declared values that lists hide and that the answer to a write lacks: they are sent again. */
function resent(written: Written | undefined, managed: ReadonlySet<string>): readonly string[] {
  return (written?.goneInAnswer ?? []).filter((path) => managed.has(path));
}

/**
 * Returns the declared fields that our last write left out, that are now missing, and that the next write sends, and
 * `secrets` if that holds for some of these.
 */
function goneOfOurs(
  { judgements, secrets }: Compared,
  { written, observed, resource, via }: Comparison,
): readonly string[] {
  if (via === 'answer') return [];
  const leftOut = written === undefined ? (resource.status?.leftOut ?? []) : leftOutBy(written);
  const fields = judgements
    .filter(({ verdict, desired }) => !desired.cleared && ['first', 'change', 'drift'].includes(verdict))
    .map(({ desired }) => desired.field.path)
    .filter((path) => areNaming(leftOut, path) && isShown(observed, path) === false);
  return secrets.emptied.length === 0 ? fields : [...fields, SECRETS_PATH];
}

/**
 * Returns the fields that a write left out and that are missing from a list which must show the effect of the write.
 * Their values may be forgotten, and another client may have removed them, so the operator reports them and does not
 * restore them. A process that did not make the write judges the first list that proves it.
 */
function goneSince(
  c: Comparison,
  { evidence, managed }: { readonly evidence: Evidence; readonly managed: ReadonlySet<string> },
): readonly string[] {
  const { leftOut = [] } = c.resource.status ?? {};
  if (c.via === 'answer' || c.settings.patchBodies === 'Partial' || evidence.kind === 'unknown') return [];
  if (!c.inherited && c.beganMs < writeShownMs(c.resource, c.settings)) return [];
  const gone = leftOut.filter(
    (path) => isShown(c.observed, path) === false && !isOfSpec(path, c.desired.fields),
  );
  // If the spec owns the list exclusively, our list removes the names of others on purpose.
  const isDropped = c.resource.spec.secretsOwnership === 'Exclusive' && c.desired.secrets.kind === 'resolved';
  return isDropped ? gone.filter((path) => !areNaming([SECRETS_PATH], path) || managed.has(path)) : gone;
}

/** Returns the declared fields and secrets, and the whole list of secrets if the spec owns it exclusively. */
function managedPaths({ judgements, secrets }: Compared, { spec }: DeploymentResource): ReadonlySet<string> {
  const names = [...secrets.digests.keys()].map((name) => `${SECRETS_PATH}.${name}`);
  const isWhole = spec.secretsOwnership === 'Exclusive' && names.length > 0;
  const paths = judgements.map(({ desired }) => desired.field.path);
  return new Set([...paths, ...names, ...(isWhole ? [SECRETS_PATH] : [])]);
}

/**
 * Returns the losses that show how the service treats omissions. A new process finds such a loss for the first time,
 * after a write that arrived, and beside it no text remains that our requests do not carry.
 */
function taughtBy(c: Comparison, gone: readonly string[], managed: ReadonlySet<string>): readonly string[] {
  const { lost: told = [], leftOut = [] } = c.resource.status ?? {};
  const { sourceConfig, sourceRevisionConfig } = c.observed;
  const others = [
    ...pathsIn('sourceConfig', sourceConfig?.fields),
    ...pathsIn(WHOLE_SPEC, sourceConfig?.resourceSpec?.fields),
    ...pathsIn('sourceRevisionConfig', sourceRevisionConfig?.fields),
  ].filter((path) => !managed.has(path));
  // If our requests carry a resource spec, the rest of it says nothing about what they leave out elsewhere.
  const isSpecOurs = [...managed].some((path) => areNaming([WHOLE_SPEC], path));
  const stay = [...leftOut, ...others].filter((path) => !isSpecOurs || !areNaming([WHOLE_SPEC], path));
  return gone.filter(
    (path) => !told.includes(path) && !isOneOf(c.observed, path) && !staysBeside(path, stay, c.observed),
  );
}

function pathsIn(block: string, fields: JsonObject | undefined): readonly string[] {
  return Object.keys(fields ?? {}).map((key) => `${block}.${key}`);
}

/**
 * Returns the values that an earlier write sent again because they were gone after a write that left them out, as they
 * are now: our writes empty them alternately. A correction of what somebody else changed or removed says nothing. Nor
 * does a list that repeats the first loss, since the write that sent the value again may be refused or not have arrived.
 */
function goneAgain(c: Comparison, emptied: readonly string[]): readonly string[] {
  const { drift = [] } = c.resource.status?.budget ?? {};
  return emptied.filter((path) => isAnotherLoss(c, path) && drift.some((entry) => entry.path === path));
}

/** True if the write after which a value is gone is another one than the write after which it was sent again. */
function isAnotherLoss({ refilled, written }: Comparison, path: string): boolean {
  const earlierMs = refilled?.get(path);
  if (earlierMs === undefined || written === undefined || written.endedMs === earlierMs) return false;
  return areNaming(leftOutBy(written), path);
}

/** Returns missing declared values that our last write left out and that a list shows to be gone. */
function emptiedIn(c: Comparison, judgements: readonly Judgement[]): readonly string[] {
  const { listed, body, unseenMs } = c.written ?? {};
  // A list that must show our write still showed everything that the write left out: somebody else removed it later.
  if (unseenMs !== undefined) return [];
  // A service that empties an omitted resource spec leaves no other text in it.
  const taken =
    listed === undefined || body?.sourceConfig?.resourceSpec !== undefined
      ? []
      : goneFromSpec(listed, c.observed);
  return judgements
    .filter(({ verdict }) => verdict === 'drift')
    .map(({ desired }) => desired.field.path)
    .filter((path) => isGone(c, path) && !taken.includes(path));
}

/**
 * Removes the memory of writes to another deployment, from before the spec declared a new id: they say nothing about
 * this one (H26).
 */
function withoutMemoryOfAnother(c: Comparison): Comparison {
  const { status } = c.resource;
  if (status?.deploymentID === undefined || status.deploymentID === c.observed.id) return c;
  const { applied: _applied, pendingWrite: _pending, lastPatch: _last, ...rest } = status;
  const { leftOut: _left, lost: _lost, creation: _creation, ...kept } = rest;
  return { ...c, resource: { ...c.resource, status: kept } };
}

/**
 * Returns the time from which an announced write can no longer take effect, and a read must show it. For an
 * announcement of another process, the window begins when this process first saw it, since their clocks may differ.
 */
export function verdictDueMs(
  resource: DeploymentResource,
  settings: ConnectionSettings,
  foundMs: number | undefined,
): number {
  const announced = resource.status?.pendingWrite?.time;
  return announced === undefined ? 0 : (foundMs ?? Date.parse(announced)) + windowMs(settings);
}

/**
 * Returns the request timeout plus the consistency window: the time after a write in which a read may show the state
 * before it.
 */
export function windowMs(settings: ConnectionSettings): number {
  return settings.requestTimeoutMs + DEFAULTS.consistencyWindowMs;
}

function rolloutOf({ resource, observed, nowMs }: Comparison): Rollout {
  const started = rolloutStarted(resource.status ?? {}, observed.latestRevisionID ?? undefined);
  return judgeRollout(observed, {
    startedMs: started === undefined ? undefined : Date.parse(started),
    nowMs,
    deadlineMs: rolloutDeadlineMs(resource),
  });
}

/** Returns how long a revision may take to become active. */
function rolloutDeadlineMs(resource: DeploymentResource): number {
  const seconds = resource.spec.rollout?.deadlineSeconds;
  return seconds === undefined ? DEFAULTS.rolloutDeadlineMs : seconds * 1000;
}

/**
 * True if the newest revision is the one that our last write left. If the answer did not show a revision, the first
 * revision seen since the write counts as that one.
 */
function isOurs({ resource, observed }: Comparison): boolean {
  const { revisions = [] } = resource.status ?? {};
  const last = acceptedPatch(resource.status);
  if (last?.revisionID !== undefined) return last.revisionID === observed.latestRevisionID;
  if (last === undefined || !['Applied', 'Verified'].includes(last.outcome)) return false;
  const wroteMs = Date.parse(last.time);
  // A revision that the look before the write showed first may be recorded with the time of that write.
  const since = revisions.filter(({ firstSeenTime }) => Date.parse(firstSeenTime) > wroteMs);
  return since.every(({ id }) => id === observed.latestRevisionID);
}

/**
 * True if a shown value may be the service's form of the value that we sent, and not an edit: an edit would
 * make another revision. In a resource spec this holds if our last write made a revision; otherwise only the
 * same value in another form is no edit.
 */
function mayBeOurs(c: Comparison, desired: DesiredField, shown: Shown): boolean {
  const { path } = desired.field;
  const { before, listed = before } = c.written ?? {};
  if (listed !== undefined && keepsRemoved(desired, shownOf(desired.field, listed), shown)) return false;
  const { revisions = [] } = c.resource.status ?? {};
  const latest = revisions.find(({ id }) => id === c.observed.latestRevisionID);
  if (!areNaming([RESOURCE_SPEC], path)) return true;
  if (latest === undefined) return !isPushedSince(c, path) || isSpelling(desired.value, shown);
  const wroteMs = Date.parse(acceptedPatch(c.resource.status)?.time ?? '') || 0;
  const isMade = latest.cause !== 'External' && Date.parse(latest.firstSeenTime) > wroteMs;
  return isMade || isSpelling(desired.value, shown);
}

/**
 * True if a new revision is that of a push since a list showed our value of a field exactly as sent: it has another
 * commit, and our last write asked for nothing that moves a commit.
 */
function isPushedSince({ resource: { status }, observed }: Comparison, path: string): boolean {
  const newest = status?.revisions?.[0];
  const was = newest?.repoCommitSHA ?? status?.observed?.sourceRevisionConfig?.repoCommitSHA;
  const isPush = isPushBeside(was, observed, acceptedPatch(status)?.paths ?? []);
  const kept = status?.applied?.fields.find((field) => field.path === path);
  return isPush && kept !== undefined && kept.a === kept.b;
}

/**
 * True if a process that did not make our last write, and read no list within the window, finds a value after it that
 * was shown as it was sent. An earlier process may have read the first list after the window, so another value now may be
 * an edit.
 */
function mayHaveSettled(c: Comparison, kept: Baseline | undefined): boolean {
  const isLate = c.inherited && c.sawWindow !== true && mustShowWrites(c);
  return isLate && kept !== undefined && kept.b === kept.a;
}

/** True for our value in another form, and outside a resource spec for every value: an edit there makes a revision. */
function isOwnForm({ field: { path }, value }: DesiredField, shown: Shown): boolean {
  return !areNaming([RESOURCE_SPEC], path) || isSpelling(value, shown);
}

/**
 * Judges a field that is no longer shown. If any list has shown it since the start, somebody emptied it. If lists never
 * show it, its absence means nothing (N31). If only the look after our write showed it, the first reads after the
 * window of that write decide whether lists show it. A baseline that no longer moves is decided.
 */
function notShown(c: Comparison, path: string, kept: Baseline | undefined): Verdict {
  const dueMs = writeShownMs(c.resource, c.settings);
  if (c.via === 'answer') return 'in-sync';
  // A list that shows the change of our write does not lag, so a value that it lacks is gone.
  if (isGone(c, path) || isStillLost(c, path)) return 'drift';
  // The state before our last write already contained the values that the write did not ask for.
  const mayLag = mayHaveCarried(c.resource, path, kept) || !c.listedPaths.has(path);
  if (c.beganMs < dueMs && mayLag) return 'in-sync';
  if (c.listedPaths.has(path)) return 'drift';
  // A look before our newest write showed what that write left out, and the write may have emptied it. What is lost was
  // shown before, perhaps to an earlier process.
  const { leftOut = [], lost = [] } = c.resource.status ?? {};
  const isKnown = areNaming(leftOut, path) || areNaming(lost, path);
  const isFirst = c.beganMs < dueMs + steadyMs(c.settings);
  const mayBeUnlisted = kept?.was !== undefined && !isKnown && isFirst;
  return mayBeUnlisted ? 'settling' : 'drift';
}

/**
 * True if the status says that a value was gone after a write of ours, and the last write did not ask for it: a list
 * showed the loss, perhaps to an earlier process, so this list is not merely older than the value.
 */
function isStillLost({ resource, via }: Comparison, path: string): boolean {
  return via === 'list' && !wasSent(resource, path) && areNaming(resource.status?.lost ?? [], path);
}

const RESOURCE_SPEC = 'sourceConfig.resourceSpec';

/**
 * True if our last write left a field out, alone or with a block, and a list shows that it is gone. Also true if the write
 * left out parts of a resource spec, and a list that must show the write shows no resource spec any more. If the write
 * asked for nothing in the resource spec, a list that shows the write tells the same of a field that lists have shown.
 */
function isGone(c: Comparison, path: string): boolean {
  if (isDropped(c, path)) return true;
  const { leftOut = [] } = c.resource.status ?? {};
  const isInSpec = (one: string): boolean => areNaming([RESOURCE_SPEC], one);
  const isUntouched = c.listedPaths.has(path) && !wasSentWith(c, isInSpec);
  const isTold = mustShowWrites(c) ? leftOut.some(isInSpec) || isUntouched : isUntouched && followsWrite(c);
  return isTold && isInSpec(path) && isShown(c.observed, RESOURCE_SPEC) === false;
}

/**
 * True if our last write left a field out, alone or with a block, that lists showed of this deployment before, and a list
 * that shows the write shows that it is gone.
 */
function isDropped({ written }: Comparison, path: string): boolean {
  const { listed, effect } = written ?? {};
  if (listed === undefined || effect === undefined) return false;
  return effect.dropped.some((gone) => areNaming([gone], path) && isShown(listed, gone) === true);
}

/** True if this list or an earlier one has shown our last write to this process, which made the write. */
function followsWrite({ written, inherited, via }: Comparison): boolean {
  if (via !== 'list') return false;
  const { effect } = written ?? {};
  return written === undefined ? !inherited : effect !== undefined && effect.repair === undefined;
}

/** True for a list that began after the window of our last write. */
function mustShowWrites(c: Comparison): boolean {
  return c.via === 'list' && c.beganMs >= writeShownMs(c.resource, c.settings);
}

/** True for a list with the revision that our last write made and its answer showed: it is no older than that write. */
function showsOurRevision({ resource, observed, via }: Comparison): boolean {
  const last = acceptedPatch(resource.status);
  const shown = resource.status?.revisions?.find(({ id }) => id === observed.latestRevisionID);
  if (via !== 'list' || last?.outcome !== 'Applied' || shown?.cause !== 'Operator') return false;
  // Under `Report` a secret that somebody removed just after that list would never be sent.
  if (!mayMakeRevision(last.paths) || reportsDrift(resource)) return false;
  return last.revisionID === shown.id && Date.parse(shown.firstSeenTime) >= Date.parse(last.time);
}

/**
 * True for a list under the first new revision since our last write, after a list that showed the write under a revision
 * from before it: somebody made the new one later. If a list had shown another new revision since, this one may be from
 * between the look before the write and the write. A lagging list may be even older, under a revision that no look had
 * shown: it shows a field of the write as before.
 */
function isNewerThanShown(c: Comparison): boolean {
  const { resource, observed, written, inherited, via } = c;
  const { latestRevisionID: revision } = observed;
  if (via !== 'list' || inherited || written !== undefined || typeof revision !== 'string') return false;
  const last = acceptedPatch(resource.status);
  if (last === undefined || showsAsBefore(c, last.paths)) return false;
  const wroteMs = Date.parse(last.time);
  const { revisions = [] } = resource.status ?? {};
  return revisions.every(({ id, firstSeenTime }) => id !== revision && Date.parse(firstSeenTime) < wroteMs);
}

/** True if a look shows a field of these paths as it was before our write of it, which changed it. */
function showsAsBefore(
  { resource, desired, observed, digests }: Comparison,
  paths: readonly string[],
): boolean {
  const { applied } = resource.status ?? {};
  const fields = applied?.key === digests.keyID ? (applied.fields ?? []) : [];
  return fields.some(({ path, a, was }) => {
    const field = desired.fields.find((one) => one.field.path === path);
    const shown = field && shownFor(field, observed);
    if (field === undefined || shown === undefined || !paths.includes(path)) return false;
    return was !== undefined && was !== a && fieldDigest(field, shown, digests) === was;
  });
}

/**
 * True if this look may show a field as it was before a write of ours: no look has shown the value that we wrote, or our
 * last write carried the field and no list has shown that write, or it left the field out and may have emptied it.
 */
function isUnseen(c: Comparison, path: string, kept: Baseline | undefined): boolean {
  const { resource, settings, written, via, beganMs } = c;
  if (isLeftOpen(c, path)) return true;
  if (beganMs >= writeShownMs(resource, settings)) return false;
  if (kept === undefined) return isUntold(c, path);
  // The answer shows another value than our last write asked for. It may be the state before that write (N14).
  if (via === 'answer') return wasSent(resource, path);
  if (kept.b === undefined) return true;
  if (!wasSent(resource, path)) return false;
  if (written === undefined) return c.inherited && kept.was !== kept.a && !showsInheritedWrite(c);
  return written.effect === undefined;
}

/**
 * True if this look may be older than a write that left a field out, even one with an unknown outcome. An answer is
 * completed with the values from before the write, so it proves no more.
 */
function isLeftOpen({ resource, settings, foundMs, beganMs }: Comparison, path: string): boolean {
  const dueMs = Math.max(writeShownMs(resource, settings), verdictDueMs(resource, settings, foundMs));
  return beganMs < dueMs && areNaming(resource.status?.leftOut ?? [], path);
}

/**
 * True if our last write left a shown field out, or carried another value than shown, and nothing has shown that write to
 * this process. Its answer may be the state before it, even if that has every requested value (N14).
 */
function isUntold(c: Comparison, path: string): boolean {
  const { resource, written, inherited, observed } = c;
  if (written === undefined) return inherited && !wasSent(resource, path) && !showsInheritedWrite(c);
  if (written.effect !== undefined || showsAnsweredRevision(written, observed)) return false;
  if (carriedOther(written.body, path, observed)) return true;
  const isTold = showsOwnChange(written) && isShown(written.answer ?? observed, path) === true;
  return !isTold && areNaming(leftOutBy({ before: observed, body: written.body }), path);
}

/** True if a body carries another value at a path than a look shows, such as labels without one that the look shows. */
function carriedOther(body: PatchBody, path: string, observed: ObservedDeployment): boolean {
  const sent = { before: observed, body: partAt(body, [path]) };
  return askedOf(sent, observed).some(([asked, shown]) =>
    Object.entries(asked ?? {}).some(([key, value]) => !alike(shown?.[key], value)),
  );
}

/**
 * True if the answer shows a requested value where the look before the write showed another one: it is no older than the
 * write. An earlier write that no list has shown does not explain the value.
 */
function showsOwnChange(written: Written): boolean {
  const { answer, before } = written;
  if (answer === undefined) return false;
  const { body } = beyondUnshown(written, answer);
  return askedOf({ before, body }, answer).some(([asked, was, is]) =>
    Object.entries(asked ?? {}).some(
      ([key, value]) => !isEmpty(was?.[key]) && !alike(was?.[key], value) && alike(is?.[key], value),
    ),
  );
}

/** True for a read that shows the revision of our last write, which an earlier process made, or a value that it changed. */
function showsInheritedWrite(c: Comparison): boolean {
  const { resource, desired, observed, via, digests } = c;
  if (showsOurRevision(c)) return true;
  if (via !== 'list') return false;
  const fields =
    resource.status?.applied?.key === digests.keyID ? (resource.status.applied.fields ?? []) : [];
  const paths = acceptedPatch(resource.status)?.paths ?? [];
  return desired.fields.some((one) => {
    const kept = fields.find(({ path }) => path === one.field.path);
    const shown = shownFor(one, observed);
    if (kept?.was === undefined || kept.was === '' || kept.was === kept.a || shown === undefined)
      return false;
    return paths.includes(kept.path) && fieldDigest(one, shown, digests) === kept.a;
  });
}

/** True if a path is among those of our last write; a creation and a redeploy count as sending everything. */
function wasSent({ status }: DeploymentResource, path: string): boolean {
  const paths = acceptedPatch(status)?.paths ?? [];
  return paths.length === 0 || paths.includes(path);
}

/**
 * True if our last write may have carried a path. If a write without paths left out a field of the revision block, such as
 * a repair beside reported drift, it has fixed the record of the field.
 */
function mayHaveCarried(resource: DeploymentResource, path: string, kept: Baseline | undefined): boolean {
  const isNamed = acceptedPatch(resource.status)?.paths.includes(path) === true;
  const isLeftOut = path.startsWith('sourceRevisionConfig.') && kept?.was === undefined;
  return isNamed || (wasSent(resource, path) && !isLeftOut);
}

/**
 * True if our last write asked for any of some paths. A creation asks for everything, and a redeploy for nothing outside
 * the revision block. Beside a refusal an accepted write without paths may be either a large change or a redeploy. Such
 * a write no longer counts once a list after its window has shown the resource spec without values of others.
 */
function wasSentWith(
  { resource: { status }, showedSpec }: Comparison,
  isOne: (path: string) => boolean,
): boolean {
  const last = acceptedPatch(status);
  if (last === undefined || last.paths.length > 0) return last?.paths.some(isOne) ?? true;
  if (showedSpec === true) return false;
  return status?.lastPatch?.outcome === 'Refused' || last.time === status?.creation?.time;
}

const NOTHING_OPEN: Open = new Map();

/** True if our newest write, or a later announced write, carried a path. A redeploy carries the revision block. */
function wasAskedFor({ status }: DeploymentResource, path: string): boolean {
  return [acceptedPatch(status)?.paths, status?.pendingWrite?.paths].some(
    (paths) =>
      paths?.includes(path) === true || (paths?.length === 0 && path.startsWith('sourceRevisionConfig.')),
  );
}

/** True for the answer to our last write if a list has counted since: the answer is the older of the two. */
function isOlder({ via, sawWindow = false }: Comparison): boolean {
  return via === 'answer' && sawWindow;
}

/**
 * Returns the time from which every read shows our newest write; 0 without a write. Ignores refused writes, which
 * changed nothing.
 */
export function writeShownMs({ status }: DeploymentResource, settings: ConnectionSettings): number {
  const made = [acceptedPatch(status)?.time, status?.creation?.time];
  const wroteMs = Math.max(0, ...made.map((time) => Date.parse(time ?? '') || 0));
  return wroteMs === 0 ? 0 : wroteMs + windowMs(settings);
}

/** Returns the longest time between two regular reads of the list, in milliseconds, including jitter. */
export function steadyMs({ poll }: ConnectionSettings): number {
  return 1.5 * poll.intervalMs;
}

/**
 * True while rounding and defaults of our own write may still appear: until the first read of the list after the
 * window. A process that does not know of such a read assumes one after the regular interval.
 */
function isSettling({
  resource,
  settings,
  beganMs,
  settledMs = Number.POSITIVE_INFINITY,
}: Comparison): boolean {
  const dueMs = writeShownMs(resource, settings);
  return beganMs <= settledMs && beganMs < dueMs + steadyMs(settings);
}

/**
 * True for the first lists after a write whose answer did not show the field: the value that they show is the
 * service's form of ours.
 */
function standsIn(c: Comparison, desired: DesiredField, shown: Shown): boolean {
  const last = acceptedPatch(c.resource.status);
  const isUntold = last?.outcome === 'Applied' && last.revisionID === undefined;
  if (!isUntold || c.via === 'answer') return false;
  return wasSent(c.resource, desired.field.path) && mayBeOurs(c, desired, shown) && isSettling(c);
}

/**
 * True if a branch may still become a commit: the service resolves it during the rollout of the revision, at most until
 * the rollout's deadline.
 */
function mayResolveLate(c: Comparison, path: string, shown: Shown): boolean {
  if (path !== REPO_REF_PATH || !looksLikeCommit(shown) || !rolloutOf(c).rolling) return false;
  const written = Date.parse(acceptedPatch(c.resource.status)?.time ?? '') || 0;
  return c.beganMs < written + rolloutDeadlineMs(c.resource);
}
