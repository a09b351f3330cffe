import { describe, expect, test } from 'vitest';
import { connectionHider, connectionRedactor } from '../../../src/model/connection/connection-secrets.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';

const withHeader = (value: string, more: { readonly isPublic?: true } = {}) => ({
  headers: [{ name: 'Authorization', value: new SecretValue(value), ...more }],
});
const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`;

describe('in the headers of a connection', () => {
  test.each([
    ['the whole value', 'key-1234567', 'with key-1234567', 'with [redacted]'],
    ['the token of a scheme', 'Bearer token-1234', 'with token-1234', 'with [redacted]'],
    ['a short token of a scheme', 'Bearer ab12', 'with ab12', 'with [redacted]'],
    ['the value of a cookie', 'theme=dark; session=token-1234', 'with token-1234', 'with [redacted]'],
    ['the password of a Basic login', basic('me:pässwörd'), 'with pässwörd', 'with [redacted]'],
    ['the encoded login', basic('me:p4ssword'), `with ${btoa('me:p4ssword')}`, 'with [redacted]'],
  ])('%s is hidden', (_, value, text, shown) => {
    expect(connectionRedactor(withHeader(value))(text)).toBe(shown);
    expect(connectionHider(withHeader(value))(text)).toBe(shown);
  });

  test.each([
    ['the name of a scheme', withHeader('Bearer token-1234'), 'Bearer'],
    ['a public value', withHeader('acme', { isPublic: true }), 'acme-agent'],
    ['a login that is no base64', withHeader('Basic a:b'), 'a text'],
    ['a login of a length that base64 does not have', withHeader('Basic abcde'), 'a text'],
  ])('%s is not', (_, settings, text) => {
    expect(connectionHider(settings)(text)).toBe(text);
  });

  test('and the login for its proxy, in whatever form, is hidden', () => {
    const login = { username: new SecretValue('controller'), password: new SecretValue('p4ss-word') };
    const settings = { headers: [], proxy: { address: 'http://proxy.example.com:3128', login } };
    const text = `controller p4ss-word ${btoa('controller:p4ss-word')} http://proxy.example.com:3128`;
    const shown = '[redacted] [redacted] [redacted] http://proxy.example.com:3128';
    expect(connectionRedactor(settings)(text)).toBe(shown);
    expect(connectionHider(settings)(text)).toBe(shown);
  });

  test('text without them keeps its line breaks and its length outside user-facing output', () => {
    const text = `first\n${'x'.repeat(20_000)}`;
    expect(connectionHider(withHeader('key-1234567'))(text)).toBe(text);
    expect(connectionRedactor(withHeader('key-1234567'))(text).length).toBeLessThan(1_100);
  });
});
