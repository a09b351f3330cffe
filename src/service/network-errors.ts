import type { ConnectionReason } from '../api/condition.ts';
import { ConnectionError, findCause, type Sent } from '../model/failure.ts';

/** Errors before a byte of the request left: nothing can have been applied. */
const BEFORE_SENDING: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
};

/** Errors after the request may have left: a write has to be verified. A reset of a reused socket is one of them. */
const AFTER_SENDING: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped in the middle',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut short',
  UND_ERR_ABORTED: 'the exchange was aborted',
};

/** What an error of the network means: the reason the connection shows, and whether a write may have been applied. */
export function networkError(
  error: unknown,
  how: { readonly timedOut: boolean; readonly aborted: boolean },
): Error {
  const known = findCause(error, (e): e is ConnectionError => e instanceof ConnectionError);
  if (known !== undefined) return known;
  const code = codeOf(error);
  if (code !== undefined && code in BEFORE_SENDING) {
    const reason = code === 'UND_ERR_CONNECT_TIMEOUT' ? 'Timeout' : 'Unreachable';
    return told(`${BEFORE_SENDING[code]} (${code})`, reason, 'no', error);
  }
  if (code !== undefined && isTLS(code)) {
    return told(`the TLS handshake failed (${code})`, 'TLSFailed', 'no', error);
  }
  if (how.timedOut)
    return told('no complete answer came within the request timeout', 'Timeout', 'perhaps', error);
  if (how.aborted) return told('the exchange was aborted', 'Unreachable', 'perhaps', error);
  const text =
    code === undefined
      ? 'the exchange broke off'
      : `${AFTER_SENDING[code] ?? 'the exchange broke off'} (${code})`;
  return told(text, 'Unreachable', 'perhaps', error);
}

function told(message: string, reason: ConnectionReason, sent: Sent, cause: unknown): ConnectionError {
  return new ConnectionError(message, { reason, sent }, { cause });
}

function isTLS(code: string): boolean {
  return (
    /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code) ||
    code === 'HOSTNAME_MISMATCH'
  );
}

function codeOf(error: unknown): string | undefined {
  const coded = findCause(error, (e): e is NodeJS.ErrnoException => e instanceof Error && 'code' in e);
  return typeof coded?.code === 'string' ? coded.code : undefined;
}
