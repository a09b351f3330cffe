import type { Digests } from '../model/baseline.ts';

/**
 * Keyed digests (HMAC-SHA-256): plain hashes of short values can be guessed offline. `digest` gives 128 bits as
 * base64url, `hex` all of them.
 */
export type Digester = Digests;
