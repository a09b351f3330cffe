import { type Applied, fieldDigest, type Baseline, NO_BRANCH } from '../recorded/baseline.ts';
import type { Digests } from '../recorded/digests.ts';
import type { DesiredDeployment, DesiredField } from '../desired/desired-deployment.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import { makesRevision } from '../desired/fields.ts';
import type { ObservedDeployment, Shown } from '../external/observation.ts';
import { isBlockShown, isKeyShown, isResolvedCommit, shownFor } from '../external/shown.ts';

/**
 * The verdict on a managed field.
 * - `in-sync`: nothing to do, even if the shown value looks odd.
 * - `adopt`: nothing is sent; the shown value becomes the baseline.
 * - `settling`: the baseline moves, since the service is still rounding or resolving the sent value, or does not list
 *   it.
 * - `first`, `change`: it must be sent, because it never was or because the spec changed.
 * - `drift`: it is shown differently than after our last write, or no longer shown.
 * - `ignored`: it is shown but never moved with our write; or only the answer showed it, and not as requested.
 */
export type Verdict = 'in-sync' | 'adopt' | 'settling' | 'first' | 'change' | 'drift' | 'ignored';

/** The digests behind the verdict on a field; `shown` is absent for a field that is not shown. */
export interface FieldDigests {
  readonly desired: string;
  readonly applied?: string | undefined;
  readonly baseline?: string | undefined;
  /** The value shown before our last write of the field, '' for none; absent when the baseline can no longer move. */
  readonly was?: string | undefined;
  readonly shown?: string | undefined;
}

/** One managed field with the data for a decision about it. */
export interface Judgement {
  readonly desired: DesiredField;
  readonly shown: Shown;
  readonly digests: FieldDigests;
  readonly verdict: Verdict;
}

/** The facts for a verdict on a field, besides its digests. */
export interface Circumstances {
  /** True if our last write of it may still be taking effect. */
  readonly settling: boolean;
  /** True if the answer to our last write of the field did not show it, and this list replaces the answer. */
  readonly standsIn: boolean;
  /** The verdict on a field that was shown after our last write and is no longer shown. */
  readonly notShown: Verdict;
  /** True if the list shows it, not the answer to a write. */
  readonly listed: boolean;
  /** True if any list has shown the field since the start, even for another deployment. */
  readonly inLists: boolean;
  /** True if the service has no reason to change its form: it is a text or an object, not a number. */
  readonly exact: boolean;
  /** True for a non-empty text or list in a block that is shown: no service leaves such a value out as a default. */
  readonly telling: boolean;
  /** True if the spec wants it empty, and a list that shows its block leaves it out. */
  readonly empty: boolean;
  /** True if it is shown as empty, and lists show it when it is set. */
  readonly emptied?: boolean;
  /** True if nothing has shown our last write yet, which set or left out this field, and this look may be older. */
  readonly unseen?: boolean;
}

/** The facts for verdicts on fields, by path. */
interface Reading {
  readonly settling: (desired: DesiredField, shown: Shown) => boolean;
  /** See `Circumstances`. */
  readonly standsIn: (desired: DesiredField, shown: Shown) => boolean;
  readonly notShown: (path: string, kept: Baseline | undefined) => Verdict;
  /** True if our last write left it out, alone or with its block, and it is gone. */
  readonly isGone: (path: string) => boolean;
  /** True if a write of ours emptied it, alone or with its block, as a list or `status.lost` shows. */
  readonly isDropped: (path: string) => boolean;
  readonly listed: boolean;
  readonly inLists: (path: string) => boolean;
  /** True if the newest list shows the field as empty, even if an answer outranks that list. */
  readonly emptyInList: (path: string) => boolean;
  /** See `Circumstances`. */
  readonly unseen: (path: string, kept: Baseline | undefined) => boolean;
  readonly digests: Digests;
}

/** Decides about a field (docs/semantics.md): compares desired with applied, and shown with the baseline. */
export function judge(digests: FieldDigests, circumstances: Circumstances): Verdict {
  const { desired, applied, baseline, was, shown } = digests;
  const { settling, standsIn, listed, empty, emptied = false, unseen = false } = circumstances;
  if (applied !== desired) {
    // We wrote another value since, or left this one out; if the list is older than that write, the service may not have
    // this one any more.
    if (shown === desired && !unseen) return 'adopt';
    return applied === undefined ? 'first' : 'change';
  }
  if (shown === undefined) return judgeNotShown(digests, circumstances);
  // The answer to a later write showed it empty, which is no form of the value; or kept, although the spec empties it.
  if ((emptied || empty) && hasContradiction(digests) && shown === baseline) return 'ignored';
  // Only a list can tell a value in the service's own form from an old value that the service has kept.
  if (shown === baseline) {
    const isIgnored =
      isContradicted(digests, circumstances) || (!listed && mayBeIgnored(digests, circumstances));
    return isIgnored ? 'ignored' : 'in-sync';
  }
  // Only a field that lists also show can count as missing later.
  if (shown === desired) return baseline === undefined && !listed ? 'in-sync' : 'adopt';
  if (baseline === undefined) return standsIn && was !== undefined && shown !== was ? 'settling' : 'ignored';
  return settling && was !== undefined && shown !== was ? 'settling' : 'drift';
}

