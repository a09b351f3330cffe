import type { ConnectionSettings } from '../../model/connection/connection.ts';
import type { ServiceRequest } from './exchange.ts';

/** Who asks, and the name of this one request where it has none yet; both go out as headers. */
export interface RequestIdentity {
  readonly userAgent: string;
  readonly requestID: string;
}

/**
 * The address of a request, joined by concatenation: resolving the path against the base address would drop its
 * prefix (N74).
 */
export function requestURL({ baseURL }: ConnectionSettings, { path, query }: ServiceRequest): URL {
  const search = query === undefined || query.size === 0 ? '' : `?${query.toString()}`;
  return new URL(`${baseURL}${path}${search}`);
}

/** Every header of a request; here, and only here, the values of configured headers become text. */
export function requestHeaders(
  { headers }: ConnectionSettings,
  { body, requestID: named }: ServiceRequest,
  { userAgent, requestID }: RequestIdentity,
): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    'accept-encoding': 'gzip, br',
    'user-agent': userAgent,
    'x-request-id': named ?? requestID,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...Object.fromEntries(headers.map(({ name, value }) => [name, value.reveal()])),
  };
}
