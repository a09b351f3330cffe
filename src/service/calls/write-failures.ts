import { classify, type ConnectionError } from '../../model/connection/failure.ts';
import { connectionErrorIn } from './calls.ts';

/** True where the service answered that there is no such deployment. */
export function isGone(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind === 'transient' && (failure.status === 404 || failure.status === 410);
}

/** True where the service would have none of the request. */
export function isRejected(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind === 'terminal' && failure.reason === 'Rejected';
}

/** True where the service looked at a write and would not do it: the credential had let it in. */
export function isDealtWith(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind === 'terminal' || isGone(error);
}

/** True where a write that failed surely had no effect. */
export function isRefused(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind !== 'bug' && failure.sent === 'no';
}

/**
 * What a failed write says about the connection as a whole: that it cannot be reached or let in, or that the service
 * wants fewer calls. A write that broke off after it may have left is followed by a read, which will tell.
 */
export function troubleIn(error: unknown): ConnectionError | undefined {
  const trouble = connectionErrorIn(error);
  return trouble?.sent === 'no' ? trouble : undefined;
}
