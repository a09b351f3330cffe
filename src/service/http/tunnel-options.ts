import { defined } from '../../base/defined.ts';
import { Pool, type Dispatcher, type ProxyAgent } from 'undici';
import type { ConnectionReason } from '../../api/condition.ts';
import type { ConnectionSettings, ProxySettings } from '../../model/connection/connection.ts';
import { ConnectionError } from '../../model/connection/failure.ts';
import type { Clock } from '../../ports/process/clock.ts';
import {
  type AddressRules,
  checkedLookup,
  checkProxied,
  checkProxy,
  type NameResolution,
} from './check-address.ts';
import { networkError } from './network-error.ts';
import { authoritiesIn, tlsOptions } from './tls-options.ts';

/** The parts of a tunnel besides the settings of its connection. */
export interface TunnelOptions {
  readonly clock: Clock;
  readonly rules: AddressRules;
  /** Proxies that a connection may use. */
  readonly proxyHosts: readonly string[];
  readonly resolve?: NameResolution | undefined;
  /** The limit for a connection, for a TLS handshake, and for the answer to CONNECT, each in milliseconds. */
  readonly limitMs: number;
}

/** Reasons of a proxy failure that waiting does not cure; the error keeps them. */
const KEPT: ReadonlySet<ConnectionReason> = new Set(['TLSFailed', 'AddressRefused']);

/**
 * Returns the options with which an agent uses a proxy. It uses only tunnels with CONNECT, whatever the scheme of the
 * service, with a time limit, and only if the rules permit the proxy. A failure before the tunnel is open becomes a
 * ConnectionError that names the proxy. Throws a ConnectionError if the certificates of the connection cannot be used.
 */
export function tunnelOptions(
  { tls, proxy }: ConnectionSettings & { readonly proxy: ProxySettings },
  options: TunnelOptions,
): Omit<ProxyAgent.Options, 'uri'> {
  const { rules, resolve, limitMs } = options;
  const authorities = authoritiesIn(proxy.ca, 'spec.proxy.caBundle');
  return {
    proxyTunnel: true,
    ...defined({ token: proxy.login && basic(proxy.login) }),
    proxyTls: { timeout: limitMs, allowH2: false, lookup: checkedLookup(rules, resolve), ...authorities },
    requestTls: { timeout: limitMs, allowH2: false, ...tlsOptions(tls) },
    clientFactory: (origin, more) => new Pool(origin, more).compose(overseen(proxy, options)),
  };
}

function basic({ username, password }: NonNullable<ProxySettings['login']>): string {
  return `Basic ${Buffer.from(`${username.reveal()}:${password.reveal()}`).toString('base64')}`;
}

/**
 * Checks the rules before it connects to a proxy, and describes the result of a CONNECT in a text that names the
 * proxy.
 */
function overseen(proxy: ProxySettings, options: TunnelOptions): Dispatcher.DispatcherComposeInterceptor {
  const { clock, limitMs } = options;
  return (dispatch) => (asked, handler) => {
    // The path of a CONNECT is HOST:PORT.
    const target = asked.path;
    checkWay(proxy, target, options);
    let stopTimer: (() => void) | undefined;
    let late: ConnectionError | undefined;
    return dispatch(asked, {
      onRequestStart(controller, context: unknown) {
        stopTimer = clock.after(limitMs, () => {
          late = unreachable(proxy, `did not answer CONNECT ${target} within ${limitMs / 1000} s`);
          controller.abort(late);
        });
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade(controller, status, headers, socket) {
        stopTimer?.();
        const refusal = refusalOf(proxy, target, { status, headers });
        if (refusal === undefined) return handler.onRequestUpgrade?.(controller, status, headers, socket);
        socket.on('error', () => undefined).destroy();
        handler.onResponseError?.(controller, refusal);
      },
      onResponseError(controller, error) {
        stopTimer?.();
        handler.onResponseError?.(controller, late ?? named(proxy, error));
      },
    });
  };
}

/** Checks a target by its name only: a proxy resolves names itself, so the operator cannot check addresses. */
function checkWay({ address, exceptions }: ProxySettings, target: string, options: TunnelOptions): void {
  const { rules, proxyHosts } = options;
  const url = new URL(address);
  // A proxy from the environment needs no other permission.
  checkProxy(url, { ...rules, allowHosts: exceptions === undefined ? proxyHosts : [url.host] });
  checkProxied(target, rules, address);
}

interface ConnectAnswer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
}

/** Returns why there is no tunnel, or undefined if there is one. The text repeats no word of the answer. */
function refusalOf(
  proxy: ProxySettings,
  target: string,
  { status, headers }: ConnectAnswer,
): ConnectionError | undefined {
  // Some proxies, such as tinyproxy, answer a wrong login with 401.
  if (status === 407 || (status === 401 && proxy.login !== undefined))
    return loginRefused(proxy, { status, headers });
  if (status !== 200)
    return unreachable(proxy, `answered CONNECT ${target} with ${status}${hintFor(status)}`);
  if (!/^text\/html\b/i.test(String(headers['content-type'] ?? ''))) return undefined;
  return unreachable(proxy, `answered CONNECT ${target} with a web page instead of a tunnel`);
}

function hintFor(status: number): string {
  if (status >= 300 && status < 400) return ', a redirect, which is not followed';
  if (status === 403 || status === 405) return ': it does not permit that';
  return status >= 500 ? ': it may not reach the host itself' : '';
}

function loginRefused(
  { address, login, exceptions }: ProxySettings,
  { status, headers }: ConnectAnswer,
): ConnectionError {
  const where = exceptions === undefined ? 'spec.proxy.credentials' : 'HTTPS_PROXY';
  const asks = [headers['proxy-authenticate'] ?? []].flat().join(', ');
  const takesBasic = asks === '' || /(?:^|[\s,])basic\b/i.test(asks);
  const what =
    login === undefined
      ? `asks for a login (${status}); give it in ${where}`
      : `refuses the login of ${where} (${status})`;
  const hint = takesBasic ? '' : '; it does not take Basic logins, and no others are supported';
  return new ConnectionError(`proxy ${address} ${what}${hint}`, { reason: 'ProxyAuthFailed', sent: 'no' });
}

/** Makes the error for a failure on the way to a proxy; nothing of the request has been sent. */
function named(proxy: ProxySettings, error: unknown): ConnectionError {
  const { reason, message } = networkError(error, { timedOut: false, aborted: false });
  const kept = KEPT.has(reason) ? reason : 'Unreachable';
  return new ConnectionError(
    `proxy ${proxy.address} cannot be used: ${message}`,
    { reason: kept, sent: 'no' },
    { cause: error },
  );
}

function unreachable({ address }: ProxySettings, what: string): ConnectionError {
  return new ConnectionError(`proxy ${address} ${what}`, { reason: 'Unreachable', sent: 'no' });
}
