import { defined } from '../../base/defined.ts';
import type { DeploymentStatus } from '../../api/deployment.ts';
import { canonicalText } from '../desired/canonical-text.ts';
import type { DesiredField, DesiredSecrets, ReadReference } from '../desired/desired-deployment.ts';
import type { Digests } from './digests.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import type { Json } from '../../base/json.ts';
import type { SecretValue } from '../../base/secret-value.ts';

/**
 * Digests of the applied value (`a`) and of the value that was then shown (`b`; absent if the service did not show it).
 * `was` is the value shown before our last write of the field, '' for none. It stays until the service has shown our
 * value in its own form, or another write was made; a value equal to it never counts as that form.
 */
export interface Baseline {
  readonly a: string;
  readonly b?: string;
  readonly was?: string;
}

/** Stands for the digest of the shown value in the baseline of a branch that somebody emptied. */
export const NO_BRANCH = '';

/** Returns a baseline that no longer moves, because the operator now follows a later write. */
export function fixed({ a, b }: Baseline): Baseline {
  return b === undefined ? { a } : { a, b };
}

/** `status.applied`, in the form for decisions. */
export interface Applied {
  /** The applied generation; absent if nothing was ever applied, or if the record cannot be used. */
  readonly generation?: number;
  readonly fields: ReadonlyMap<string, Baseline>;
  /** Digests by name; empty for a name that the newest list leaves out, or whose value is no longer known. */
  readonly secrets: ReadonlyMap<string, string>;
  /**
   * True if the digests were made with another key although the spec and its references have not changed. The applied
   * values then count as applied, and get new digests (H56); a value that was never applied has no path here.
   */
  readonly keyLost: boolean;
}

/** Returns the digest of a field's value under its shape. */
export function fieldDigest(desired: DesiredField, value: Json | undefined, digests: Digests): string {
  return digests.bind('field', desired.field.path, fieldPart(desired, value, digests));
}

/** Returns the same for a digest of several values. */
export function fieldPart(desired: DesiredField, value: Json | undefined, digests: Digests): string {
  return digests.part(`${desired.field.path}\n${canonicalText(value, desired.field.shape)}`);
}

/** Returns the digest of a secret's value. */
export function secretDigest(name: string, value: SecretValue, digests: Digests): string {
  return digests.bind('secret', nameMark(name, digests), secretPart(name, value, digests));
}

/** Returns the same for a digest of several values. */
export function secretPart(name: string, value: SecretValue, digests: Digests): string {
  return digests.part(`secrets/${name}\n${value.reveal()}`);
}

/** Returns the versions of the Secrets and ConfigMaps that were read, as one text that does not depend on the key. */
export function referencesFingerprint(references: readonly ReadReference[], digests: Digests): string {
  const lines = references.map((r) => `${r.kind}/${r.name} ${r.uid}/${r.resourceVersion}`);
  return digests.fingerprint(lines.toSorted().join('\n'));
}

/**
 * Returns the record of a sent set of secrets: its digests and, without digests, the names that it leaves out,
 * including those of others that it removes. These names stay ours until a list no longer shows them.
 */
export function secretsSent(
  before: ReadonlyMap<string, string>,
  sent: ReadonlyMap<string, string>,
  leftOut: readonly string[],
): ReadonlyMap<string, string> {
  const removed = [...before.keys(), ...leftOut].map((name) => [name, ''] as const);
  return withinBound(sent, new Map(removed));
}

/** Stands for the digest of a secret that the spec released: nothing is known about its value since. */
export const RELEASED = '-';

/** The number of names that fit into a status. */
const MOST_SECRETS = 256;

/** Returns secrets by name, and as many others as a status has room for. */
export function withinBound(
  secrets: ReadonlyMap<string, string>,
  others: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const room = Math.max(0, MOST_SECRETS - secrets.size);
  return new Map([...secrets, ...[...others].filter(([name]) => !secrets.has(name)).slice(0, room)]);
}

/**
 * Reads `status.applied`. If the key of the digests is unknown, only the paths and names are usable: they were applied,
 * and count as applied in their current form if nothing else changed since. `shown` contains the names of secrets that
 * the service lists.
 */
