import type { DesiredDeployment } from '../desired/desired-deployment.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { RELEASED } from '../recorded/baseline.ts';
import { sentBack } from '../recorded/masks.ts';
import { trustIn } from '../compare/judge-secrets.ts';
import type { SentSecret } from '../external/patch-body.ts';
import type { Present } from '../plan/situation.ts';

/** A list of secrets for a body, sorted by name so that equal lists make equal requests. */
export interface SecretList {
  /** The declared secrets. */
  readonly ours: readonly SentSecret[];
  /** Our secrets, and those of others that can be sent back. */
  readonly going: readonly SentSecret[];
  /** The names of other people's secrets whose values cannot be sent back. */
  readonly unsaved: readonly string[];
}

/** Returns the secrets that a spec declares. */
export function declaredList({ secrets }: DesiredDeployment): readonly SentSecret[] {
  const values = secrets.kind === 'resolved' ? [...secrets.values] : [];
  return values.map(([name, value]) => ({ name, value })).toSorted(byName);
}

/**
 * Returns the list that a spec asks for (2.7): our secrets with their declared values, and those of others unless ours
 * are the whole list.
 */
export function declaredSecrets(present: Present, base: ObservedDeployment): SecretList {
  const { resource, desired, assessment } = present;
  const values = desired.secrets.kind === 'resolved' ? desired.secrets.values : undefined;
  const ours = declaredList(desired);
  if (values !== undefined && resource.spec.secretsOwnership === 'Exclusive')
    return { ours, going: ours, unsaved: [] };
  const wasOurs = (name: string): boolean => (assessment.applied.secrets.get(name) ?? RELEASED) !== RELEASED;
  const removed = (name: string): boolean => values !== undefined && wasOurs(name);
  const others = (base.secrets ?? []).filter(({ name }) => values?.has(name) !== true && !removed(name));
  const theirs = sentBack(others, trustIn(assessment.secrets, present));
  const saved = new Set(theirs.map(({ name }) => name));
  return {
    ours,
    going: [...ours, ...theirs].toSorted(byName),
    unsaved: [...others.map(({ name }) => name), ...hiddenOfOurs(present, base)].filter(
      (name) => !saved.has(name),
    ),
  };
}

/** Returns the secrets that the spec released and that lists hide: they may still be there. */
function hiddenOfOurs(present: Present, base: ObservedDeployment): readonly string[] {
  const { desired, assessment } = present;
  if (desired.secrets.kind !== 'unmanaged' || !mayHideSecrets(present, base)) return [];
  // A name without a digest was removed by an earlier list.
  return [...assessment.applied.secrets].filter(([, digest]) => digest !== '').map(([name]) => name);
}

/**
 * Returns the list that changes nothing: every secret with its current value. Replaces a mask of a value that we
 * applied with that value. Returns undefined if a value is unknown, or if the list may hide some.
 */
export function standingSecrets(
  present: Present,
  base: ObservedDeployment,
): readonly SentSecret[] | undefined {
  const { assessment, desired } = present;
  const { secrets, applied } = assessment;
  const shown = base.secrets ?? [];
  const names = shown.map(({ name }) => name);
  if (mayHideSecrets(present, base) || new Set(names).size < names.length) return undefined;
  const plain = new Map(sentBack(shown, trustIn(secrets, present)).map(({ name, value }) => [name, value]));
  const declared = desired.secrets.kind === 'resolved' ? desired.secrets.values : undefined;
  const isApplied = (name: string): boolean =>
    !secrets.names.includes(name) && applied.secrets.get(name) === secrets.digests.get(name);
  const list = names.flatMap((name) => {
    const value = plain.get(name) ?? (isApplied(name) ? declared?.get(name) : undefined);
    return value === undefined ? [] : [{ name, value }];
  });
  return list.length === names.length ? list.toSorted(byName) : undefined;
}

/** True if a list without secrets does not prove that there are none (H14). */
function mayHideSecrets({ secretsListed, learned }: Present, { secrets }: ObservedDeployment): boolean {
  if (secrets === undefined) return true;
  return secrets.length === 0 && (!secretsListed || learned.secretsVisibility?.verdict === 'Omitted');
}

function byName(a: SentSecret, b: SentSecret): number {
  return a.name < b.name ? -1 : 1;
}
