import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTLSServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * The reaction of a proxy to a CONNECT: it opens the tunnel, or one to this HOST:PORT, writes only this text, stays
 * silent, or closes the connection.
 */
export type ConnectAnswer =
  'tunnel' | { readonly to: string } | { readonly text: string } | 'silence' | 'hang up';

/** A received CONNECT. */
export interface SeenConnect {
  /** HOST:PORT. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** A proxy on 127.0.0.1 that a test controls, for faults that no real proxy shows on demand. */
export interface ConnectProxy {
  readonly url: string;
  readonly seen: readonly SeenConnect[];
  /** Requests with another method. */
  readonly others: readonly string[];
  /** The number of connections so far. */
  readonly connections: number;
  stop(): Promise<void>;
}

/** Starts a proxy that calls `answer` for each CONNECT. It uses TLS if a certificate is given. */
export async function startConnectProxy(
  answer: (asked: SeenConnect) => ConnectAnswer,
  certificate?: { readonly cert: string; readonly key: string },
): Promise<ConnectProxy> {
  const seen: SeenConnect[] = [];
  const others: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = certificate === undefined ? createServer() : createTLSServer(certificate);
  server.on('request', (request, response) => {
    others.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    keep(socket);
  });
  server.on('connect', (request, socket) => {
    socket.on('error', () => undefined);
    const asked = { target: request.url ?? '', headers: request.headers };
    seen.push(asked);
    const what = answer(asked);
    if (what === 'hang up') socket.destroy();
    else if (what === 'tunnel') openTunnel(asked.target, socket);
    else if (what === 'silence') return;
    else if ('to' in what) openTunnel(what.to, socket);
    else socket.end(what.text);
  });
  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  }
  function openTunnel(target: string, socket: Duplex): void {
    const { hostname, port } = new URL(`http://${target}`);
    const onward = connect(Number(port) || 80, hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    keep(onward);
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    seen,
    others,
    get connections() {
      return connections;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
