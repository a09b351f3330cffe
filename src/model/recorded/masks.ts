import { secretDigest } from './baseline.ts';
import type { Digests } from './digests.ts';
import type { ObservedSecret } from '../external/observation.ts';
import type { SentSecret } from '../external/patch-body.ts';
import type { SecretValue } from '../../base/secret-value.ts';

/** The lists that showed values unchanged, after a process has proof that the service does that. */
export interface PlainLists {
  /**
   * True if the newest list shows a secret of some resource as it did when values of that resource were last shown as
   * applied; or if all such secrets are gone from it.
   */
  readonly current: boolean;
  /** The secrets of the deployment in the newest list that showed one of ours unchanged. */
  readonly seen: readonly ObservedSecret[];
}

/** The proof that a look shows values, and not masks. */
export interface Trust {
  /** True if the service shows values exactly as sent, and this look does not contradict that. */
  readonly secretsPlain: boolean;
  readonly plainLists: PlainLists;
}

/** The facts besides the values in a look. */
export interface MaskFacts {
  /** The currently declared values, by name. */
  readonly declared: ReadonlyMap<string, SecretValue>;
  /** The digests of the applied values, by name. */
  readonly applied: ReadonlyMap<string, string>;
  readonly plainLists: PlainLists;
  /** True if the newest revision is not the one that our last write left. */
  readonly revisionMoved: boolean;
}

/** Returns our secrets whose values are shown, and whether each is shown as applied. */
function shownOfOurs(
  shown: readonly ObservedSecret[],
  applied: MaskFacts['applied'],
  digests: Digests,
): readonly { readonly name: string; readonly value: SecretValue; readonly asApplied: boolean }[] {
  return shown.flatMap(({ name, value }) => {
    const digest = applied.get(name);
    if (value === undefined || digest === undefined || digest === '') return [];
    return [{ name, value, asApplied: secretDigest(name, value, digests) === digest }];
  });
}

/** Returns the names of managed secrets that are shown as applied: the service shows their values unchanged. */
export function shownAsApplied(
  shown: readonly ObservedSecret[] | undefined,
  applied: MaskFacts['applied'],
  digests: Digests,
): ReadonlySet<string> {
  const ours = shownOfOurs(shown ?? [], applied, digests).filter(({ asApplied }) => asApplied);
  return new Set(ours.map(({ name }) => name));
}

/**
 * True if the service has begun to mask values that it showed as sent before, and this is no edit (R18). None of our
 * values may be shown as applied, and one of these must hold: all look like masks; several have the same text; or there
 * are several, nothing moved the revision, no list still shows values unchanged, and no value of somebody else is shown
 * as it was beside one of ours. A single changed value that does not look like a mask is an edit.
 */
export function beganToMask(
  shown: readonly ObservedSecret[] | undefined,
  facts: MaskFacts,
  digests: Digests,
): boolean {
  const ours = shownOfOurs(shown ?? [], facts.applied, digests);
  if (ours.length === 0 || ours.some(({ asApplied }) => asApplied)) return false;
  const values = ours.map(({ value }) => value);
  const look = ours.every(({ name, value }) => isMaskOf(value, facts.declared.get(name)));
  const several = new Set(ours.map(({ name }) => name)).size > 1;
  const { current } = facts.plainLists;
  const atOnce = several && !facts.revisionMoved && !current && !shareValue(unmasked(facts), shown);
  return look || values.some(isTwice) || atOnce;
}

/**
 * Returns the secrets that a list showed beside one of ours as applied, without masks. A value under one of our names
 * counts too, since somebody edited it.
 */
function unmasked({ declared, plainLists }: MaskFacts): readonly SentSecret[] {
  return sendable(plainLists.seen).filter(
    ({ name, value }) => !value.looksPartlyMasked && !isMaskOf(value, declared.get(name)),
  );
}

/** True if a secret is shown in both looks, with any value. */
export function shareName(seen: readonly ObservedSecret[], now: readonly ObservedSecret[] = []): boolean {
  return now.some(({ name }) => seen.some((secret) => secret.name === name));
}

/** True if a secret has the same value in both looks, and that does not look like a mask. */
export function shareValue(seen: readonly ObservedSecret[], now: readonly ObservedSecret[] = []): boolean {
  return now.some(({ name, value }) => {
    if (value === undefined || value.looksMasked) return false;
    return seen.some((secret) => secret.name === name && secret.value?.equals(value));
  });
}

/** True if a shown value is a mask of the declared one. */
export function isMaskOf(shown: SecretValue, declared: SecretValue | undefined): boolean {
  return declared === undefined ? shown.looksMasked : shown.masks(declared);
}

/**
 * Returns the values of others that can be sent back. A mask would be written as a value, so a list must still show
 * values unchanged, or must have shown this one beside one of ours.
 */
export function sentBack(
  shown: readonly ObservedSecret[],
  { secretsPlain, plainLists: { current, seen } }: Trust,
): readonly SentSecret[] {
  if (!secretsPlain) return [];
  return sendable(shown).filter(
    (secret) => !secret.value.looksPartlyMasked && (current || shareValue(seen, [secret])),
  );
}

/** Returns the values without those that look like masks. */
export function sendable(shown: readonly ObservedSecret[]): readonly SentSecret[] {
  const values = shown.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return shown.flatMap(({ name, value }) =>
    value === undefined || value.looksMasked || isTwice(value, 0, values) ? [] : [{ name, value }],
  );
}

/** True if another secret has the same text: then it is more likely a mask than a value. */
function isTwice(value: SecretValue, _at: number, all: readonly SecretValue[]): boolean {
  return all.some((other) => other !== value && other.equals(value));
}
