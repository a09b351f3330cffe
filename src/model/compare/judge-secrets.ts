import { type Applied, secretDigest, secretPart, secretsSent } from '../recorded/baseline.ts';
import type { Digests } from '../recorded/digests.ts';
import type { DesiredSecrets } from '../desired/desired-deployment.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { areNaming } from '../effects/effect-of.ts';
import { beganToMask, isMaskOf, sendable, shownAsApplied, type Trust } from '../recorded/masks.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import type { SecretValue } from '../../base/secret-value.ts';
import { guard, type Held, type SecretsContext } from './secrets-guard.ts';

/** The change that the managed secrets need, and the names that a plan may show. */
export interface SecretsJudgement {
  readonly verdict: 'unmanaged' | 'in-sync' | 'first' | 'change' | 'drift' | 'withheld';
  /** True if a list of secrets was applied before. */
  readonly wasApplied: boolean;
  /** The names that are new, changed or removed on our side, or missing at the service; sorted. */
  readonly names: readonly string[];
  readonly withheld?: Held;
  /** The reason for which drift would be withheld if the list is not from before our last write. */
  readonly held?: Held;
  /** Digests of all desired values by name, for the record. */
  readonly digests: ReadonlyMap<string, string>;
  /** The shown names that our list removes, because it is the whole list. */
  readonly leftOut: readonly string[];
  /** The names of ours that our list removes, and that are still shown. */
  readonly still: readonly string[];
  /** The part of a digest for the whole set. */
  readonly part: string;
  /** True if the service is proven to show values exactly as sent, whether or not this look contradicts that. */
  readonly plain: boolean;
  /** True if values that the service was proven to show unchanged now look masked. Then no shown value counts. */
  readonly masked: boolean;
  /** The names of ours whose values are shown as applied. */
  readonly asApplied: ReadonlySet<string>;
  /**
   * True if every desired value is shown unchanged and one of these holds: at least one value differs from the last
   * applied one, nothing else is shown, or the service is known to show values.
   */
  readonly shownAsSent: boolean;
  /** True if a value that does not look like a mask differs from the last applied one. */
  readonly isNew: boolean;
  /**
   * True if the list shows the sent secrets, as far as they can be compared: each name once, and values if shown
   * values count.
   */
  readonly listedAsSent: boolean;
  /** Our names that the list shows more than once. */
  readonly doubled: readonly string[];
  /** Our names that a write of ours left out, and that a list which must show that write lacks. */
  readonly emptied: readonly string[];
  /**
   * True if names that were removed on our side are also missing from the list, and so count as removed at the service.
   */
  readonly goneAlready: boolean;
  /**
   * Digests of the declared names that our newest list did not carry, and that a list which is no older than our last
   * write shows with the declared value: the service kept them, or somebody else has set them.
   */
  readonly alreadyThere: ReadonlyMap<string, string>;
}

const NOT_COMPARED = {
  wasApplied: false,
  names: [],
  digests: new Map<string, string>(),
  leftOut: [],
  still: [],
  part: '',
  masked: false,
  asApplied: new Set<string>(),
  shownAsSent: false,
  isNew: false,
  listedAsSent: false,
  doubled: [],
  emptied: [],
  goneAlready: false,
  alreadyThere: new Map<string, string>(),
};

/**
 * Compares our secrets with keyed digests, since a shown value may be a mask (2.7). Uses only names from the service,
 * and only from a list that shows some.
 */