export function readApplied(
  status: DeploymentStatus | undefined,
  generation: number,
  secrets: DesiredSecrets,
  shown: readonly string[],
  digests: Digests,
): Applied {
  const applied = status?.applied;
  if (applied === undefined) return NOTHING_APPLIED;
  const remembered = rememberedSecrets(applied.secrets, [...namesOf(secrets), ...shown], digests);
  if (applied.key !== digests.keyID) {
    const untouched =
      applied.generation === generation && sameReferences(applied.references, secrets, digests);
    return withoutKey(applied, remembered, untouched);
  }
  return {
    ...defined({ generation: applied.generation }),
    fields: new Map(
      (applied.fields ?? []).map(({ path, a, b, was }) => [path, { a, ...defined({ b, was }) }]),
    ),
    secrets: remembered,
    keyLost: false,
  };
}

/**
 * Returns what digests of another key still tell: the applied paths and names, which names were released, and whether
 * the branch was emptied.
 */
function withoutKey(
  { generation, fields }: NonNullable<DeploymentStatus['applied']>,
  remembered: ReadonlyMap<string, string>,
  untouched: boolean,
): Applied {
  const known = {
    fields: new Map(fields.map(({ path, b }) => [path, b === NO_BRANCH ? { a: '', b } : { a: '' }])),
    secrets: new Map([...remembered].map(([name, digest]) => [name, digest === RELEASED ? digest : ''])),
  };
  if (untouched) return { ...known, generation, keyLost: true };
  // It is no longer known whether the newest list was sent.
  known.fields.delete(SECRETS_PATH);
  return { ...known, keyLost: false };
}

const NOTHING_APPLIED: Applied = {
  fields: new Map(),
  secrets: new Map(),
  keyLost: false,
};

function namesOf(secrets: DesiredSecrets): Iterable<string> {
  return secrets.kind === 'unmanaged' ? [] : secrets.values.keys();
}

function sameReferences(stored: string | undefined, secrets: DesiredSecrets, digests: Digests): boolean {
  if (secrets.kind !== 'resolved') return secrets.kind === 'unmanaged' && stored === undefined;
  const now =
    secrets.references.length === 0 ? undefined : referencesFingerprint(secrets.references, digests);
  return stored === now;
}

/** The limit, in bytes, up to which all names together are stored in clear. */
const NAMES_BYTES = 8 * 1024;

/**
 * The longest name that is stored in clear if all names exceed the limit; a longer one is stored as its digest, which
 * is shorter.
 */
const LONGEST_KEPT_BYTES = 24;

const MARK = '#';

/** The part of `Digests` for names: they are no secrets, and must be recognizable without the key. */
interface Digest {
  fingerprint(text: string): string;
}

/**
 * Returns the digests of secrets by name for `status.applied.secrets`. Names stay readable while there is room, so the
 * size of a status is limited whatever their number and length.
 */
export function storedSecrets(
  values: ReadonlyMap<string, string>,
  digests: Digest,
): Readonly<Record<string, string>> {
  const names = [...values.keys()];
  const room = names.reduce((sum, name) => sum + bytesOf(name), 0) <= NAMES_BYTES;
  const stored = (name: string): string =>
    isNameDigest(name) || (!name.startsWith(MARK) && (room || bytesOf(name) <= LONGEST_KEPT_BYTES))
      ? name
      : nameDigest(name, digests);
  const entries = [...values].map(([name, digest]): [string, string] => [stored(name), digest]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Reads stored digests; `names` are the candidates for names that were stored as digests. */
export function rememberedSecrets(
  stored: Readonly<Record<string, string>> | undefined,
  names: Iterable<string>,
  digests: Digest,
): ReadonlyMap<string, string> {
  const keys = Object.keys(stored ?? {});
  if (!keys.some(isNameDigest)) return new Map(Object.entries(stored ?? {}));
  const known = new Map(Array.from(names, (name) => [nameDigest(name, digests), name]));
  return new Map(Object.entries(stored ?? {}).map(([key, digest]) => [known.get(key) ?? key, digest]));
}

/** True for the placeholder of a name that is no longer known. */
export function isNameDigest(name: string): boolean {
  return /^#[A-Za-z0-9_-]{22}$/.test(name);
}

/** Returns the text that stands for a name, long or short, in its digest. */
export function nameMark(name: string, digests: Digest): string {
  return isNameDigest(name) ? name : nameDigest(name, digests);
}

function nameDigest(name: string, digests: Digest): string {
  return `${MARK}${digests.fingerprint(`name of a secret\n${name}`)}`;
}

function bytesOf(name: string): number {
  return new TextEncoder().encode(JSON.stringify(name)).length - 2;
}
