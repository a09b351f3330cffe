import { createHmac } from 'node:crypto';
import type { Digester } from '../ports/digester.ts';

/** Shorter keys could be searched. */
const SHORTEST_KEY_BYTES = 16;

/** 22 base64url characters hold 128 bits with two to spare. */
const DIGEST_CHARACTERS = 22;

/** HMAC-SHA-256 with one key. Throws for a key under 16 bytes. */
export function hmacDigester(key: { readonly keyID: string; readonly bytes: Uint8Array }): Digester {
  if (key.bytes.length < SHORTEST_KEY_BYTES) {
    throw new RangeError(`a digest key needs at least ${SHORTEST_KEY_BYTES} bytes, not ${key.bytes.length}`);
  }
  const bytes = Uint8Array.from(key.bytes);
  const mac = (text: string, encoding: 'base64url' | 'hex'): string =>
    createHmac('sha256', bytes).update(text, 'utf8').digest(encoding);
  return {
    keyID: `v1:${key.keyID}`,
    digest: (text) => mac(text, 'base64url').slice(0, DIGEST_CHARACTERS),
    hex: (text) => mac(text, 'hex'),
  };
}
