import type { DeploymentStatus } from '../../api/deployment.ts';
import {
  type Applied,
  type Baseline,
  fieldDigest,
  fieldPart,
  fixed,
  secretsSent,
  withinBound,
} from '../recorded/baseline.ts';
import type { Digests } from '../recorded/digests.ts';
import type { DesiredField } from '../desired/desired-deployment.ts';
import type { Judgement } from './judge-fields.ts';
import { REPO_REF_PATH, SECRETS_PATH } from '../desired/fields.ts';
import { valuesOf } from '../effects/untouched.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { provenByRevision } from './proven-by-revision.ts';
import type { SecretsJudgement } from './judge-secrets.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import { isSpelling } from '../external/is-spelling.ts';
import { isBlockShown, isResolvedCommit } from '../external/shown.ts';
import { showsAnotherValue } from './shows-another-value.ts';

/** An announced write with an unknown outcome. */
export type PendingWrite = NonNullable<DeploymentStatus['pendingWrite']>;

/** The evidence of a read about an announced PATCH, path by path. */
export type Evidence =
  | { readonly kind: 'none' }
  /** Everything requested is proven applied. */
  | ({ readonly kind: 'proven' } & Proven)
  /** Some values are not proven, and may still take effect late. */
  | { readonly kind: 'unknown'; readonly paths: readonly string[]; readonly untilMs: number }
  /** Two reads after the window do not prove `lost`: these values are sent again. */
  | ({ readonly kind: 'disproven'; readonly lost: readonly string[] } & Proven & {
        /** Paths that the reads show with a value of another client, which is only reported. */
        readonly theirs: readonly string[];
      });

interface Proven {
  readonly paths: readonly string[];
  /** True if the spec has changed since: the write sent other values, and perhaps a name that the spec no longer lists. */
  readonly edited?: true;
}

/** Returns the part of a digest for the values of a write: the desired values of its paths, in any form of the body. */
export function bodyPart(
  paths: readonly string[],
  judgements: readonly Judgement[],
  secrets: SecretsJudgement,
  digests: Digests,
): string {
  const asked = new Set(paths);
  const wanted = new Map(
    judgements
      .filter(({ desired }) => asked.has(desired.field.path))
      .map(({ desired }) => [desired.field.path, fieldPart(desired, desired.value, digests)]),
  );
  wanted.set(SECRETS_PATH, secrets.part);
  return joinedPart(paths, wanted, digests);
}

function joinedPart(paths: readonly string[], parts: ReadonlyMap<string, string>, digests: Digests): string {
  return digests.part(paths.map((path) => `${path}=${parts.get(path) ?? ''}`).join('\n'));
}

/** Returns the digest of a request for its announcement. */
export function requestDigest(part: string, digests: Digests): string {
  return digests.bind('request', '', part);
}

/** Returns one digest for a whole set of secrets. */
export function secretsDigest(secrets: Pick<SecretsJudgement, 'part'>, digests: Digests): string {
  return digests.bind('field', SECRETS_PATH, secrets.part);
}

/** The facts by which an announced write is judged. */
interface Facts {
  readonly judgements: readonly Judgement[];
  readonly secrets: SecretsJudgement;
  readonly observed: ObservedDeployment;
  /** True if the service is known to empty a field for null, or to refuse the whole request. */
  readonly nullsCount: boolean;
  /** The generation of the spec. */
  readonly generation: number | undefined;
  /** The previous `status.observed`. */
  readonly recorded: DeploymentStatus['observed'];
  /** `status.revisions`. */
  readonly revisions: DeploymentStatus['revisions'];
  /** `status.lastPatch`. */
  readonly lastPatch?: DeploymentStatus['lastPatch'];
  /** True if any deployment of the connection has shown a non-empty list of secrets. */
  readonly secretsListed: boolean;
  /**
   * True if a secret of others may stay: the service is known to merge lists, a name of the list is new there, or what
   * others change is only reported.
   */
  readonly othersMayStay: boolean;
  /** True if the policy only reports what others change. */
  readonly reports: boolean;
  /** See `Situation`. */
  readonly listedPaths: ReadonlySet<string>;
  readonly beganMs: number;
  /** The time from which every read shows the last accepted write. */
  readonly settledMs: number;
  readonly digests: Digests;
  /** The time after which the write can no longer take effect late. */
  readonly untilMs: number;
  /** See `Situation`. */
  readonly foundMs?: number | undefined;
  /** See `Situation`. */
  readonly foundRevisionID?: string | undefined;
  /** See `RevisionFacts`. */
  readonly mayBeOfEarlier?: boolean | undefined;
  /** True if an earlier read that also began after `untilMs` did not prove it either. */
  readonly secondRead: boolean;
  /** See `Situation`. */
  readonly provenBefore?: readonly string[] | undefined;
}