export function judgeSecrets(
  desired: DesiredSecrets,
  remembered: Applied,
  observed: ObservedDeployment,
  context: SecretsContext,
  digests: Digests,
): SecretsJudgement {
  const notCompared = { ...NOT_COMPARED, plain: context.secretsPlain };
  if (desired.kind === 'unmanaged') return { ...notCompared, verdict: 'unmanaged' };
  if (desired.kind === 'missing') {
    const message = `not sent until it exists: ${desired.what.join(', ')}`;
    return { ...notCompared, verdict: 'withheld', withheld: { reason: 'SecretMissing', message } };
  }
  const want = new Map(
    [...desired.values].map(([name, value]) => [name, secretDigest(name, value, digests)]),
  );
  const applied = withKeyLost(remembered, want);
  const { plainLists, revisionMoved } = context;
  const facts = { declared: desired.values, applied: applied.secrets, plainLists, revisionMoved };
  const asApplied = shownAsApplied(observed.secrets, applied.secrets, digests);
  const plain = context.secretsPlain || isStillPlain(asApplied, context);
  const masked = plain && beganToMask(observed.secrets, facts, digests);
  const changed = changedNames(want, applied);
  const plainly = { ...context, ...trustIn({ plain, masked, asApplied }, context) };
  const isAll = want.size > 0 && namesOf(observed.secrets ?? []).every((name) => want.has(name));
  // An empty list matches only if no secret is left.
  const isEmptied = want.size > 0 || namesOf(observed.secrets ?? []).length === 0;
  // Values that were shown before prove nothing while a name is there that the write was to remove.
  const still = goneNames(want, applied).filter((name) => namesOf(observed.secrets ?? []).includes(name));
  const isPlain = plainly.secretsPlain && isEmptied && still.length === 0;
  const shownAsSent = (changed.length > 0 || isAll || isPlain) && areShown(desired.values, observed);
  const decided = decide({ want, values: desired.values, applied, observed, context: plainly });
  const doubled = doubledNames(want, observed);
  const listedAsSent =
    doubled.length === 0 &&
    (plainly.secretsPlain ? areShown(desired.values, observed) : areListed(want, observed));
  return {
    ...decided,
    wasApplied: applied.fields.has(SECRETS_PATH),
    digests: want,
    leftOut: context.ownership === 'Exclusive' ? othersOf(want, observed) : [],
    still,
    part: setPart(desired.values, digests),
    plain,
    masked,
    asApplied,
    shownAsSent,
    isNew: changed.some((name) => desired.values.get(name)?.looksMasked !== true),
    listedAsSent,
    doubled,
    emptied: decided.verdict === 'drift' ? emptiedNames(decided.names, observed, plainly) : [],
    alreadyThere: shownAlready({ want, values: desired.values, applied, observed, context: plainly }),
  };
}

/** Returns what a look is known to show of secrets, if it shows our values as applied, or masked. */
export function trustIn(
  { plain, masked, asApplied }: Pick<SecretsJudgement, 'plain' | 'masked' | 'asApplied'>,
  { plainLists }: Pick<Trust, 'plainLists'>,
): Trust {
  const current = plainLists.current || asApplied.size > 0;
  return { secretsPlain: plain && !masked, plainLists: { ...plainLists, current } };
}

/**
 * True if an earlier process learned from a write that the service shows values, and a list has shown this process a
 * value of this deployment as applied.
 */
function isStillPlain(
  asApplied: ReadonlySet<string>,
  { visibility, listed, plainLists }: SecretsContext,
): boolean {
  return visibility === 'Plain' && (plainLists.seen.length > 0 || (listed && asApplied.size > 0));
}

function setPart(values: ReadonlyMap<string, SecretValue>, digests: Digests): string {
  const entries = [...values].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return digests.part(
    entries.map(([name, value]) => `${name}=${secretPart(name, value, digests)}`).join('\n'),
  );
}

/** The facts behind the decision. */
interface Compared {
  /** Digests of the desired secrets. */
  readonly want: ReadonlyMap<string, string>;
  readonly values: ReadonlyMap<string, SecretValue>;
  readonly applied: Applied;
  readonly observed: ObservedDeployment;
  readonly context: SecretsContext;
}

