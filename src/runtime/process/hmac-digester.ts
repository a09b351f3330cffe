import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { Digester } from '../../ports/process/digester.ts';

/** The shortest key. A shorter one could be found by exhaustive search. */
const SHORTEST_KEY_BYTES = 16;

/** The length of a digest: 22 base64url characters encode 132 bits, which is just over 128. */
const DIGEST_CHARACTERS = 22;

/** The length of a key ID. It distinguishes keys from each other and reveals nothing about them. */
const KEY_ID_CHARACTERS = 8;

/**
 * Returns a digester that uses HMAC-SHA-256 with one key. The start of the key's own SHA-256 is its ID. Throws a
 * RangeError for a key under 16 bytes.
 */
export function hmacDigester(key: Uint8Array): Digester {
  if (key.length < SHORTEST_KEY_BYTES) {
    throw new RangeError(`a digest key needs at least ${SHORTEST_KEY_BYTES} bytes, not ${key.length}`);
  }
  const bytes = Uint8Array.from(key);
  // Created once: making a key from bytes takes six times as long as a digest.
  const secretKey = createSecretKey(bytes);
  const mac = (text: string, encoding: 'base64url' | 'hex'): string =>
    createHmac('sha256', secretKey).update(text, 'utf8').digest(encoding);
  return {
    keyID: createHash('sha256').update(bytes).digest('hex').slice(0, KEY_ID_CHARACTERS),
    digest: (text) => mac(text, 'base64url').slice(0, DIGEST_CHARACTERS),
    hex: (text) => mac(text, 'hex'),
    fingerprint: (text) =>
      createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, DIGEST_CHARACTERS),
  };
}
