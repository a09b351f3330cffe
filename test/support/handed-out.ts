import { randomBytes } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';

/** An object that the process of a run creates for the test files, which run in separate processes. */
export interface HandedOut {
  /**
   * The address for `askedFor`. Answers may contain credentials, so only a process that knows the address gets them.
   */
  readonly address: string;
  close(): void;
}

/** Serves the result of `make` as JSON to every caller. */
export async function handOut(make: () => Promise<unknown>): Promise<HandedOut> {
  const path = `/${randomBytes(16).toString('hex')}`;
  const server = createServer((incoming, response) => {
    if (incoming.url !== path) return void response.writeHead(404).end();
    make().then(
      (made) => response.writeHead(200).end(JSON.stringify(made)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  const port = await listen(server);
  server.unref();
  return { address: `http://127.0.0.1:${port}${path}`, close: () => void server.close() };
}

/** Returns the object that another process serves at an address. Rejects with the reason if it could not be created. */
export function askedFor<T>(address: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const outgoing = request(address, { agent: false });
    outgoing.once('error', reject).once('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      incoming.once('end', () => {
        if (incoming.statusCode === 200) resolve(JSON.parse(text) as T);
        else reject(new Error(text));
      });
    });
    outgoing.end();
  });
}

function listen(listening: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    listening.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = listening.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
    });
  });
}
