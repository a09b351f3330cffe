import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { Digester } from '../../ports/process/digester.ts';

/** Shorter keys could be searched. */
const SHORTEST_KEY_BYTES = 16;

/** 22 base64url characters hold 128 bits with two to spare. */
const DIGEST_CHARACTERS = 22;

/** The number of characters that distinguish one key from another; they reveal nothing about the key itself. */
const KEY_ID_CHARACTERS = 8;

/** HMAC-SHA-256 with one key, which is named after its own SHA-256. Throws for a key under 16 bytes. */
export function hmacDigester(key: Uint8Array): Digester {
  if (key.length < SHORTEST_KEY_BYTES) {
    throw new RangeError(`a digest key needs at least ${SHORTEST_KEY_BYTES} bytes, not ${key.length}`);
  }
  const bytes = Uint8Array.from(key);
  // Made once: turning bytes into a key takes six times as long as a digest.
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
