import type { KeyedHashes } from '../../model/recorded/digests.ts';

/**
 * Keyed digests (HMAC-SHA-256): plain hashes of short values can be guessed offline. `digest` gives 128 bits as
 * base64url, `hex` all of them; `fingerprint` is SHA-256 without a key.
 */
export type Digester = KeyedHashes;