function judgeNotShown(digests: FieldDigests, circumstances: Circumstances): Verdict {
  const { desired, baseline } = digests;
  const { notShown, inLists, exact, telling, empty } = circumstances;
  // Answers show that the service does not empty a field that lists hide.
  if (empty && isContradicted(digests, circumstances)) return 'ignored';
  // A field that was seen empty and is filled later was filled by another client: the service did not keep the value.
  if (empty) return baseline === desired ? 'in-sync' : 'adopt';
  // No look has ever shown it, although lists show the field elsewhere: the service did not accept it.
  if (baseline === undefined) return inLists && telling ? 'ignored' : 'in-sync';
  if (isContradicted(digests, circumstances)) return 'ignored';
  // The answer showed a different value than requested, and no list shows the field: the value never moved.
  const ignored = notShown !== 'in-sync' && !inLists && exact && baseline !== desired;
  return ignored ? 'ignored' : notShown;
}

/** True if the answer to a later write showed another value than requested for a field that no list shows. */
function isContradicted(digests: FieldDigests, { inLists, exact }: Circumstances): boolean {
  return hasContradiction(digests) && !inLists && exact;
}

/** True if `status.applied` records that an answer contradicted the requested value. */
export function hasContradiction({ desired, baseline, was }: Omit<FieldDigests, 'shown'>): boolean {
  return baseline !== undefined && baseline === was && baseline !== desired;
}

/** True for a text or an object in place of a field that the spec empties: it is no default, as a number may be. */
export function keepsCleared({ desired: { field, cleared }, shown }: Judgement): boolean {
  const isTelling = typeof shown === 'string' || typeof shown === 'object';
  return cleared && field.shape.kind === 'exact' && isTelling && !isEmpty(shown);
}

/**
 * True for a value that was not shown before our write and differs from the request afterwards: the service may just
 * have kept its own value.
 */
function mayBeIgnored({ desired, shown, was }: FieldDigests, { exact }: Circumstances): boolean {
  return was === '' && exact && shown !== desired;
}

/**
 * True for an edit that asks for the value which an old list still shows: our last write set another value or left the
 * field out, and nothing has shown that write.
 */
export function isHeld({ verdict, digests }: Judgement): boolean {
  return (verdict === 'first' || verdict === 'change') && digests.shown === digests.desired;
}

/** True for a field that an earlier write of ours emptied, as the spec still asks. */
export function isEmptied({ desired, digests }: Pick<Judgement, 'desired' | 'digests'>): boolean {
  return desired.cleared && digests.applied === digests.desired;
}

/** The fields that the previous pass found open: ignored, changed, or missing although lists show them. */
export type Open = ReadonlyMap<string, Verdict>;

/** Returns the fields that stay open until a look shows otherwise, unless the status records why they are open. */
export function openOf(judgements: readonly Judgement[]): Open {
  const open = judgements.filter(
    ({ verdict, digests }) => verdict === 'drift' || (verdict === 'ignored' && !hasContradiction(digests)),
  );
  return new Map(open.map(({ desired, verdict }) => [desired.field.path, verdict]));
}

/** A look after the pass that found fields open. */
export interface LaterLook {
  /** True if a request has carried the field since. */
  readonly asked: (path: string) => boolean;
  /** True for the answer to a write if a list has counted since. Such an answer tells nothing new. */
  readonly isOlder?: boolean;
}

/**
 * Keeps a field open that was open before and that no request has carried since. A read that may be older, or that does
 * not show the field, cannot bring it in sync.
 */
