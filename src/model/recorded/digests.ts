import type { DeploymentResource } from '../../api/deployment.ts';

/** Keyed hashes of texts, and one hash without a key; ports/process/digester.ts names the implementations. */
export interface KeyedHashes {
  /** Eight hexadecimal characters that identify the key and reveal nothing of it. */
  readonly keyID: string;
  /** Returns a keyed digest of 22 characters. */
  digest(text: string): string;
  /** Returns a keyed digest of 64 hexadecimal characters. */
  hex(text: string): string;
  /** Returns a digest of 22 characters that does not depend on the key; only for texts that are no secrets. */
  fingerprint(text: string): string;
}

/** The purpose of a digest in a status. */
export type Purpose = 'field' | 'names' | 'refusal' | 'refused value' | 'request' | 'secret' | 'warnings';

/**
 * The digests of one resource, each made in two steps: `part` of a text, which never leaves the process, and `bind`,
 * which makes the value for a status from it. Two digests are equal only if resource, purpose, name and text are.
 */
export interface Digests extends Pick<KeyedHashes, 'fingerprint'> {
  /**
   * The text of `status.applied.key`: `v2:<key id>:<uid>.<mark>`. It distinguishes digests of a lost key, and of
   * another resource.
   */
  readonly keyID: string;
  /**
   * Makes the digest of a text, or of several parts in one text. It is never stored: other resources have the same
   * one.
   */
  part(text: string): string;
  /** Makes the digest for a status: a part, bound to the resource, to its purpose and to the name of its object. */
  bind(purpose: Purpose, name: string, part: string): string;
  /** Returns 64 hexadecimal characters for a text that begins with the uid of the resource. */
  hex(text: string): string;
}

/** The data that identify a resource among all others, including earlier and later ones of the same name. */
type Identified = Pick<DeploymentResource, 'metadata' | 'status'>;

/** The prefix of every digest in a status. Digests of release 0.1.0 were not bound to anything and lack it. */
const BOUND = '2:';

const MARK_CHARACTERS = 8;

/**
 * Makes the digests of a resource. They are bound to its place, and to the uid that it had when its status began. The
 * status contains that uid, so a resource that was restored with its status and got a new uid still knows the sent
 * values. A status that was moved to another place, or made with another key, does not count.
 */
export function digestsFor(resource: Identified, hashes: KeyedHashes): Digests {
  let known: Identity | undefined;
  // Most passes over an unchanged resource need no identity, and the others need it several times.
  const identity = (): Identity => (known ??= identityOf(resource, hashes));
  const bound = new Map<string, string>();
  return {
    get keyID() {
      return identity().keyID;
    },
    part: (text) => hashes.digest(text),
    bind(purpose, name, part) {
      const { uid, place } = identity();
      const text = JSON.stringify([purpose, uid, ...place, name, part]);
      const digest = bound.get(text) ?? `${BOUND}${hashes.digest(text)}`;
      bound.set(text, digest);
      return digest;
    },
    hex: (text) => hashes.hex(text),
    fingerprint: (text) => hashes.fingerprint(text),
  };
}

/** The resource and the key that its digests are bound to. */
interface Identity {
  readonly uid: string;
  readonly place: readonly string[];
  readonly keyID: string;
}

function identityOf({ metadata, status }: Identified, hashes: KeyedHashes): Identity {
  const place = [metadata.namespace ?? '', metadata.name];
  const labelOf = (uid: string): string => {
    const mark = hashes.digest(JSON.stringify(['identity', uid, ...place])).slice(0, MARK_CHARACTERS);
    return `v2:${hashes.keyID}:${uid}.${mark}`;
  };
  const stored = status?.applied?.key;
  const begunAs = uidIn(stored);
  if (stored !== undefined && begunAs !== undefined && labelOf(begunAs) === stored)
    return { uid: begunAs, place, keyID: stored };
  const uid = metadata.uid ?? '';
  return { uid, place, keyID: labelOf(uid) };
}

function uidIn(label: string | undefined): string | undefined {
  const [, , identity] = label?.split(':') ?? [];
  const end = identity?.lastIndexOf('.') ?? -1;
  return end < 0 ? undefined : identity?.slice(0, end);
}

/** True for a digest in the form of release 0.1.0, which `part` makes today. */
export function isUnbound(digest: string): boolean {
  return /^[A-Za-z0-9_-]{22}$/.test(digest);
}

/** Returns whether digests with this label are unbound digests of the current key. */
export function isUnboundLabel(label: string, hashes: Pick<KeyedHashes, 'keyID'>): boolean {
  return label === `v1:${hashes.keyID}`;
}
