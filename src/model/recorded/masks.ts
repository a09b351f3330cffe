import { secretDigest } from './baseline.ts';
import type { Digests } from './digests.ts';
import type { ObservedSecret } from '../external/observation.ts';
import type { SentSecret } from '../external/patch-body.ts';
import type { SecretValue } from '../../base/secret-value.ts';

/** The knowledge beside the values that a look shows. */
export interface MaskFacts {
  /** The values that are declared now, by name. */
  readonly declared: ReadonlyMap<string, SecretValue>;
  /** Digests of the values that were applied, by name. */
  readonly applied: ReadonlyMap<string, string>;
  /** A managed secret of another deployment of the connection is shown as applied in the newest list. */
  readonly shownBeside: boolean;
  /** The newest revision is not the one that our last write left behind. */
  readonly revisionMoved: boolean;
}

/** Names of ours whose values are shown, and whether as they were applied. */
function shownOfOurs(
  shown: readonly ObservedSecret[],
  { applied }: MaskFacts,
  digests: Digests,
): readonly { readonly name: string; readonly value: SecretValue; readonly asApplied: boolean }[] {
  return shown.flatMap(({ name, value }) => {
    const digest = applied.get(name);
    if (value === undefined || digest === undefined || digest === '') return [];
    return [{ name, value, asApplied: secretDigest(name, value, digests) === digest }];
  });
}

/** True where a managed secret is shown as it was applied: the service shows values as they are. */
export function showsApplied(
  shown: readonly ObservedSecret[] | undefined,
  facts: MaskFacts,
  digests: Digests,
): boolean {
  return shownOfOurs(shown ?? [], facts, digests).some(({ asApplied }) => asApplied);
}

/**
 * True where values that came back as they were sent do not any more, and that is a mask and no edit (R18): none of
 * ours is shown as applied, and all look like masks, or several are one text. Several that look like nothing known
 * are masks where nothing moved the revision, and no other deployment shows one as applied. One changed value alone
 * is an edit.
 */
export function beganToMask(
  shown: readonly ObservedSecret[] | undefined,
  facts: MaskFacts,
  digests: Digests,
): boolean {
  const ours = shownOfOurs(shown ?? [], facts, digests);
  if (ours.length === 0 || ours.some(({ asApplied }) => asApplied)) return false;
  const values = ours.map(({ value }) => value);
  const look = ours.every(({ name, value }) => isMaskOf(value, facts.declared.get(name)));
  const atOnce = values.length > 1 && !facts.revisionMoved && !facts.shownBeside;
  return look || values.some(isTwice) || atOnce;
}

/** True if a shown value is a mask of the declared one. */
export function isMaskOf(shown: SecretValue, declared: SecretValue | undefined): boolean {
  return declared === undefined ? shown.looksMasked : shown.masks(declared);
}

/** The values that are shown in a form that can be sent back: a mask would be written as a value. */
export function sendable(shown: readonly ObservedSecret[]): readonly SentSecret[] {
  const values = shown.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return shown.flatMap(({ name, value }) =>
    value === undefined || value.looksMasked || isTwice(value, 0, values) ? [] : [{ name, value }],
  );
}

/** One text under two names is rather a mask than a value. */
function isTwice(value: SecretValue, _at: number, all: readonly SecretValue[]): boolean {
  return all.some((other) => other !== value && other.equals(value));
}
