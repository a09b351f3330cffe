import { stableText } from '../../model/desired/canonical-text.ts';
import type { Json } from '../../base/json.ts';
import type { Digester } from '../../ports/process/digester.ts';
import { type DataManifest, dataText } from './data-manifest.ts';
import type { ManifestObject } from './read-manifest.ts';

/** The input of a hash: a spec, or the values of a Secret or ConfigMap. */
export type Content = ManifestObject | Pick<DataManifest, 'data'>;

/** The content of one resource. */
export interface OwnContent {
  readonly content: Content;
  /** The uid that the state gave to the resource. */
  readonly uid: string;
}

type Hashes = Pick<Digester, 'keyID' | 'digest'>;

/**
 * Returns a hash that distinguishes specs, or sets of values, of a resource, as `v2:<key id>:<digest>`. It is
 * bound to the uid of the resource, so the same content of two resources has two hashes.
 */
export function hashOf(own: OwnContent, hashes: Hashes): string {
  return bound(hashes.digest(textOf(own.content)), own, hashes);
}

/**
 * Returns a stored hash in the form that `hashOf` makes. Release 0.1.0 did not bind hashes to a uid: it stored the
 * result of the first of the two steps, so this function adds the second.
 */
export function hashOfToday(hash: string, own: OwnContent, hashes: Hashes): string {
  const unbound = `v1:${hashes.keyID}:`;
  return hash.startsWith(unbound) ? bound(hash.slice(unbound.length), own, hashes) : hash;
}

/** Returns the ID of the key that made a hash, with the version of the hash. */
export function keyIDOf(hash: string): string {
  return hash.slice(0, hash.lastIndexOf(':'));
}

function textOf(content: Content): string {
  return 'data' in content ? dataText(content.data) : stableText(content.spec as Json);
}

function bound(part: string, { content, uid }: OwnContent, hashes: Hashes): string {
  const purpose = 'data' in content ? 'data' : 'spec';
  return `v2:${hashes.keyID}:${hashes.digest(JSON.stringify([purpose, uid, part]))}`;
}
