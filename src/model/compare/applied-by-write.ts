import { defined } from '../../base/defined.ts';
import type { DeploymentStatus } from '../../api/deployment.ts';
import type { Assessment } from './assess.ts';
import { keepsRemoved } from './keeps-removed.ts';
import {
  type Applied,
  type Baseline,
  fixed,
  NO_BRANCH,
  referencesFingerprint,
  RELEASED,
  secretsSent,
  storedSecrets,
  withinBound,
} from '../recorded/baseline.ts';
import { isEmpty, stableText } from '../desired/canonical-text.ts';
import type { DesiredDeployment, DesiredField } from '../desired/desired-deployment.ts';
import { isSpelling } from '../external/is-spelling.ts';
import { hasContradiction, isEmptied, type Judgement, keepsCleared } from './judge-fields.ts';
import type { Digests } from '../recorded/digests.ts';
import { secretsDigest } from './evidence.ts';
import { REPO_REF_PATH, SECRETS_PATH } from '../desired/fields.ts';
import { showsAsEmptied } from '../effects/shows-arrival.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import type { PatchBody } from '../external/patch-body.ts';
import { isBlockShown, isResolvedCommit } from '../external/shown.ts';

type StoredApplied = NonNullable<DeploymentStatus['applied']>;

/** A write and its answer. */
interface Answered {
  readonly created: boolean;
  readonly body: PatchBody | undefined;
  /** The deployment as the answer shows it. */
  readonly observed: ObservedDeployment;
  readonly inLists: (path: string) => boolean;
  /** True if the answer shows something of the write, so it is no older than the write. */
  readonly tells?: boolean;
  /** Returns the digest of a value in the read before the look behind the write, if one pass made both. */
  readonly shownEarlier?: (desired: DesiredField) => string | undefined;
}

/**
 * Records the desired values as applied once a PATCH of `paths` was answered with success. A shown value
 * becomes their baseline only if it moved with the write, equals the requested value, or the write made all
 * of it. Baselines of other paths stay as the decision left them, and so does what an answer contradicted.
 */
export function appliedByWrite(
  before: Assessment,
  paths: readonly string[],
  after: readonly Judgement[],
  how: Answered,
): Applied {
  const fields = new Map<string, Baseline>(before.applied.fields);
  for (const judgement of before.judgements) {
    const { path } = judgement.desired.field;
    if (paths.includes(path)) {
      const answered = after.find((j) => j.desired.field.path === path);
      fields.set(path, sentBaseline(judgement, answered, how));
      continue;
    }
    const kept = baselineAfter(judgement, before.applied);
    if (kept === undefined) continue;
    const isContradicted = hasContradiction(judgement.digests) && !how.inLists(path);
    const isOpen = !how.inLists(path) && mayBeUnlisted(judgement, kept, paths);
    if (wentAlong(judgement, paths, how.body)) fields.set(path, sentAgain(kept, shownBefore(judgement, how)));
    else fields.set(path, isContradicted || isOpen ? kept : fixed(kept));
  }
  if (!paths.includes(SECRETS_PATH)) return { ...before.applied, fields };
  fields.set(SECRETS_PATH, { a: '' });
  const { digests, leftOut } = before.secrets;
  return { ...before.applied, fields, secrets: secretsSent(before.applied.secrets, digests, leftOut) };
}

/**
 * True for a field that was shown as requested, if at all, so lists may never show it. A redeploy or a repair also spares
 * a number in the service's own form.
 */
function mayBeUnlisted(
  { desired: { value }, shown }: Judgement,
  { a, b = a }: Baseline,
  paths: readonly string[],
): boolean {
  const isNumber = paths.length === 0 && typeof value === 'number';
  return a === b || (isNumber && (isEmpty(shown) || isSpelling(value, shown)));
}

/** Returns the baseline of a field that a write sent. */
function sentBaseline(judgement: Judgement, answered: Judgement | undefined, how: Answered): Baseline {
  const { desired } = judgement.digests;
  const { path } = judgement.desired.field;
  const { body, observed } = how;
  const isEmptied = body !== undefined && showsAsEmptied(path, body, observed);
  const shown = answered?.digests.shown ?? (isEmptied ? desired : undefined);
  // It was not shown before, and is not shown now.
  const isStill = judgement.digests.shown === undefined && isEmpty(answered?.shown);
  const was = shownBefore(judgement, how, answered);
  if (answered !== undefined && staysHidden(judgement, answered, how))
    return { a: desired, ...defined({ b: how.tells === true ? shown : undefined, was: shown }) };
  const isOther =
    shown !== was && !isStill && !keepsRemoved(judgement.desired, judgement.shown, answered?.shown);
  const moved = shown !== undefined && (how.created || shown === desired || isOther);
  // If lists hide the branch, they cannot tell that its commit is no other value.
  const isHiddenCommit = !how.inLists(path) && isResolvedCommit(judgement.desired, answered?.shown, observed);
  return {
    a: desired,
    ...(moved ? { b: isHiddenCommit ? desired : shown } : {}),
    was,
  };
}