/** Judges an announced write by the values that are shown now. */
export function judgePending(pending: PendingWrite | undefined, facts: Facts): Evidence {
  if (pending === undefined) return { kind: 'none' };
  switch (pending.operation) {
    case 'Create':
      return judgeCreation(pending, facts);
    case 'Delete':
      return { kind: 'none' };
    case 'Patch':
    // If another release announced a kind of write that this release does not know, it is handled like a PATCH.
    default:
      return judgePatch(pending, facts);
  }
}

/**
 * Judges an announced creation. An existing deployment proves it, and its values are compared with the shown values. If
 * the service accepted the request, and nothing shows that somebody else made the deployment, the existence also proves
 * the values that cannot be compared.
 */
function judgeCreation(pending: PendingWrite, facts: Facts): Evidence {
  if (!isLater(facts, pending)) return { kind: 'none' };
  const { judgements, observed, generation } = facts;
  const isOurs =
    pending.accepted === true && pending.generation === generation && !judgements.some(showsAnotherValue);
  const opaque = judgements.filter(
    (judgement) => !isEmpty(judgement.desired.value) && isOpaque(judgement, observed),
  );
  const paths = [
    ...(isOurs ? opaque.map(({ desired }) => desired.field.path) : []),
    ...(facts.secrets.shownAsSent ? [SECRETS_PATH] : []),
  ];
  return paths.length === 0 ? { kind: 'none' } : { kind: 'proven', paths };
}

function judgePatch(pending: PendingWrite, facts: Facts): Evidence {
  const paths = pending.paths ?? [];
  const part = bodyPart(paths, facts.judgements, facts.secrets, facts.digests);
  const sameRequest = pending.bodyDigest === requestDigest(part, facts.digests);
  if (!sameRequest && showsRequest(pending, facts)) return { kind: 'proven', paths, edited: true };
  const edited = sameRequest ? {} : { edited: true as const };
  const newRevision =
    provenByRevision(pending, { ...facts, showsBranch: showsBranch(paths, facts) }) &&
    !facts.judgements.some(
      (judgement) => paths.includes(judgement.desired.field.path) && stayed(judgement, facts),
    );
  const proven = paths.filter((path) => {
    if (facts.provenBefore?.includes(path) === true) return true;
    if (!isLater(facts, pending)) return false;
    // A value shown in clear has arrived, whatever was edited since. But another request may still arrive until the
    // window is over.
    const isOver = facts.beganMs >= facts.untilMs;
    if (path === SECRETS_PATH && showsOurSecrets(facts, pending) && (sameRequest || isOver)) return true;
    if (!sameRequest) return false;
    if (path === SECRETS_PATH && showsOtherNames(facts)) return false;
    const judgement = facts.judgements.find((j) => j.desired.field.path === path);
    if (judgement !== undefined && wasEmptied(judgement, facts)) return true;
    return judgement === undefined || isOpaque(judgement, facts.observed)
      ? newRevision
      : judgement.digests.shown === judgement.digests.desired;
  });
  if (proven.length === paths.length && (paths.length > 0 || newRevision))
    return { kind: 'proven', paths, ...edited };
  const { untilMs, secondRead } = facts;
  if (facts.beganMs < untilMs || !secondRead) return { kind: 'unknown', paths: proven, untilMs };
  // A request without an answer may never have arrived.
  const isDone = sameRequest && pending.accepted === true;
  const theirs = paths.filter((path) => isDone && !proven.includes(path) && isOfOthers(path, facts));
  const lost = paths.filter((path) => !proven.includes(path) && !theirs.includes(path));
  return { kind: 'disproven', paths: proven, lost, theirs, ...edited };
}

/**
 * True under `Report` for a field of the revision block that is shown with neither the value which the status has from
 * before the write nor the requested one: another client has set it since. To send ours again would revert that.
 */
function isOfOthers(path: string, facts: Facts): boolean {
  const judgement = facts.judgements.find(({ desired }) => desired.field.path === path);
  if (judgement === undefined || !facts.reports || isOpaque(judgement, facts.observed)) return false;
  const { desired, digests, shown } = judgement;
  // The baseline may be older than a change that was reported before the request.
  const was = recordedDigest(desired, facts);
  return was !== undefined && !isEmpty(shown) && digests.shown !== was && !isSpelling(desired.value, shown);
}

