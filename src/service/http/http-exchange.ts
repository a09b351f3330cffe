import { randomUUID } from 'node:crypto';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Agent, type Dispatcher, EnvHttpProxyAgent, ProxyAgent, request } from 'undici';
import { defined } from '../../base/defined.ts';
import type { ConnectionSettings } from '../../model/connection/connection.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { type AddressRules, checkedLookup, checkHost, type NameResolution } from './check-address.ts';
import type { Seat } from '../limits/answer-room.ts';
import { Deadline } from './deadline.ts';
import type { Exchange, ServiceAnswer, ServiceRequest } from './exchange.ts';
import { fenceError } from './fenced-exchange.ts';
import { networkError } from './network-error.ts';
import { tlsOptions } from './tls-options.ts';
import { tunnelOptions } from './tunnel-options.ts';

const FIRST_BYTES = 16 * 1024;

/** A UTF-8 text that arrives in pieces of any length. It occupies at most twice its own length meanwhile. */
class GrowingText {
  readonly #mostBytes: number;
  #buffer = Buffer.alloc(0);
  bytes = 0;

  constructor({ mostBytes }: { readonly mostBytes: number }) {
    this.#mostBytes = mostBytes;
  }

  /** Adds a copy of a piece: pieces of one byte would each occupy a hundred. */
  add(piece: Buffer): void {
    const bytes = this.bytes + piece.length;
    if (bytes > this.#buffer.length) {
      const roomy = Math.min(Math.max(FIRST_BYTES, 2 * bytes), Math.max(this.#mostBytes, bytes));
      const buffer = Buffer.allocUnsafeSlow(roomy);
      this.#buffer.copy(buffer, 0, 0, this.bytes);
      this.#buffer = buffer;
    }
    piece.copy(this.#buffer, this.bytes);
    this.bytes = bytes;
  }

  /** Returns the whole text. */
  text(): string {
    return this.#buffer.toString('utf8', 0, this.bytes);
  }
}

const CONNECT_LIMIT_MS = 5_000;

/** The number of bytes that are inflated at once. */
const PIECE_BYTES = 64 * 1024;
const INFLATERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip({ chunkSize: PIECE_BYTES })],
  ['br', () => createBrotliDecompress({ chunkSize: PIECE_BYTES })],
]);

/** The parts of an exchange besides the settings of its connection. */
export interface TransportOptions {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly rules: AddressRules;
  /** The proxies that a connection may name, in the form of allowed hosts. Default: none. */
  readonly proxyHosts?: readonly string[];
  /**
   * Returns whether this process may send at this moment. Called when a connection is open, and before the first byte
   * is sent.
   */
  readonly mayLeave?: (() => boolean) | undefined;
  /** Resolves names. Default: the system. */
  readonly resolve?: NameResolution;
}

/**
 * Makes the HTTP exchange for one service. It uses pooled connections, at most as many as the connection may use at
 * once. Throws a ConnectionError if the certificates of the connection cannot be used.
 */
export function httpExchange(settings: ConnectionSettings, options: TransportOptions): Exchange {
  const agent = agentFor(settings, options);
  const dispatcher = options.mayLeave === undefined ? agent : agent.compose(checkedBefore(options.mayLeave));
  return {
    send: (asked, signal, seat) => send(asked, { signal, seat }, { settings, options, dispatcher }),
    close: () => agent.close(),
  };
}

function agentFor(settings: ConnectionSettings, options: TransportOptions): Dispatcher {
  const { tls, rateLimit, proxy } = settings;
  const { clock, rules, resolve, proxyHosts = [] } = options;
  const common = {
    connections: rateLimit.concurrency,
    allowH2: false,
    // The deadline of an exchange covers headers and body; two further timers would only hide the cause.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const connect = {
    timeout: CONNECT_LIMIT_MS,
    lookup: checkedLookup(rules, resolve),
    ...tlsOptions(tls),
  };
  if (proxy === undefined) return new Agent({ ...common, connect });
  const limits = { clock, rules, resolve, proxyHosts, limitMs: CONNECT_LIMIT_MS };
  const tunnel = { ...common, ...tunnelOptions({ ...settings, proxy }, limits) };
  const { address, exceptions } = proxy;
  if (exceptions === undefined) return new ProxyAgent({ ...tunnel, uri: address });
  // If one of these were absent, the agent would read it from the environment.
  const environment = { httpProxy: address, httpsProxy: address, noProxy: exceptions };
  return new EnvHttpProxyAgent({ ...tunnel, ...environment, connect });
}