export function stillOpen(
  judgement: Judgement,
  open: Open,
  { asked, isOlder = false }: LaterLook,
): Judgement {
  const { desired, digests, verdict } = judgement;
  const { path } = desired.field;
  const before = open.get(path);
  const isUndecided = verdict === 'in-sync' || (verdict === 'settling' && digests.shown === undefined);
  if (before === undefined || (!isUndecided && !(isOlder && verdict === 'adopt'))) return judgement;
  // A look shows that a field is empty by not showing it.
  if (!isOlder && isEmpty(desired.value)) return judgement;
  const tells = digests.shown !== undefined && (before === 'drift' || digests.shown === digests.desired);
  return !isOlder && (tells || asked(path)) ? judgement : { ...judgement, verdict: before };
}

/** Judges every managed field of a deployment. */
export function judgeFields(
  desired: DesiredDeployment,
  applied: Applied,
  observed: ObservedDeployment,
  how: Reading,
): readonly Judgement[] {
  return desired.fields.map((field) => judgeField(field, applied, observed, how));
}

function judgeField(
  desired: DesiredField,
  applied: Applied,
  observed: ObservedDeployment,
  how: Reading,
): Judgement {
  const shown = shownInList(desired, observed, how);
  const want = fieldDigest(desired, desired.value, how.digests);
  const kept = applied.fields.get(desired.field.path);
  const adopted = applied.keyLost && kept !== undefined;
  // Of digests by another key, the baseline is known only for an emptied branch.
  const before = adopted ? { ...kept, a: want } : kept;
  const have = shown === undefined ? undefined : fieldDigest(desired, shown, how.digests);
  const digests = {
    desired: want,
    ...{ applied: before?.a, baseline: before?.b, was: kept?.was, shown: have },
  };
  // An earlier process may have seen that somebody emptied the branch.
  const isKnownEmpty = before?.a === want && before.b === NO_BRANCH;
  if (isKnownEmpty && have !== want && how.listed) return { desired, shown, digests, verdict: 'drift' };
  if (adopted) return { desired, shown, digests, verdict: 'adopt' };
  if (before?.a === want && !isKnownEmpty && isResolvedCommit(desired, shown, observed)) {
    return { desired, shown, digests, verdict: 'in-sync' };
  }
  const { field, value } = desired;
  const unseen = how.unseen(field.path, kept);
  // A block that our own write emptied is not merely hidden from lists.
  const isKnown = isBlockShown(desired, observed) || how.isDropped(field.path);
  const isEmptied = isEmptyInList(desired, shown, how) && isKnown;
  if (before?.a !== want && isEmptied && !(before !== undefined && unseen))
    return { desired, shown, digests, verdict: 'adopt' };
  const exact = field.shape.kind === 'exact' && typeof value !== 'number';
  const isBlockThere = isBlockShown(desired, observed);
  const emptied = isEmpty(shown) && (how.inLists(field.path) || isKeyShown(field, observed));
  const verdict = judge(digests, {
    // No service turns a value into nothing: if lists show the field, somebody emptied it.
    emptied,
    settling: makesRevision(field) && !emptied && how.settling(desired, shown),
    standsIn: !emptied && how.standsIn(desired, shown),
    // If a block is not shown, nothing is known about its fields (N31).
    notShown: isBlockThere || how.isGone(field.path) ? how.notShown(field.path, kept) : 'in-sync',
    listed: how.listed,
    inLists: how.inLists(field.path),
    exact,
    telling: exact && isBlockThere && typeof value !== 'boolean' && !isEmpty(value),
    empty: isEmpty(value) && isBlockThere && how.listed,
    unseen,
  });
  return { desired, shown, digests, verdict: isDenied(desired, digests, how) ? 'ignored' : verdict };
}

/**
 * True for a field that the spec empties and an answer showed as empty, if a list shows the value from before our write and
 * none has shown it as empty: the service only answered as if it had emptied the field.
 */
function isDenied(
  { cleared }: DesiredField,
  { desired, applied, baseline, was, shown }: FieldDigests,
  { listed }: Reading,
): boolean {
  if (!cleared || !listed || applied !== desired || baseline !== desired) return false;
  return shown !== undefined && shown !== desired && shown === was;
}

/**
 * Returns the shown value. A missing key of a resource spec counts only in an answer, or if lists show the
 * key (N31).
 */
function shownInList(desired: DesiredField, observed: ObservedDeployment, how: Reading): Shown {
  const { field, cleared } = desired;
  const shown = shownFor(desired, observed);
  if (!how.listed || cleared || field.block !== 'resourceSpec' || isKeyShown(field, observed)) return shown;
  return how.inLists(field.path) ? shown : undefined;
}

/** True for a field that the spec empties, if lists show it when it is set and this list does not. */
function isEmptyInList({ field, cleared }: DesiredField, shown: Shown, how: Reading): boolean {
  return cleared && shown === undefined && how.emptyInList(field.path) && how.inLists(field.path);
}
