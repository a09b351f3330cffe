import { describe, expect, it } from 'vitest';
import { ConnectionError } from '../../../src/model/connection/failure.ts';
import { networkError } from '../../../src/service/http/network-error.ts';

const RUNNING = { timedOut: false, aborted: false };

function withCode(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('low level'), { code }) });
}

describe('a network error', () => {
  it.each<[code: string, reason: string, sent: string]>([
    ['ECONNREFUSED', 'Unreachable', 'no'],
    ['ENOTFOUND', 'Unreachable', 'no'],
    ['EAI_AGAIN', 'Unreachable', 'no'],
    ['EHOSTUNREACH', 'Unreachable', 'no'],
    ['ENETUNREACH', 'Unreachable', 'no'],
    ['UND_ERR_CONNECT_TIMEOUT', 'Timeout', 'no'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLSFailed', 'no'],
    ['CERT_HAS_EXPIRED', 'TLSFailed', 'no'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLSFailed', 'no'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'TLSFailed', 'no'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLSFailed', 'no'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLSFailed', 'no'],
    ['ERR_OSSL_PEM_NO_START_LINE', 'TLSFailed', 'no'],
    ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'TLSFailed', 'no'],
    ['EPROTO', 'TLSFailed', 'perhaps'],
    ['Z_DATA_ERROR', 'ProtocolError', 'perhaps'],
    ['Z_BUF_ERROR', 'ProtocolError', 'perhaps'],
    ['ERR__ERROR_FORMAT_PADDING_1', 'ProtocolError', 'perhaps'],
    ['ECONNRESET', 'Unreachable', 'perhaps'],
    ['EPIPE', 'Unreachable', 'perhaps'],
    ['ETIMEDOUT', 'Unreachable', 'perhaps'],
    ['UND_ERR_SOCKET', 'Unreachable', 'perhaps'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'Unreachable', 'perhaps'],
    ['UND_ERR_HEADERS_TIMEOUT', 'Timeout', 'perhaps'],
    ['HPE_INVALID_CONSTANT', 'ProtocolError', 'perhaps'],
    ['toString', 'Unreachable', 'perhaps'],
  ])('%s means %s, sent: %s', (code, reason, sent) => {
    expect(networkError(withCode(code), RUNNING)).toMatchObject({ reason, sent });
  });

  it('without a code may have occurred after the request left', () => {
    expect(networkError(new TypeError('terminated'), RUNNING)).toMatchObject({
      reason: 'Unreachable',
      sent: 'perhaps',
    });
  });

  it('after the deadline is a timeout, and the request may have been applied', () => {
    const error = networkError(new Error('aborted'), { timedOut: true, aborted: false });
    expect(error).toMatchObject({ reason: 'Timeout', sent: 'perhaps' });
  });

  it('before a byte left cannot have been applied, even if the deadline has passed meanwhile', () => {
    const error = networkError(withCode('ECONNREFUSED'), { timedOut: true, aborted: true });
    expect(error).toMatchObject({ reason: 'Unreachable', sent: 'no' });
  });

  it('that is already one of our errors stays unchanged', () => {
    const ours = new ConnectionError('refused', { reason: 'AddressRefused', sent: 'no' });
    expect(networkError(new TypeError('fetch failed', { cause: ours }), RUNNING)).toBe(ours);
  });

  it('keeps its cause and names the code', () => {
    const cause = withCode('ECONNRESET');
    const error = networkError(cause, RUNNING);
    expect(error.message).toContain('ECONNRESET');
    expect(error.cause).toBe(cause);
  });
});