function decide(
  compared: Compared,
): Pick<SecretsJudgement, 'verdict' | 'names' | 'withheld' | 'held' | 'goneAlready'> {
  const { want, values, applied, observed, context } = compared;
  const shown = observed.secrets ?? [];
  const first = !applied.fields.has(SECRETS_PATH);
  const there = first ? shownAsDeclared(values, observed) : [];
  const gone = goneNames(want, applied);
  const still = gone.filter((name) => !isProvenGone(name, observed, context));
  const goneAlready = still.length < gone.length;
  const ours = [
    ...changedNames(want, applied).filter((name) => !there.includes(name)),
    ...still,
    // A list that is declared for the first time, even an empty one, leaves out the existing secrets (N7).
    ...(first && context.ownership !== 'Merge' ? othersOf(want, observed) : []),
  ];
  const stuck = notCleared(compared);
  const theirs = [
    ...driftedNames(compared).filter((name) => !stuck.includes(name)),
    ...(context.secretsPlain ? driftedValues(values, observed) : []),
  ];
  const names = [...new Set(ours.length > 0 ? ours : theirs)].toSorted();
  if (names.length === 0) {
    return stuck.length === 0
      ? { verdict: 'in-sync', names, goneAlready }
      : { verdict: 'withheld', names: stuck, withheld: stays(stuck), goneAlready };
  }
  const held = guard({ want, applied, shown }, context);
  // Apparent drift may be the list from before our write, until a list must show that write.
  if (held !== undefined && ours.length === 0 && !context.listShowsWrites)
    return { verdict: 'drift', names, held, goneAlready };
  if (held !== undefined) return { verdict: 'withheld', names, withheld: held, goneAlready };
  return { verdict: ours.length === 0 ? 'drift' : first ? 'first' : 'change', names, goneAlready };
}

/**
 * Returns the applied state after the loss of a key. The wanted list counts as applied if the applied list had all its
 * names.
 */
function withKeyLost(applied: Applied, want: ReadonlyMap<string, string>): Applied {
  const whole =
    applied.fields.has(SECRETS_PATH) && [...want.keys()].every((name) => applied.secrets.has(name));
  return applied.keyLost && whole ? { ...applied, secrets: secretsSent(applied.secrets, want, []) } : applied;
}

function namesOf(shown: readonly { readonly name: string }[]): readonly string[] {
  return shown.map(({ name }) => name);
}

function areShown(wanted: ReadonlyMap<string, SecretValue>, { secrets = [] }: ObservedDeployment): boolean {
  const shown = new Map(secrets.map(({ name, value }) => [name, value]));
  return [...wanted].every(([name, value]) => shown.get(name)?.equals(value) === true);
}

/**
 * Returns the names whose declared value the service shows, without values that may be masks: it already has these
 * secrets.
 */
function shownAsDeclared(
  wanted: ReadonlyMap<string, SecretValue>,
  { secrets = [] }: ObservedDeployment,
): readonly string[] {
  return sendable(secrets).flatMap(({ name, value }) =>
    wanted.get(name)?.equals(value) === true ? [name] : [],
  );
}

/** See `SecretsJudgement.alreadyThere`. */
function shownAlready({ want, values, applied, observed, context }: Compared): ReadonlyMap<string, string> {
  if (!applied.fields.has(SECRETS_PATH) || !context.listFollowsWrites) return new Map();
  const there = shownAsDeclared(values, observed);
  const doubled = doubledNames(want, observed);
  return new Map(
    [...want].filter(
      ([name]) => (applied.secrets.get(name) ?? '') === '' && there.includes(name) && !doubled.includes(name),
    ),
  );
}

function areListed(want: ReadonlyMap<string, string>, { secrets = [] }: ObservedDeployment): boolean {
  const shown = new Set(namesOf(secrets));
  return [...want.keys()].every((name) => shown.has(name));
}

/**
 * Returns our names that are shown more than once: a service that appends sent secrets shows a name once for each
 * value.
 */
function doubledNames(
  want: ReadonlyMap<string, string>,
  { secrets = [] }: ObservedDeployment,
): readonly string[] {
  const shown = namesOf(secrets);
  return [...want.keys()].filter((name) => shown.indexOf(name) !== shown.lastIndexOf(name)).toSorted();
}

function changedNames(want: ReadonlyMap<string, string>, applied: Applied): string[] {
  return [...want].filter(([name, digest]) => applied.secrets.get(name) !== digest).map(([name]) => name);
}

