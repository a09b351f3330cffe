import { CONNECTION_KIND, type ConnectionResource } from '../../api/connection.ts';
import { keyOf } from '../../api/metadata.ts';
import { type ConnectionName, connectionNameOf } from '../../model/connection/connection.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { DEFAULT_CONNECTION } from '../../model/connection/data-references.ts';
import type { ConnectionReason } from '../../api/condition.ts';

/** The connection that a person chooses. */
export interface ConnectionWish {
  /**
   * `NAME`, or with its kind, `clusterconnection/NAME` or `connection/NAME`, if both kinds have the name. Absent: the
   * obvious one.
   */
  readonly connection?: string | undefined;
  /** The namespaces to search; empty means any. */
  readonly namespaces: readonly string[];
}

/**
 * Chooses one of the known connections: the only one, or the one called default, as for a resource that names none.
 * Throws an ExpectedError that lists the choices.
 */
export function chosenConnection(
  connections: readonly ConnectionResource[],
  { connection, namespaces }: ConnectionWish,
): ConnectionName {
  const visible = connections.filter(
    ({ kind, metadata }) =>
      kind !== CONNECTION_KIND || namespaces.length === 0 || namespaces.includes(metadata.namespace ?? ''),
  );
  const wished = connection === undefined ? visible : visible.filter((each) => isCalled(each, connection));
  const [first] = wished;
  if (first === undefined) throw new ExpectedError(noneText(visible, connection));
  if (wished.length === 1) return connectionNameOf(keyOf(first));
  const byDefault = wished.filter(({ metadata }) => metadata.name === DEFAULT_CONNECTION);
  const beside = byDefault.filter(({ kind }) => kind === CONNECTION_KIND);
  const [found, another] = connection !== undefined ? wished : beside.length > 0 ? beside : byDefault;
  if (found !== undefined && another === undefined) return connectionNameOf(keyOf(found));
  throw new ExpectedError(
    `several connections could be meant: ${textOf(wished)}; name one with --connection, its namespace with -n`,
  );
}

function isCalled({ kind, metadata }: ConnectionResource, wish: string): boolean {
  const [name = '', prefix] = wish.split('/').toReversed();
  return metadata.name === name && (prefix === undefined || prefix.toLowerCase() === kind.toLowerCase());
}

function noneText(visible: readonly ConnectionResource[], wish: string | undefined): string {
  if (visible.length === 0)
    return 'there is no Connection; give its manifest with -f, or a cluster that has one';
  return `there is no connection ${wish ?? ''}; there is ${textOf(visible)}`;
}

function textOf(connections: readonly ConnectionResource[]): string {
  const texts = connections.map(({ kind, metadata: { name, namespace } }) =>
    kind === CONNECTION_KIND ? `${kind} ${namespace ?? ''}/${name}` : `${kind} ${name}`,
  );
  return texts.join(', ');
}

/** Reasons that can mean a wrong address or a service that is down. */
const NO_ANSWER: ReadonlySet<string> = new Set<ConnectionReason>(['Unreachable', 'Timeout']);

/**
 * Says why a connection cannot be used, for a person who does not see it: its name, its address, and what to check.
 * It shows only the origin of the address, since the rest may contain a credential.
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

/**
 * Returns advice for a reason. If a failing service answers with a status, the network works. A proxy names itself in
 * the message.
 */
function adviceFor(reason: string, message: string): string {
  if (!NO_ANSWER.has(reason)) return '';
  if (message.startsWith('proxy ')) return '; look at that proxy, and whether it is reachable from here';
  return message.includes('was answered with')
    ? '; the service answers and cannot serve now: look there, and try again'
    : '; check spec.baseURL and whether it is reachable from here';
}
