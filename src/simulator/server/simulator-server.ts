import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { control, CONTROL_PREFIX } from './control.ts';
import { htmlAnswer, jsonAnswer, type SimulatedAnswer, type SimulatedRequest } from '../api/exchange.ts';
import type { SimulatedService } from './simulated-service.ts';

/** Options for serving a simulated service. */
export interface SimulatorServerOptions {
  readonly service: SimulatedService;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, which is any free port. */
  readonly port?: number;
  /** The prefix of every path of the service, such as `/api/deploy`; the control endpoint has none. */
  readonly basePath?: string;
}

/** A simulated service that listens on a port. */
export interface SimulatorServer {
  /** Scheme, host, port and base path: the base address of the service. */
  readonly url: string;
  /** The address of the control endpoint, with a slash at the end. */
  readonly controlURL: string;
  /** Stops listening and cuts every connection, hanging ones included. */
  close(): Promise<void>;
}

/** The largest request body that the server reads; it answers larger ones with 413. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Serves a simulated service over HTTP; resolves when it listens. Faults affect the real connection. */
export async function serveSimulator(options: SimulatorServerOptions): Promise<SimulatorServer> {
  const basePath = (options.basePath ?? '').replace(/(?<!\/)\/+$/, '');
  const known = new WeakSet<Socket>();
  const server = createServer((incoming, outgoing) => {
    noteConnection(options.service, incoming, known);
    answer(incoming, outgoing, { service: options.service, basePath }).catch((error: unknown) => {
      // Either the client ended its connection during the request, or the simulator has a bug, which the answer
      // reports.
      if (incoming.destroyed || outgoing.headersSent) outgoing.destroy();
      else deliver(outgoing, jsonAnswer(500, { detail: `the simulator failed: ${String(error)}` }));
    });
  });
  server.keepAliveTimeout = 60_000;
  const origin = await listen(server, options.host ?? '127.0.0.1', options.port ?? 0);
  return {
    url: `${origin}${basePath}`,
    controlURL: `${origin}${CONTROL_PREFIX}`,
    close: () => close(server),
  };
}

/**
 * Counts a connection once it carries a request to the service; a client of the control endpoint alone does not count.
 */
function noteConnection(
  { log }: SimulatedService,
  { socket, url = '' }: IncomingMessage,
  known: WeakSet<Socket>,
): void {
  if (known.has(socket) || url.startsWith(CONTROL_PREFIX)) return;
  known.add(socket);
  socket.once('close', log.connected());
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { service, basePath }: { readonly service: SimulatedService; readonly basePath: string },
): Promise<void> {
  const body = await bodyOf(incoming);
  if (body === undefined) return deliver(outgoing, jsonAnswer(413, { detail: 'Request body too large' }));
  const request = requestOf(incoming, body);
  if (request.path.startsWith(CONTROL_PREFIX)) return deliver(outgoing, control(service, request));
  if (!request.path.startsWith(`${basePath}/`)) return deliver(outgoing, htmlAnswer(404, 'Not Found'));
  const answered = await service.handle({ ...request, path: request.path.slice(basePath.length) });
  deliver(outgoing, answered);
}

function requestOf(incoming: IncomingMessage, body: string): SimulatedRequest {
  const [path = '/', query = ''] = (incoming.url ?? '/').split('?', 2);
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body,
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function deliver(outgoing: ServerResponse, answered: SimulatedAnswer): void {
  const body = Buffer.from(answered.body, 'utf8');
  const half = body.subarray(0, Math.floor(body.length / 2));
  switch (answered.delivery) {
    case 'hang':
      return;
    case 'reset':
      outgoing.socket?.resetAndDestroy();
      return;
    case 'reset-mid-body':
      outgoing.writeHead(answered.status, { ...answered.headers, 'content-length': body.length });
      outgoing.write(half, () => outgoing.socket?.resetAndDestroy());
      return;
    case 'truncated':
      // The answer has no length and no chunks: the end of the connection is the end of the body, wherever that is.
      outgoing.useChunkedEncodingByDefault = false;
      outgoing.writeHead(answered.status, { ...answered.headers, connection: 'close' });
      outgoing.end(half);
      return;
    case 'whole':
      outgoing.writeHead(answered.status, {
        ...answered.headers,
        ...(answered.status === 204 ? {} : { 'content-length': body.length }),
      });
      outgoing.end(body);
  }
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      const actual = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
