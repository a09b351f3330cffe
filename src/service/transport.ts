import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { randomUUID } from 'node:crypto';
import { Agent, type Dispatcher, request } from 'undici';
import type { ConnectionSettings } from '../model/connection.ts';
import { ConnectionError } from '../model/failure.ts';
import type { Clock } from '../ports/clock.ts';
import { type AddressRules, checkedLookup, checkHost, type NameResolution } from './addresses.ts';
import type { Exchange, ServiceAnswer, ServiceRequest } from './exchange.ts';
import { fenceError } from './fenced-exchange.ts';
import { requestHeaders, requestURL } from './http-request.ts';
import { networkError } from './network-errors.ts';
import { tlsOptions } from './tls-options.ts';

const CONNECT_LIMIT_MS = 5_000;

/** Room for a page of a hundred large deployments. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

const inflate = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };

/** What an exchange needs beside the settings of its connection. */
export interface TransportOptions {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly rules: AddressRules;
  /** Whether this process may send at this moment; asked when a connection stands and before the first byte leaves. */
  readonly mayLeave?: (() => boolean) | undefined;
  /** How names are resolved; by the system unless told. */
  readonly resolve?: NameResolution;
}

/**
 * Speaks HTTP to one service over pooled connections, at most as many as the connection may use at once. Throws a
 * ConnectionError where its certificates cannot be used.
 */
export function httpExchange(settings: ConnectionSettings, options: TransportOptions): Exchange {
  const agent = agentFor(settings, options);
  const dispatcher = options.mayLeave === undefined ? agent : agent.compose(checkedBefore(options.mayLeave));
  return {
    send: (asked, signal) => send(asked, signal, settings, options, dispatcher),
    close: () => agent.close(),
  };
}

function agentFor({ tls, rateLimit }: ConnectionSettings, { rules, resolve }: TransportOptions): Agent {
  return new Agent({
    connections: rateLimit.concurrency,
    allowH2: false,
    // The deadline of an exchange covers headers and body; two further timers would only blur what happened.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      timeout: CONNECT_LIMIT_MS,
      lookup: checkedLookup(rules, resolve),
      ...tlsOptions(tls),
    },
  });
}

/** Asks once more before the first byte: waiting for a connection takes time, and the process may have been stopped. */
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

async function send(
  asked: ServiceRequest,
  signal: AbortSignal,
  settings: ConnectionSettings,
  { clock, userAgent, rules }: TransportOptions,
  dispatcher: Dispatcher,
): Promise<ServiceAnswer> {
  const url = requestURL(settings, asked);
  checkHost(url, rules);
  const deadline = new AbortController();
  const cancel = clock.after(settings.requestTimeoutMs, () => deadline.abort());
  try {
    const answer = await request(url, {
      dispatcher,
      method: asked.method,
      headers: requestHeaders(settings, asked, { userAgent, requestID: randomUUID() }),
      ...(asked.body === undefined ? {} : { body: asked.body }),
      signal: AbortSignal.any([signal, deadline.signal]),
    });
    return { status: answer.statusCode, headers: plainHeaders(answer.headers), text: await bodyText(answer) };
  } catch (error) {
    throw networkError(error, { timedOut: deadline.signal.aborted, aborted: signal.aborted });
  } finally {
    cancel();
  }
}

async function bodyText({ body, headers }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) {
      body.destroy();
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  return (await inflated(Buffer.concat(chunks), headers['content-encoding'])).toString('utf8');
}

async function inflated(bytes: Buffer, encoding: string | string[] | undefined): Promise<Buffer> {
  const known = String(encoding ?? '').toLowerCase();
  if ((known !== 'gzip' && known !== 'br') || bytes.length === 0) return bytes;
  try {
    return await inflate[known](bytes, { maxOutputLength: MAX_ANSWER_BYTES });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw error;
  }
}

function tooLarge(): ConnectionError {
  const message = `the answer is larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`;
  return new ConnectionError(message, { reason: 'ProtocolError', sent: 'perhaps' });
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