/**
 * Checks once more before the first byte: the wait for a connection takes time, and the process may have been stopped.
 */
function checkedBefore(mayLeave: () => boolean): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context: unknown) {
        handler.onRequestStart?.(controller, context);
        if (!mayLeave()) controller.abort(fenceError());
      },
      onResponseStart: (...told) => handler.onResponseStart?.(...told),
      onResponseData: (...told) => handler.onResponseData?.(...told),
      onResponseEnd: (...told) => handler.onResponseEnd?.(...told),
      onResponseError: (...told) => handler.onResponseError?.(...told),
    });
}

/** The connection to one service. */
interface OpenWay {
  readonly settings: ConnectionSettings;
  readonly options: TransportOptions;
  readonly dispatcher: Dispatcher;
}

async function send(
  asked: ServiceRequest,
  { signal, seat }: { readonly signal: AbortSignal; readonly seat: Seat },
  { settings, options, dispatcher }: OpenWay,
): Promise<ServiceAnswer> {
  const { clock, userAgent, rules } = options;
  const url = requestURL(settings, asked);
  checkHost(url, rules);
  const deadline = new Deadline(clock, settings.requestTimeoutMs);
  try {
    const answer = await request(url, {
      dispatcher,
      method: asked.method,
      headers: requestHeaders(settings, asked, { userAgent, requestID: randomUUID() }),
      ...defined({ body: asked.body }),
      signal: AbortSignal.any([signal, deadline.passed, seat.expired]),
    });
    const text = await bodyText(answer, seat, deadline);
    return { status: answer.statusCode, headers: plainHeaders(answer.headers), text };
  } catch (error) {
    if (seat.expired.aborted) throw seat.expired.reason;
    throw networkError(error, { timedOut: deadline.passed.aborted, aborted: signal.aborted });
  } finally {
    deadline.cancel();
  }
}

async function bodyText(
  { body, headers }: Dispatcher.ResponseData,
  seat: Seat,
  deadline: Deadline,
): Promise<string> {
  const text = new GrowingText(seat);
  // The loop below reports errors of the body; without a listener they would end the process.
  body.on('error', () => undefined);
  try {
    for await (const piece of inflated(body, headers['content-encoding'])) {
      // Reads nothing more until there is room, so the service waits as well.
      const room = seat.grow(text.bytes + piece.length);
      if (room !== undefined) await deadline.without(room);
      text.add(piece);
    }
    return text.text();
  } catch (error) {
    body.destroy();
    throw error;
  }
}

/** Reads a body piece by piece, and inflates it. */
function inflated(body: Readable, encoding: string | string[] | undefined): AsyncIterable<Buffer> {
  const inflater = INFLATERS.get(String(encoding ?? '').toLowerCase())?.();
  if (inflater === undefined) return body;
  return whole(body, inflater);
}

/** Yields the pieces of a body. An empty body is not corrupt, whatever encoding its header names. */
async function* whole(body: Readable, inflater: Transform): AsyncGenerator<Buffer> {
  let isEmpty = true;
  body.once('data', () => (isEmpty = false));
  body.once('error', (error) => inflater.destroy(error));
  body.pipe(inflater);
  try {
    yield* inflater as AsyncIterable<Buffer>;
  } catch (error) {
    if (!isEmpty || !body.readableEnded) throw error;
  }
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

/** The identity of the process, and a generated name for a request that has none. Both are sent as headers. */
export interface RequestIdentity {
  readonly userAgent: string;
  readonly requestID: string;
}

/**
 * Returns the address of a request by concatenation: resolving the path against the base address would drop its prefix
 * (N74).
 */
export function requestURL({ baseURL }: ConnectionSettings, { path, query }: ServiceRequest): URL {
  const search = query === undefined || query.size === 0 ? '' : `?${query.toString()}`;
  return new URL(`${baseURL}${path}${search}`);
}

/** Returns all headers of a request. Only here do the values of configured headers become text. */
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
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...Object.fromEntries(headers.map(({ name, value }) => [name, value.reveal()])),
  };
}
