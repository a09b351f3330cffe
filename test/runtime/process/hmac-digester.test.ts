import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hmacDigester } from '../../../src/runtime/process/hmac-digester.ts';

const BYTES = new Uint8Array(32).fill(7);

describe('digester', () => {
  it('uses HMAC-SHA-256, whole in hexadecimal and 128 bits of it in base64url', () => {
    const digester = hmacDigester(BYTES);
    const expected = createHmac('sha256', BYTES).update('grüße');
    const bytes = expected.digest();
    expect(digester.hex('grüße')).toBe(bytes.toString('hex'));
    expect(digester.digest('grüße')).toBe(bytes.toString('base64url').slice(0, 22));
    expect(digester.digest('grüße')).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it('returns the published value of a known test vector', () => {
    // RFC 4231, test case 7.
    const key = new Uint8Array(131).fill(0xaa);
    const text =
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.';
    expect(hmacDigester(key).hex(text)).toBe(
      '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
    );
  });

  it('names its key by the start of its SHA-256', () => {
    const hash = createHash('sha256').update(BYTES).digest('hex');
    expect(hmacDigester(BYTES).keyID).toBe(hash.slice(0, 8));
  });

  it('differs by key', () => {
    const other = hmacDigester(new Uint8Array(32).fill(8));
    expect(other.keyID).not.toBe(hmacDigester(BYTES).keyID);
    expect(other.digest('x')).not.toBe(hmacDigester(BYTES).digest('x'));
  });

  it('ignores later changes of the bytes that it was given', () => {
    const bytes = Uint8Array.from(BYTES);
    const digester = hmacDigester(bytes);
    const before = digester.digest('x');
    bytes.fill(0);
    expect(digester.digest('x')).toBe(before);
  });

  it('refuses a key that could be searched', () => {
    expect(() => hmacDigester(new Uint8Array(15))).toThrow(RangeError);
  });
});
