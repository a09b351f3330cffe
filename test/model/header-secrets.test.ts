import { describe, expect, test } from 'vitest';
import { headersHider, headersRedactor } from '../../src/model/header-secrets.ts';
import { SecretValue } from '../../src/model/secret.ts';

const withHeader = (value: string, more: { readonly isPublic?: true } = {}) => ({
  headers: [{ name: 'Authorization', value: new SecretValue(value), ...more }],
});
const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`;

describe('of the headers of a connection', () => {
  test.each([
    ['the whole value', 'key-1234567', 'with key-1234567', 'with [redacted]'],
    ['the token of a scheme', 'Bearer token-1234', 'with token-1234', 'with [redacted]'],
    ['the value of a cookie', 'theme=dark; session=token-1234', 'with token-1234', 'with [redacted]'],
    ['the password of a Basic login', basic('me:pässwörd'), 'with pässwörd', 'with [redacted]'],
    ['the encoded login', basic('me:p4ssword'), `with ${btoa('me:p4ssword')}`, 'with [redacted]'],
  ])('%s is hidden', (_, value, text, shown) => {
    expect(headersRedactor(withHeader(value))(text)).toBe(shown);
    expect(headersHider(withHeader(value))(text)).toBe(shown);
  });

  test.each([
    ['the name of a scheme', withHeader('Bearer token-1234'), 'Bearer'],
    ['a public value', withHeader('acme', { isPublic: true }), 'acme-agent'],
    ['a login that is no base64', withHeader('Basic a:b'), 'a text'],
    ['a login of a length that base64 does not have', withHeader('Basic abcde'), 'a text'],
  ])('%s is not', (_, settings, text) => {
    expect(headersHider(settings)(text)).toBe(text);
  });

  test('a text without them keeps its line ends and its length where it is not shown to people', () => {
    const text = `first\n${'x'.repeat(20_000)}`;
    expect(headersHider(withHeader('key-1234567'))(text)).toBe(text);
    expect(headersRedactor(withHeader('key-1234567'))(text).length).toBeLessThan(1_100);
  });
});