/** True if a write asked for a branch, and the requested one is shown. */
function showsBranch(paths: readonly string[], { judgements }: Facts): boolean {
  const branch = judgements.find(({ desired }) => desired.field.path === REPO_REF_PATH);
  return (
    paths.includes(REPO_REF_PATH) && branch !== undefined && branch.digests.shown === branch.digests.desired
  );
}

/**
 * True if the values of an announced request are shown, although the spec has changed since and asks for others: their
 * digest is that of the request. Secrets are never compared in this way. A read that may be older than the last accepted
 * write proves nothing, since it may show the same values from before that write.
 */
function showsRequest(pending: PendingWrite, facts: Facts): boolean {
  if (!isLater(facts, pending) || facts.beganMs < facts.settledMs) return false;
  const { paths, bodyDigest } = pending;
  const shown = new Map(
    facts.judgements
      .filter(({ shown: value }) => value !== undefined)
      .map(({ desired, shown: value }) => [desired.field.path, fieldPart(desired, value, facts.digests)]),
  );
  const part = joinedPart(paths, shown, facts.digests);
  return paths.every((path) => shown.has(path)) && bodyDigest === requestDigest(part, facts.digests);
}

/**
 * True for a read that began after the announcement. For an announcement of another process, the read must have begun
 * after this process first saw it. A read without any revision is older if the announcement knows one: a deployment
 * never loses its revisions.
 */
function isLater(
  { beganMs, foundMs = Number.POSITIVE_INFINITY, observed }: Facts,
  { time, baseRevisionID }: PendingWrite,
): boolean {
  const isFirst = observed.latestRevisionID === null && baseRevisionID !== undefined;
  return !isFirst && beganMs > Math.min(Date.parse(time), foundMs);
}

/**
 * True for a field that the write was to empty and that is no longer shown, if it was shown before or lists show it.
 */
function wasEmptied(judgement: Judgement, facts: Facts): boolean {
  const { desired, digests } = judgement;
  if (!desired.cleared || digests.shown !== undefined) return false;
  const wasShown = digests.baseline !== undefined || recordedDigest(desired, facts) !== undefined;
  return wasShown || isListedElsewhere(judgement, facts);
}

/**
 * True if a requested value is shown as before the write, if it is missing although it would be shown, or if a field that
 * the write was to empty is still shown, although the service empties fields or refuses to. The service applies a request
 * as a whole, so a new revision may be another client's.
 */
function stayed(judgement: Judgement, facts: Facts): boolean {
  const { desired, shown, digests } = judgement;
  if (desired.cleared) return facts.nullsCount && digests.shown !== undefined;
  if (isResolvedCommit(desired, shown, facts.observed)) return false;
  const isAsBefore = digests.shown !== undefined && digests.shown === digests.baseline;
  return isMissing(judgement, facts) || (isAsBefore && digests.shown !== digests.desired);
}

/**
 * True if a field is not shown although lists show it, although the status has its earlier value, or although other keys
 * of its resource spec are shown. Somebody emptied it, or it never arrived; a new revision may be another client's.
 */
function isMissing(judgement: Judgement, facts: Facts): boolean {
  const { desired, shown } = judgement;
  if (shown !== undefined && shown !== null) return false;
  const spec = facts.observed.sourceConfig?.resourceSpec;
  const isAmongOthers = desired.field.block === 'resourceSpec' && valuesOf(spec).size > 0;
  const wasShown = recordedDigest(desired, facts) !== undefined && isBlockShown(desired, facts.observed);
  return isAmongOthers || wasShown || isListedElsewhere(judgement, facts);
}

/** True if lists show the field for any deployment, and show its block for this one. */
function isListedElsewhere({ desired }: Judgement, { listedPaths, observed }: Facts): boolean {
  return listedPaths.has(desired.field.path) && isBlockShown(desired, observed);
}

/**
 * True if the secrets are shown as sent. The values of a first list may have been there before it, so without a new
 * revision they prove nothing while a secret is shown that the list should remove.
 */
function showsOurSecrets(facts: Facts, { baseRevisionID }: PendingWrite): boolean {
  const { shownAsSent, wasApplied } = facts.secrets;
  const { latestRevisionID } = facts.observed;
  const isRevised = typeof latestRevisionID === 'string' && latestRevisionID !== baseRevisionID;
  return shownAsSent && (wasApplied || isRevised || !showsOtherNames(facts));
}

/**
 * True if the service lists names of secrets and lacks some of the sent ones, or if a secret is still there that the
 * sent list should remove: one of ours, or another one unless it may stay.
 */
