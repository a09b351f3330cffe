import { type Digests, secretDigest } from './baseline.ts';
import type { ObservedSecret } from './observation.ts';
import type { SentSecret } from './patch-body.ts';
import type { SecretValue } from './secret.ts';

/**
 * True where values that came back as they were sent do not any more, and that looks like a mask and not like an edit:
 * none of ours is shown as applied, and either all look masked, or several look alike, or nothing moved the revision.
 */
export function beganToMask(
  shown: readonly ObservedSecret[] | undefined,
  applied: ReadonlyMap<string, string>,
  { revisionMoved }: { readonly revisionMoved: boolean },
  digests: Digests,
): boolean {
  const ours = (shown ?? []).flatMap(({ name, value }) => {
    const digest = applied.get(name);
    if (value === undefined || digest === undefined || digest === '') return [];
    return [{ value, asApplied: secretDigest(name, value, digests) === digest }];
  });
  if (ours.length === 0 || ours.some(({ asApplied }) => asApplied)) return false;
  const values = ours.map(({ value }) => value);
  return !revisionMoved || values.every((value) => value.looksMasked) || values.some(isTwice);
}

/** What is shown so that it can be sent back: a mask would be written as a value. */
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
