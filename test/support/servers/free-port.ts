import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The ports from which free ones are picked. Linux and macOS give none of them to a server that asks for any port, nor
 * to an outgoing connection, so another test takes a picked port only if it picks the same one.
 */
const FIRST_PORT = 10_000;
const END_PORT = 32_000;

/** Returns a port on 127.0.0.1 on which no server listens at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, END_PORT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
