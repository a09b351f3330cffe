import { ConnectionError } from '../model/failure.ts';
import type { Limiter } from './limiter.ts';

/** Most of what was bound is missing: the connection as a whole is in doubt (H52). */
export function massAbsence(): ConnectionError {
  const message =
    'most of the bound deployments are missing from the list at once; is the credential that of another tenant?';
  return new ConnectionError(message, { reason: 'MassAbsence', sent: 'no' });
}

/** Not an answer of the service: the operator itself has moved on. */
export function gone(message: string): ConnectionError {
  return new ConnectionError(message, { reason: 'Unreachable', sent: 'no' });
}

/** The connection may not be used for now, because its spec says so. */
export function suspended(): ConnectionError {
  const message = 'the connection is suspended (spec.suspend): the service is not called';
  return new ConnectionError(message, { reason: 'Suspended', sent: 'no' });
}

/** The service has asked for a pause. */
export function gateClosed({ gateMs, gateReason }: Limiter): ConnectionError {
  // No countdown: the text stands in every status, and must not change while nothing else does.
  const message = 'the service asked for a pause; nothing is sent before it is over';
  return new ConnectionError(message, { reason: gateReason, sent: 'no', retryAfterMs: gateMs });
}