/**
 * True for a text or an object that a write was to empty, that lists do not show and that the answer shows. Either the
 * answer shows the state before the write, or the service does not empty the field.
 */
function staysHidden(before: Judgement, answered: Judgement, { created, inLists }: Answered): boolean {
  const isUnlisted = before.digests.shown === undefined && !inLists(before.desired.field.path);
  return !created && isUnlisted && keepsCleared(answered);
}

/**
 * Returns the digest of the value before a write. The look behind the write may come from a replica that lags: then a
 * value in the answer is the one from before the write if the read before that look showed it, unless it may be the
 * service's form of ours.
 */
function shownBefore(
  { digests, desired }: Judgement,
  { created, shownEarlier }: Answered,
  answered?: Judgement,
): string {
  if (created) return '';
  const shown = answered?.digests.shown;
  const isOfOthers = shown !== undefined && !isSpelling(desired.value, answered?.shown);
  return isOfOthers && shown === shownEarlier?.(desired) ? shown : (digests.shown ?? '');
}

/**
 * Returns a baseline whose value is sent again. While the baseline may still move, a lagging list may show the value
 * from before the previous write.
 */
function sentAgain(kept: Baseline, was: string): Baseline {
  if (kept.b === NO_BRANCH) return { a: kept.a, was };
  return was === (kept.b ?? '') ? { was, ...kept } : { ...kept, was };
}

/** True for a field of the revision block that a redeploy sends as declared: the service may resolve it again. */
function wentAlong({ desired }: Judgement, paths: readonly string[], body: PatchBody | undefined): boolean {
  const { field, value } = desired;
  if (paths.length > 0 || field.block !== 'sourceRevisionConfig') return false;
  // A redeploy leaves out a field that is held back, and sends one that is only reported as shown.
  const sent = body?.sourceRevisionConfig?.[field.name];
  return body === undefined || (sent !== undefined && stableText(sent) === stableText(value));
}

/** The facts of a pass that its record depends on. */
interface PassFacts {
  readonly observed: ObservedDeployment;
  /** True if a list shows it, not the answer to a write. */
  readonly listed: boolean;
  /** See `Situation`. */
  readonly listedPaths: ReadonlySet<string>;
  /** True once a list has shown secrets of some deployment of the connection. */
  readonly secretsListed: boolean;
  readonly generation: number;
  /** True if the pass carried out the spec as far as allowed. */
  readonly concluded: boolean;
  /** The names of secrets that a write with an unknown outcome carries for the first time. */
  readonly announced: readonly string[];
  readonly digests: Digests;
  readonly nowMs: number;
}

/**
 * Returns `status.applied` after a pass with a comparison. Baselines move if a verdict says so, and released fields
 * disappear. The generation and the versions of the references are those of the last completed pass, so an unfinished
 * pass does not change them.
 */
export function storedApplied(
  previous: StoredApplied | undefined,
  assessment: Assessment,
  desired: DesiredDeployment,
  facts: PassFacts,
): StoredApplied {
  const fields = assessment.judgements.flatMap((judgement) => {
    const kept = baselineAfter(judgement, assessment.applied);
    const known = kept && showsCleared(judgement, facts) ? fixed(kept) : kept;
    const baseline = known && showsNoBranch(judgement, facts) ? { ...known, b: NO_BRANCH } : known;
    return baseline === undefined ? [] : [{ path: judgement.desired.field.path, ...baseline }];
  });
  const secrets = secretsAfter(assessment, facts);
  const values = withinBound(secrets.values, new Map(facts.announced.map((name) => [name, ''])));
  const references = facts.concluded
    ? referencesAfter(previous, desired, facts.digests)
    : previous?.references;
  const generation = facts.concluded ? facts.generation : (previous?.generation ?? 0);
  const next = {
    key: facts.digests.keyID,
    generation,
    fields: secrets.field === undefined ? fields : [...fields, secrets.field],
    ...(values.size === 0 ? {} : { secrets: storedSecrets(values, facts.digests) }),
    ...defined({ references }),
  };
  // An API server may return the members of an object in another order.
  const same =
    previous !== undefined &&
    stableText(previous.fields) === stableText(next.fields) &&
    stableText(previous.secrets ?? {}) === stableText(next.secrets ?? {});
  return { ...next, time: same ? previous.time : new Date(facts.nowMs).toISOString() };
}

