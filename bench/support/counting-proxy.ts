import { connect, createServer, type Socket } from 'node:net';

/** Passes bytes on in both directions and counts who came. */
export interface CountingProxy {
  readonly port: number;
  /** Connections that were opened so far. */
  readonly opened: number;
  close(): void;
}

/** Listens on 127.0.0.1 in front of a port. */
export async function countingProxy(targetPort: number): Promise<CountingProxy> {
  const sockets = new Set<Socket>();
  let opened = 0;
  const server = createServer((incoming) => {
    opened += 1;
    const outgoing = connect(targetPort, '127.0.0.1');
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy()).once('close', () => sockets.delete(from));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get opened() {
      return opened;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
