/**
 * Keyed digests: plain hashes of short values can be guessed offline. `keyID` names the key, so that digests
 * made with a lost key are recognised.
 */
export interface Digester {
  /** `v1:<key id>`. */
  readonly keyID: string;
  /** 22 characters (128 bits, base64url) of HMAC-SHA-256 over `text`. */
  digest(text: string): string;
  /** All 64 hexadecimal characters of the HMAC-SHA-256. */
  hex(text: string): string;
}
