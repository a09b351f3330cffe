import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A received request with its body. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query as on the wire. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** The answer of a scripted server. A function writes the answer itself, or never. */
export type Reply =
  | { readonly status: number; readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse, request: SeenRequest) => void);

/** A server on 127.0.0.1 that a test controls, for faults that no real server shows on demand. */
export interface ScriptedHttpServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** The number of connections so far. */
  readonly connections: number;
  /** The number of open connections. */
  readonly open: number;
  stop(): Promise<void>;
}

/** Starts a server that calls `reply` for each answer, with the number of the request from 0. */
export async function startScriptedHttpServer(
  reply: (request: SeenRequest, number: number) => Reply,
): Promise<ScriptedHttpServer> {
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((incoming, response) => {
    void textOf(incoming).then((body) => {
      const request = {
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        headers: incoming.headers,
        body,
      };
      const answer = reply(request, seen.push(request) - 1);
      if (typeof answer === 'function') answer(response, request);
      else {
        response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
        response.end(answer.json === undefined ? undefined : JSON.stringify(answer.json));
      }
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  incoming.setEncoding('utf8');
  for await (const part of incoming) text += String(part);
  return text;
}
