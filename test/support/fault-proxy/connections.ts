import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { ConnectionFault } from './fault.ts';
import type { ProxyLog } from './proxy-log.ts';

/** A connection of a client, which can be broken whatever it carries. */
export interface Connection {
  readonly number: number;
  /** Sends the bytes written so far, and then a reset. */
  resetAtEnd(): void;
  /** Drops every further byte in both directions, and keeps the connection open. */
  silence(): void;
}

interface Relayed extends Connection {
  readonly front: Socket;
  readonly back: Socket;
}

/**
 * Passes bytes between clients and a TLS server on this machine, so that a connection can be reset or fall silent below
 * TLS, as in a network.
 */
export class Connections {
  readonly #log: ProxyLog;
  readonly #server: Server;
  readonly #backPort: number;
  /** Connections by their port to the server. */
  readonly #byPort = new Map<number, Relayed>();
  readonly #sockets = new Set<Socket>();
  /** The faults of new connections, in turn. */
  readonly planned: ConnectionFault[] = [];

  constructor(backPort: number, log: ProxyLog) {
    this.#log = log;
    this.#backPort = backPort;
    this.#server = createServer((front) => this.#accept(front));
  }

  /** Starts to listen and returns the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Returns the connection behind a socket of the TLS server. */
  behind(socket: { readonly remotePort?: number | undefined }): Connection | undefined {
    return this.#byPort.get(socket.remotePort ?? 0);
  }

  get open(): readonly Connection[] {
    return [...this.#byPort.values()];
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(front: Socket): void {
    const number = this.#log.connected();
    this.#keep(front);
    front.once('close', () => this.#log.disconnected(number));
    const fault = this.planned.shift();
    if (fault === undefined) return this.#relay(front, number);
    this.#log.struck(Date.now(), fault);
    if (fault.kind === 'connection-reset') front.resetAndDestroy();
    else front.resume();
  }

  #relay(front: Socket, number: number): void {
    const back = connect(this.#backPort, '127.0.0.1');
    this.#keep(back);
    let [reset, silent] = [false, false];
    const relayed: Relayed = {
      number,
      front,
      back,
      resetAtEnd: () => (reset = true),
      silence: () => (silent = true),
    };
    back.once('connect', () => {
      const port = back.localPort ?? 0;
      this.#byPort.set(port, relayed);
      back.once('close', () => this.#byPort.delete(port));
      front.on('data', (bytes) => silent || back.write(bytes));
    });
    back.on('data', (bytes) => silent || front.write(bytes));
    back.once('close', () => {
      if (silent) return;
      if (reset) front.write('', () => front.resetAndDestroy());
      else front.end();
    });
    front.once('close', () => back.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    // Resets on either side are expected; `close` follows.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
