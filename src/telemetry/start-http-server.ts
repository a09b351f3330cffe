import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExpectedError } from '../base/expected-error.ts';
import type { Clock } from '../ports/process/clock.ts';
import type { Health, HealthAnswer } from '../ports/process/health.ts';
import type { Logger } from '../ports/process/logger.ts';

/** How long pending answers may take when the server closes. */
const CLOSE_MS = 1_000;

/** A probe or a scrape sends a few hundred bytes at once. The limit keeps slow senders from occupying connections. */
const REQUEST_TIMEOUT_MS = 5_000;

/** The sources of the server's answers. */
export interface HttpServerParts {
  readonly metrics: { readonly contentType: string; expose(): Promise<string> };
  readonly health: Health;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A listening server. */
export interface ListeningServer {
  readonly host: string;
  readonly port: number;
  /** Accepts no new connections. Resolves when pending answers are sent, at the latest after a second. */
  close(): Promise<void>;
}

/**
 * Answers /metrics, /healthz and /readyz in plain text. Without a host it listens on every address. Port 0 selects a
 * free port. Rejects with an ExpectedError if it cannot listen.
 */
export async function startHttpServer(
  address: { readonly host: string | undefined; readonly port: number },
  parts: HttpServerParts,
): Promise<ListeningServer> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      answer(request, response, parts).catch((error: unknown) => {
        parts.logger.error('a request for metrics or health could not be answered', { error });
        response.destroy();
      });
    },
  );
  const listening = Promise.withResolvers<void>();
  server.once('error', (error) => listening.reject(cannotListen(error, address)));
  server.listen({ host: address.host, port: address.port }, listening.resolve);
  await listening.promise;
  const bound = server.address() as AddressInfo;
  return { host: bound.address, port: bound.port, close: () => close(server, parts.clock) };
}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'this user may not listen there',
  ENOTFOUND: 'there is no host of that name',
};

function cannotListen(
  error: NodeJS.ErrnoException,
  { host = '', port }: { readonly host: string | undefined; readonly port: number },
): ExpectedError {
  const { code = '' } = error;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new ExpectedError(
    `metrics and health cannot be served at ${address}: ${WHY[code] ?? code}; ` +
      'name another address with --metrics-address, or 0 for none',
    { cause: error },
  );
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  parts: HttpServerParts,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    send(response, 405, 'only GET and HEAD');
    return;
  }
  switch (request.url?.split('?')[0]) {
    case '/metrics': {
      const text = await parts.metrics.expose();
      response.setHeader('content-type', parts.metrics.contentType);
      send(response, 200, text);
      return;
    }
    case '/healthz':
      sendHealth(response, parts.health.healthy());
      return;
    case '/readyz':
      sendHealth(response, parts.health.ready());
      return;
    default:
      send(response, 404, 'try /metrics, /healthz or /readyz');
  }
}

function sendHealth(response: ServerResponse, health: HealthAnswer): void {
  send(response, health.ok ? 200 : 503, health.text);
}

function send(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.end(text.endsWith('\n') ? text : `${text}\n`);
}

async function close(server: Server, clock: Clock): Promise<void> {
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  const cancel = clock.after(CLOSE_MS, () => server.closeAllConnections());
  await closed.promise;
  cancel();
}
