import type { Doubt } from '../../model/external/doubt.ts';
import { ConnectionError, findCause } from '../../model/connection/failure.ts';

const DOUBTS: Readonly<Record<Doubt, string>> = {
  MassAbsence:
    'most of the bound deployments are missing from the list at once; does the credential belong to another tenant? If somebody deleted them, delete their resources with deletionPolicy: Orphan; if you apply the resources again, they create new deployments where spec.creation permits it',
  TenantChanged:
    'the list shows no deployment of the tenant in which the deployments were bound; does the credential belong to another tenant?',
};

/** Makes the error for a list that puts the connection as a whole in doubt (H27, H52). */
export function inDoubt(doubt: Doubt, retryAfterMs?: number): ConnectionError {
  return new ConnectionError(DOUBTS[doubt], { reason: doubt, sent: 'no', retryAfterMs });
}

/** Makes the error for a call that the operator itself made obsolete. It is no answer of the service. */
export function gone(message: string): ConnectionError {
  return new ConnectionError(message, { reason: 'Unreachable', sent: 'no' });
}

/** Makes the error for a connection that may not be used for now, because its spec says so. */
export function suspended(): ConnectionError {
  const message = 'the connection is suspended (spec.suspend): the service is not called';
  return new ConnectionError(message, { reason: 'Suspended', sent: 'no' });
}

/** The reason and duration of a pause in which the operator sends nothing. */
export interface ClosedGate {
  readonly gateMs: number;
  readonly gateReason: ConnectionError['reason'];
}

/** Makes the error for a pause that the service has asked for. */
export function gateClosed({ gateMs, gateReason }: ClosedGate): ConnectionError {
  // The message contains no countdown, since every status contains it and must not change while nothing else changes.
  const message = 'the service asked for a pause; the operator sends nothing until it ends';
  return new ConnectionError(message, { reason: gateReason, sent: 'no', retryAfterMs: gateMs });
}

/** Reports an answer that is larger than the limit; a read may request smaller pages. */
export class TooMuchError extends ConnectionError {
  constructor(message: string) {
    super(message, { reason: 'ProtocolError', sent: 'perhaps' });
    this.name = 'TooMuchError';
  }
}

/** True if a read failed because of the size of its answer. */
export function isTooMuchAnswered(error: unknown): boolean {
  return findCause(error, (e): e is TooMuchError => e instanceof TooMuchError) !== undefined;
}