function showsOtherNames({ secrets, observed, secretsListed, othersMayStay }: Facts): boolean {
  const shown = observed.secrets?.map(({ name }) => name);
  if (!secretsListed || shown === undefined) return false;
  if (secrets.still.length > 0) return true;
  const sent = [...secrets.digests.keys()];
  const mayStay = othersMayStay && sent.length > 0;
  return (!mayStay && secrets.leftOut.length > 0) || sent.some((name) => !shown.includes(name));
}

/** Returns the applied state after the evidence, with proven paths added and lost paths removed. */
export function withEvidence(
  applied: Applied,
  evidence: Evidence,
  judgements: readonly Judgement[],
  secrets: SecretsJudgement,
  before?: Pick<Facts, 'recorded' | 'digests' | 'provenBefore'>,
): Applied {
  if (evidence.kind !== 'proven' && evidence.kind !== 'disproven') return applied;
  const fields = new Map<string, Baseline>([...applied.fields].map(([path, kept]) => [path, fixed(kept)]));
  for (const path of evidence.kind === 'disproven' ? evidence.lost : []) fields.delete(path);
  for (const { desired, digests } of judgements) {
    const { path } = desired.field;
    if (!evidence.paths.includes(path)) continue;
    const isShown = digests.shown !== undefined;
    const wasShown = before?.provenBefore?.includes(path) === true && evidence.edited !== true;
    fields.set(path, {
      a: evidence.edited === true && digests.shown !== undefined ? digests.shown : digests.desired,
      // If an earlier read showed the value as sent, another one is an edit. Otherwise the value shown before the newly
      // proven write counts: the service may still change our value into its own spelling.
      ...(wasShown && isShown
        ? { b: digests.desired }
        : { was: applied.fields.get(path)?.b ?? recordedDigest(desired, before) ?? '' }),
    });
  }
  for (const { desired, digests } of judgements)
    if (evidence.kind === 'disproven' && evidence.theirs.includes(desired.field.path))
      fields.set(desired.field.path, { a: digests.desired, b: digests.desired });
  const secretsProven = evidence.paths.includes(SECRETS_PATH);
  if (secretsProven && mayHaveMore(evidence, applied, secrets)) fields.delete(SECRETS_PATH);
  else if (secretsProven) fields.set(SECRETS_PATH, { a: '' });
  const secretsLost = evidence.kind === 'disproven' && evidence.lost.includes(SECRETS_PATH);
  if (secretsProven) return { ...applied, fields, secrets: secretsProvenBy(evidence, applied, secrets) };
  return { ...applied, fields, secrets: secretsLost ? withoutDigests(applied.secrets) : applied.secrets };
}

/** True if the sent list may have contained a new name that an edit has removed since. */
function mayHaveMore({ edited }: Partial<Proven>, applied: Applied, { digests }: SecretsJudgement): boolean {
  return edited === true && [...applied.secrets].some(([name, a]) => a === '' && !digests.has(name));
}

/**
 * Returns the applied secrets after a proven write. Keeps the names that earlier lists left out; a name from the sent
 * list that is no longer wanted must still be removed.
 */
function secretsProvenBy(
  { edited }: Partial<Proven>,
  applied: Applied,
  { digests, leftOut }: SecretsJudgement,
): ReadonlyMap<string, string> {
  if (edited === true) return withinBound(digests, applied.secrets);
  return secretsSent(applied.secrets, digests, leftOut);
}

/** Returns the digest of a field of the revision block before a write, if the status contains its value. */
function recordedDigest(
  desired: DesiredField,
  before: Pick<Facts, 'recorded' | 'digests'> | undefined,
): string | undefined {
  const { block, name } = desired.field;
  const texts: Readonly<Record<string, string>> = before?.recorded?.sourceRevisionConfig ?? {};
  const text = block === 'sourceRevisionConfig' ? texts[name] : undefined;
  return text === undefined || before === undefined ? undefined : fieldDigest(desired, text, before.digests);
}

/**
 * Returns the secrets without their digests. The names stay ours, so that they can be removed; their values are no
 * longer known.
 */
function withoutDigests(secrets: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...secrets.keys()].map((name) => [name, '']));
}

/**
 * True for a field that cannot be compared: it is not shown, or is shown as the value to which the service resolved it.
 */
export function isOpaque(judgement: Judgement, observed: ObservedDeployment): boolean {
  return judgement.shown === undefined || isResolvedCommit(judgement.desired, judgement.shown, observed);
}
