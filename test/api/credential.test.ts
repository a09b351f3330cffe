import { describe, expect, it } from 'vitest';
import { carriesCredential } from '../../src/api/credential.ts';

describe('a text with a credential', () => {
  it.each([
    'API_TOKEN=abc',
    'run --x MY_SECRET_KEY="abc"',
    "a=1 password='x",
    'token=token=x',
    'aws_access_key_id=A',
    'x==token=y',
  ])('is one that assigns it: %s', (text) => {
    expect(carriesCredential(text)).toBe(true);
  });

  it.each([
    'API_TOKEN=$TOKEN',
    'API_TOKEN="$TOKEN"',
    'API_TOKEN=',
    'token = x',
    'key=value',
    'tokens are what a=b splits',
    'secret-name=x',
  ])('is not %s', (text) => {
    expect(carriesCredential(text)).toBe(false);
  });

  it.each(['token', 'token=', 'secret_', 'authorization: basic ', '://', '=', 'password"='])(
    'is found in no time in one that says %j over and over',
    (part) => {
      const startMs = performance.now();
      carriesCredential(part.repeat(800_000 / part.length));
      expect(performance.now() - startMs).toBeLessThan(3_000);
    },
  );
});
