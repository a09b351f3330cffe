/** Names are remembered as they are while all of them together take no more, in bytes. */
const NAMES_BYTES = 8 * 1024;

/** A longer name is remembered by a digest of its own where names take too much: the digest is shorter. */
const LONGEST_KEPT_BYTES = 24;

const MARK = '#';

/** As much of `Digests` as is needed here: names are no secrets, and are found again without the key. */
interface Digest {
  fingerprint(text: string): string;
}

/**
 * Digests of secrets by name, as `status.applied.secrets` holds them: names stay readable while there is room, so that
 * a status is bounded however many and long they are.
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

/** The other way round: `names` are those that may be asked for, and are found by name again. */
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

/** The text that stands for a name, long or short, in its digest. */
export function nameMark(name: string, digests: Digest): string {
  return isNameDigest(name) ? name : nameDigest(name, digests);
}

function nameDigest(name: string, digests: Digest): string {
  return `${MARK}${digests.fingerprint(`name of a secret\n${name}`)}`;
}

function bytesOf(name: string): number {
  return new TextEncoder().encode(JSON.stringify(name)).length - 2;
}
