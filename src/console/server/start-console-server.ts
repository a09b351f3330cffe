import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExpectedError } from '../../base/expected-error.ts';
import { FailureError } from '../../model/connection/failure.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { ConsoleBackend } from './console-backend.ts';
import { EventStreams } from './event-streams.ts';
import { Refusal } from './refusal.ts';
import { answerApi, type RouteParts } from './routes.ts';
import { sendJson, sendText, setCommonHeaders } from './send.ts';
import { Session } from './session.ts';
import { PAGE } from '../generated/page.ts';

/** The parts of a console server, and its port. */
export interface ConsoleServerOptions {
  /** The port; 0 means any free port. */
  readonly port: number;
  readonly allowActions: boolean;
  readonly backend: ConsoleBackend;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A running console server. */
export interface ConsoleServer {
  readonly port: number;
  /** The address to open, with the one-time token. */
  readonly url: string;
  /** Ends open streams and answers, and closes the port. */
  close(): Promise<void>;
}

/** The time limit for receiving a request. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The most connections; a browser opens fewer. */
const MOST_CONNECTIONS = 64;

/**
 * Serves the console at 127.0.0.1 and, if this machine has it, at [::1]. Throws an ExpectedError if it cannot listen.
 */
export async function startConsoleServer(options: ConsoleServerOptions): Promise<ConsoleServer> {
  const answering: { parts?: RouteParts & { readonly port: number } } = {};
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const { parts } = answering;
    if (parts === undefined) response.destroy();
    else answer(request, response, parts).catch((error: unknown) => fail(response, error, options.logger));
  };
  const { port, servers } = await listenOnBoth(options.port, listener);
  const { backend, clock, allowActions } = options;
  const streams = new EventStreams(backend, clock);
  const session = new Session(port);
  answering.parts = { port, backend, session, streams, allowActions };
  return {
    port,
    url: `http://127.0.0.1:${port}/#token=${session.token ?? ''}`,
    close: async () => {
      streams.close();
      await Promise.all(servers.map(closed));
    },
  };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Listens on the same port of both loopback addresses, so that no other user of this machine can answer for the name
 * localhost.
 */
async function listenOnBoth(
  wanted: number,
  listener: Listener,
): Promise<{ readonly port: number; readonly servers: readonly Server[] }> {
  const first = await listening('127.0.0.1', wanted, listener);
  const { port } = first.address() as AddressInfo;
  try {
    return { port, servers: [first, await listening('::1', port, listener)] };
  } catch (error) {
    if (hasCode(error, 'EADDRNOTAVAIL', 'EAFNOSUPPORT')) return { port, servers: [first] };
    await closed(first);
    throw hasCode(error, 'EADDRINUSE') ? inUse(port, error) : error;
  }
}

async function listening(host: string, port: number, listener: Listener): Promise<Server> {
  const limits = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS };
  const server = createServer(limits, listener);
  server.maxConnections = MOST_CONNECTIONS;
  const ready = Promise.withResolvers<void>();
  server.once('error', ready.reject);
  server.listen({ host, port, ipv6Only: true }, ready.resolve);
  try {
    await ready.promise;
    return server;
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE') && host === '127.0.0.1') throw inUse(port, error);
    if (hasCode(error, 'EACCES'))
      throw new ExpectedError(`this user may not listen on port ${port}; give a --port above 1023`, {
        cause: error,
      });
    throw error;
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

function inUse(port: number, cause: unknown): ExpectedError {
  return new ExpectedError(`port ${port} is in use; give another --port, or leave it out for a free one`, {
    cause,
  });
}

async function closed(server: Server): Promise<void> {
  const done = Promise.withResolvers<void>();
  server.close(() => done.resolve());
  server.closeAllConnections();
  await done.promise;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  parts: RouteParts & { readonly port: number },
): Promise<void> {
  setCommonHeaders(response);
  checkOrigin(request, parts.port);
  const { url = '', method } = request;
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  if (path.startsWith('/api/')) {
    const left = new AbortController();
    response.once('close', () => left.abort(new Error('nobody waits for the answer')));
    const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
    return answerApi(path, { request, response, query, signal: left.signal }, parts);
  }
  const file = PAGE_FILES.get(path);
  if (file === undefined) throw new Refusal(404, 'there is no such page');
  if (method !== 'GET') throw new Refusal(405, 'this path takes another method');
  sendText(response, file);
}

/** Answers with the text of an expected error, and logs any other error. */
function fail(response: ServerResponse, error: unknown, logger: Logger): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  // The unread rest of a body must not be parsed as the next request.
  response.setHeader('Connection', 'close');
  if (error instanceof Refusal) sendJson(response, error.status, { error: error.message, ...error.beside });
  else if (error instanceof ExpectedError || error instanceof FailureError)
    sendJson(response, 502, { error: error.message });
  else {
    logger.error('a request of the page could not be answered', { error });
    sendJson(response, 500, { error: 'the console failed; its own output says more' });
  }
}

/**
 * Refuses requests that a foreign page could make a browser send: requests for a foreign name that resolves to this
 * address (DNS rebinding), and requests that come from another page. Every POST must name its origin, as browsers do.
 */
function checkOrigin({ headers, method }: IncomingMessage, port: number): void {
  const hosts = [`127.0.0.1:${port}`, `[::1]:${port}`, `localhost:${port}`];
  const { host = '', origin } = headers;
  if (!hosts.includes(host)) {
    throw new Refusal(403, `this console answers at ${hosts.join(', ')} and under no other name`);
  }
  const isOurs = origin === `http://${host}`;
  if (origin !== undefined ? !isOurs : method !== 'GET')
    throw new Refusal(403, 'this request does not begin on the page of this console');
  // If the browser sends this header, it is reliable. It says `none` when a person opens the address.
  const site = headers['sec-fetch-site'];
  const isApi = method !== 'GET' || headers['sec-fetch-mode'] !== 'navigate';
  if (isApi && site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new Refusal(403, 'this request does not begin on the page of this console');
}

/** A file of the page. */
interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** The files of the page by path; they show no data, and need no session. */
export const PAGE_FILES: ReadonlyMap<string, PageFile> = new Map([
  ['/', { type: 'text/html; charset=utf-8', text: PAGE.html }],
  ['/app.js', { type: 'text/javascript; charset=utf-8', text: PAGE.js }],
  ['/app.css', { type: 'text/css; charset=utf-8', text: PAGE.css }],
]);
