import type { ConnectionReason } from '../../api/condition.ts';
import { ConnectionError, findCause, type Sent } from '../../model/connection/failure.ts';

/**
 * The meaning of an error code: the reason that the connection shows, whether the request may have been sent, and a
 * text.
 */
type Meaning = readonly [reason: ConnectionReason, sent: Sent, text: string];

const MEANINGS: Readonly<Record<string, Meaning>> = {
  // These occur before a byte of the request was sent.
  ECONNREFUSED: ['Unreachable', 'no', 'the connection was refused'],
  ENOTFOUND: ['Unreachable', 'no', 'the host name is not known'],
  EAI_AGAIN: ['Unreachable', 'no', 'the host name could not be resolved'],
  EHOSTUNREACH: ['Unreachable', 'no', 'the host cannot be reached'],
  ENETUNREACH: ['Unreachable', 'no', 'the network cannot be reached'],
  UND_ERR_CONNECT_TIMEOUT: ['Timeout', 'no', 'connecting took too long'],
  UND_ERR_CLOSED: ['Unreachable', 'no', 'the connection was given up'],
  UND_ERR_INVALID_ARG: ['ProtocolError', 'no', 'the request cannot be formed'],
  // These occur after the request may have been sent, so a write must be verified. A reset of a reused socket is one
  // of them.
  ECONNRESET: ['Unreachable', 'perhaps', 'the connection was reset'],
  EPIPE: ['Unreachable', 'perhaps', 'the connection was closed'],
  ETIMEDOUT: ['Unreachable', 'perhaps', 'the connection timed out'],
  UND_ERR_SOCKET: ['Unreachable', 'perhaps', 'the connection was closed'],
  UND_ERR_HEADERS_TIMEOUT: ['Timeout', 'perhaps', 'no answer came in time'],
  UND_ERR_BODY_TIMEOUT: ['Timeout', 'perhaps', 'the answer stopped in the middle'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['Unreachable', 'perhaps', 'the answer was cut short'],
  UND_ERR_ABORTED: ['Unreachable', 'perhaps', 'the exchange was aborted'],
  UND_ERR_HEADERS_OVERFLOW: ['ProtocolError', 'perhaps', 'the headers of the answer are too large'],
};

const TIMED_OUT: Meaning = ['Timeout', 'perhaps', 'no complete answer came within the request timeout'];
const ABORTED: Meaning = ['Unreachable', 'perhaps', 'the exchange was aborted'];
const NOT_HTTP: Meaning = ['ProtocolError', 'perhaps', 'the answer is not HTTP'];
const NO_HANDSHAKE: Meaning = ['TLSFailed', 'no', 'the TLS handshake failed'];
const BROKEN_TLS: Meaning = ['TLSFailed', 'perhaps', 'the TLS connection broke'];
const NOT_COMPRESSED: Meaning = ['ProtocolError', 'perhaps', 'the answer cannot be decompressed'];
const BROKEN_OFF: Meaning = ['Unreachable', 'perhaps', 'the exchange broke off'];

/**
 * Returns the meaning of a network error: the reason that the connection shows, and whether a write may have been
 * applied.
 */
export function networkError(
  error: unknown,
  how: { readonly timedOut: boolean; readonly aborted: boolean },
): ConnectionError {
  const known = findCause(error, (e): e is ConnectionError => e instanceof ConnectionError);
  if (known !== undefined) return known;
  const code = codeOf(error);
  const meaning = isParserError(error) ? NOT_HTTP : meaningOf(code);
  if (meaning?.[1] === 'no') return told(meaning, code, error);
  if (how.timedOut) return told(TIMED_OUT, undefined, error);
  if (how.aborted) return told(ABORTED, undefined, error);
  return told(meaning ?? BROKEN_OFF, code, error);
}

/** True for an error of the HTTP parser, which has a code only sometimes. */
function isParserError(error: unknown): boolean {
  const named = (e: unknown): e is Error => e instanceof Error && e.name === 'HTTPParserError';
  return findCause(error, named) !== undefined;
}

function meaningOf(code: string | undefined): Meaning | undefined {
  if (code === undefined) return undefined;
  if (Object.hasOwn(MEANINGS, code)) return MEANINGS[code];
  if (code.startsWith('HPE_')) return NOT_HTTP;
  // Error codes of zlib, including those for Brotli.
  if (/^(Z_|ERR__ERROR_|ERR_BROTLI)/.test(code)) return NOT_COMPRESSED;
  // These errors do not say when they happened: a service may refuse a certificate after it has read the
  // request.
  if (code === 'EPROTO') return BROKEN_TLS;
  if (/^ERR_SSL_.*(BAD_RECORD_MAC|DECRYPT)/.test(code)) return BROKEN_TLS;
  const handshake =
    /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$)/;
  return handshake.test(code) ? NO_HANDSHAKE : undefined;
}

function told([reason, sent, text]: Meaning, code: string | undefined, cause: unknown): ConnectionError {
  const message = code === undefined ? text : `${text} (${code})`;
  return new ConnectionError(message, { reason, sent }, { cause });
}

function codeOf(error: unknown): string | undefined {
  const coded = findCause(
    error,
    (e): e is Error & { readonly code: string } =>
      e instanceof Error && 'code' in e && typeof e.code === 'string',
  );
  return coded?.code;
}
