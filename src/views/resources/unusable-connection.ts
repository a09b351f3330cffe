import type { ConnectionReason } from '../../api/condition.ts';
import { CONNECTION_KIND, type ConnectionResource } from '../../api/connection.ts';

/** Reasons that a wrong address has as well as a service that is down. */
const NO_ANSWER: ReadonlySet<string> = new Set<ConnectionReason>(['Unreachable', 'Timeout']);

/**
 * Why a connection cannot be used, for somebody who does not have it before the eyes: which one it is, where it leads
 * to, and what to look at. Only the origin of the address is shown, since the rest may hold a credential.
 */
export function unusableConnectionText(
  connection: ConnectionResource,
  { reason, message }: { readonly reason: string; readonly message: string },
): string {
  const { kind, metadata, spec } = connection;
  const name = kind === CONNECTION_KIND ? `${metadata.namespace ?? ''}/${metadata.name}` : metadata.name;
  const { baseURL } = spec;
  const origin = URL.canParse(baseURL) ? ` (${new URL(baseURL).origin})` : '';
  return `${kind} ${name}${origin} cannot be used: ${reason}: ${message}${adviceFor(reason, message)}`;
}

/** A service that is in trouble itself answers with a status; then the way to it is open. A proxy names itself. */
function adviceFor(reason: string, message: string): string {
  if (!NO_ANSWER.has(reason)) return '';
  if (message.startsWith('proxy ')) return '; look at that proxy, and whether it is reachable from here';
  return message.includes('was answered with')
    ? '; the service answers and cannot serve now: look there, and try again'
    : '; check spec.baseURL and whether it is reachable from here';
}
