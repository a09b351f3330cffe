import type { KeyedHashes } from '../../model/recorded/digests.ts';

/**
 * Makes keyed digests (HMAC-SHA-256), since plain hashes of short values can be guessed offline. `digest` returns 128
 * bits as base64url, and `hex` returns all of them. `fingerprint` is SHA-256 without a key.
 */
export type Digester = KeyedHashes;