/**
 * True if a list shows a commit without the branch that it was built from: somebody emptied the branch. A commit that is
 * shown in place of the branch later may be of any branch.
 */
function showsNoBranch({ verdict, digests, desired }: Judgement, { observed, listed }: PassFacts): boolean {
  const isDrift = listed && verdict === 'drift' && digests.shown === undefined;
  return (
    isDrift && desired.field.path === REPO_REF_PATH && !isEmpty(observed.sourceRevisionConfig?.repoCommitSHA)
  );
}

/**
 * True if a list shows a field as empty that the spec empties and that lists show when it is set: a client that fills it
 * later owns it.
 */
function showsCleared(
  { desired, shown, digests }: Judgement,
  { observed, listed, listedPaths }: PassFacts,
): boolean {
  if (!listed || !isEmptied({ desired, digests }) || !listedPaths.has(desired.field.path)) return false;
  return isEmpty(shown) && isBlockShown(desired, observed);
}

function baselineAfter({ verdict, digests, desired }: Judgement, applied: Applied): Baseline | undefined {
  const kept = applied.fields.get(desired.field.path);
  switch (verdict) {
    case 'adopt':
    case 'settling': {
      // The service may leave out a field that the spec empties.
      const shown = digests.shown ?? (isEmpty(desired.value) ? digests.desired : undefined);
      // A baseline settles once for each write. It has not settled while the service shows our value exactly as sent.
      const mayMove = verdict === 'adopt' && digests.applied === digests.desired && kept?.was !== undefined;
      return { a: digests.desired, ...defined({ b: shown }), ...(mayMove ? { was: kept.was } : {}) };
    }
    case 'drift': {
      // If the key of the digests was lost, only what was found empty can have drifted: it gets a new digest (H56).
      const known = kept && (applied.keyLost ? { ...kept, a: digests.desired } : kept);
      // A new process could not tell a value that somebody removed from one that lists never show.
      return known && digests.shown === undefined && !hasContradiction(digests) ? fixed(known) : known;
    }
    case 'in-sync':
    case 'first':
    case 'change':
    case 'ignored':
      return kept;
  }
}

function secretsAfter(
  { secrets, applied }: Assessment,
  facts: PassFacts,
): { field?: { path: string; a: string; b?: string }; values: ReadonlyMap<string, string> } {
  // Released secrets stay known while lists hide secrets: a body without them may empty them.
  const there = [...applied.secrets].filter(([, digest]) => digest !== '');
  const released = new Map(there.map(([name]) => [name, RELEASED]));
  if (secrets.verdict === 'unmanaged') return { values: facts.secretsListed ? new Map() : released };
  const before = applied.fields.get(SECRETS_PATH);
  const names = new Set(facts.observed.secrets?.map(({ name }) => name));
  // An answer may show names that lists do not show.
  const listed =
    facts.secretsListed &&
    secrets.digests.size > 0 &&
    [...secrets.digests.keys()].every((name) => names.has(name));
  const b = listed ? namesDigest(secrets.digests.keys(), facts.digests) : before?.b;
  if (secrets.verdict !== 'in-sync') {
    // Names are listed whether or not something is held back.
    const seen = defined({ b: facts.listed ? b : before?.b });
    const field = before && { path: SECRETS_PATH, ...before, ...seen };
    return { values: applied.secrets, ...defined({ field }) };
  }
  const a = secretsDigest(secrets, facts.digests);
  // A removed name remains ours while the list shows it. An answer may repeat only the requested values.
  const isListed = facts.listed && facts.observed.secrets !== undefined;
  const left = [...applied.secrets].filter(([name]) => !isListed || names.has(name));
  const values = secretsSent(new Map(left), secrets.digests, []);
  return { values, field: { path: SECRETS_PATH, a, ...defined({ b }) } };
}

/** Returns a digest that records only that the names were listed. */
function namesDigest(names: Iterable<string>, digests: Digests): string {
  return digests.bind('names', SECRETS_PATH, digests.part([...names].toSorted().join('\n')));
}

function referencesAfter(
  previous: StoredApplied | undefined,
  { secrets }: DesiredDeployment,
  digests: Digests,
): string | undefined {
  if (secrets.kind !== 'resolved') return previous?.references;
  return secrets.references.length === 0 ? undefined : referencesFingerprint(secrets.references, digests);
}