/** Returns the names that we applied and no longer want. */
function goneNames(want: ReadonlyMap<string, string>, applied: Applied): string[] {
  const sent = applied.fields.has(SECRETS_PATH);
  return (
    [...applied.secrets]
      // Without a digest, the newest list already left it out.
      .filter(([name, digest]) => !want.has(name) && !(sent && digest === ''))
      .map(([name]) => name)
  );
}

/** True if a name is missing from a list that would show it. */
function isProvenGone(name: string, { secrets }: ObservedDeployment, context: SecretsContext): boolean {
  const { listShowsWrites, listIsNewer, secretsListed, visibility } = context;
  if (secrets === undefined || !secretsListed || visibility === 'Omitted') return false;
  if (!listShowsWrites && !listIsNewer) return false;
  return !namesOf(secrets).includes(name);
}

/** Returns the names that stay although our list left them out: to send the list again would be a loop (H17, N7). */
function notCleared({ want, applied, observed, context }: Compared): readonly string[] {
  const { ownership, listsMerge } = context;
  if (!applied.fields.has(SECRETS_PATH)) return [];
  const foreignToo = ownership === 'Exclusive' && listsMerge;
  return othersOf(want, observed)
    .filter((name) => foreignToo || applied.secrets.has(name))
    .toSorted();
}

/** Returns the names that are shown and not wanted. */
function othersOf(
  want: ReadonlyMap<string, string>,
  { secrets = [] }: ObservedDeployment,
): readonly string[] {
  return namesOf(secrets).filter((name) => !want.has(name));
}

function stays(names: readonly string[]): Held {
  const message = `the service keeps secrets that the newest list leaves out: ${names.slice(0, 10).join(', ')}`;
  return { reason: 'FieldNotClearable', message };
}

/**
 * True if a write of ours left out a name that is missing now, and a list must show that write. The name may have been
 * in answers only, so this counts only if lists show secrets, or if our list cannot remove the secrets of others.
 */
function wasEmptied(name: string, context: SecretsContext): boolean {
  const { leftOutOrLost, listShowsWrites, ownership, secretsListed } = context;
  const isSafe = secretsListed || ownership === 'Exclusive';
  return isSafe && listShowsWrites && areNaming(leftOutOrLost, `${SECRETS_PATH}.${name}`);
}

/** See `SecretsJudgement.emptied`. */
function emptiedNames(
  drifted: readonly string[],
  { secrets = [] }: ObservedDeployment,
  context: SecretsContext,
): readonly string[] {
  const shown = namesOf(secrets);
  return drifted.filter((name) => !shown.includes(name) && wasEmptied(name, context));
}

/**
 * Returns our names that are missing although they were shown before or a write of ours left them out, our names that
 * are listed twice, and with Exclusive all other names.
 */
function driftedNames({ want, applied, observed, context }: Compared): readonly string[] {
  const { secrets } = observed;
  const sent = applied.fields.get(SECRETS_PATH);
  if (secrets === undefined || sent === undefined) return [];
  // If the service has stopped showing names, an empty list says nothing about ours (H14).
  if (secrets.length === 0 && context.visibility === 'Omitted') return [];
  const shown = namesOf(secrets);
  const missing = [...want.keys()].filter(
    (name) => !shown.includes(name) && (sent.b !== undefined || wasEmptied(name, context)),
  );
  const foreign = context.ownership === 'Exclusive' ? othersOf(want, observed) : [];
  return [...missing, ...doubledNames(want, observed), ...foreign];
}

/**
 * Returns the names whose shown value is neither the sent value nor a mask of it; called only if the service shows
 * values unchanged (H16).
 */
function driftedValues(
  wanted: ReadonlyMap<string, SecretValue>,
  { secrets = [] }: ObservedDeployment,
): readonly string[] {
  return secrets.flatMap(({ name, value }) => {
    const ours = wanted.get(name);
    if (ours === undefined || value === undefined || value.equals(ours)) return [];
    return isMaskOf(value, ours) ? [] : [name];
  });
}
