import { describe, expect, test } from 'vitest';
import { ConnectionError } from '../../../src/model/connection/failure.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { tlsOptions } from '../../../src/service/http/tls-options.ts';
import { OTHER_KEY, TEST_CERTIFICATE, TEST_KEY } from '../support/test-certificate.ts';

const BROKEN = TEST_CERTIFICATE.replace('MIIB', 'MIIC');
const OWN = { certificate: TEST_CERTIFICATE, key: new SecretValue(TEST_KEY) };

/** Returns the error with which the settings are refused. */
function refusal(tls: Parameters<typeof tlsOptions>[0]): string {
  try {
    tlsOptions(tls);
  } catch (error) {
    if (error instanceof ConnectionError) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return 'none';
}

test('absent settings set nothing', () => {
  expect(tlsOptions({})).toEqual({});
});

test('valid settings are used unchanged, including a chain with text around it', () => {
  const bundle = `# two authorities\n${TEST_CERTIFICATE}\nand another\n${TEST_CERTIFICATE}`;
  expect(tlsOptions({ ca: bundle, ...OWN })).toEqual({
    ...{ ca: bundle, cert: TEST_CERTIFICATE, key: TEST_KEY },
  });
});

describe('a bundle of authorities', () => {
  test.each([
    ['', 'holds no certificate in PEM form'],
    ['not a certificate', 'holds no certificate in PEM form'],
    [TEST_KEY, 'holds no certificate in PEM form'],
    [TEST_CERTIFICATE.slice(0, 300), 'holds no certificate in PEM form'],
  ])('that holds none is reported as such (%#)', (ca, says) => {
    expect(refusal({ ca })).toBe(`TLSFailed: spec.tls.caBundle ${says}`);
  });

  test('with a broken certificate names it', () => {
    expect(refusal({ ca: `${TEST_CERTIFICATE}${BROKEN}` })).toBe(
      'TLSFailed: certificate 2 in spec.tls.caBundle cannot be read',
    );
  });
});

describe('a client certificate', () => {
  test('that is no certificate is reported as such', () => {
    expect(refusal({ ...OWN, certificate: 'x' })).toBe(
      'TLSFailed: tls.crt of spec.tls.clientCertificate holds no certificate in PEM form',
    );
  });

  test.each(['x', TEST_CERTIFICATE, TEST_KEY.slice(0, 90)])(
    'with an invalid key is reported without the key (%#)',
    (key) => {
      expect(refusal({ ...OWN, key: new SecretValue(key) })).toBe(
        'TLSFailed: tls.key of spec.tls.clientCertificate is no private key in PEM form without a passphrase',
      );
    },
  );

  test('with the key of another certificate is reported', () => {
    expect(refusal({ ...OWN, key: new SecretValue(OTHER_KEY) })).toBe(
      'TLSFailed: tls.key of spec.tls.clientCertificate does not belong to the first certificate of tls.crt',
    );
  });
});
