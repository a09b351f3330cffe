import type { ConnectionReason } from '../api/condition.ts';
import { CONNECTION_KIND, type ConnectionResource } from '../api/connection.ts';

/** Reasons that a wrong address has as well as a service that is down. */
const NO_ANSWER: ReadonlySet<string> = new Set<ConnectionReason>(['Unreachable', 'Timeout']);

/**
 * Why a connection cannot be used, for somebody who does not have it before the eyes: which one it is, where it leads
 * to, and what to look at. Of the address only the origin is told, since the rest may hold a credential.
 */
export function unusableConnectionText(
  connection: ConnectionResource,
  { reason, message }: { readonly reason: string; readonly message: string },
): string {
  const { kind, metadata, spec } = connection;
  const name = kind === CONNECTION_KIND ? `${metadata.namespace ?? ''}/${metadata.name}` : metadata.name;
  const { baseURL } = spec;
  const origin = URL.canParse(baseURL) ? ` (${new URL(baseURL).origin})` : '';
  const advice = NO_ANSWER.has(reason) ? '; check spec.baseURL and whether it is reachable from here' : '';
  return `${kind} ${name}${origin} cannot be used: ${reason}: ${message}${advice}`;
}
