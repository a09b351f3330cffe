import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { onTestFinished } from 'vitest';
import { type BackendParts, SourceBackend } from '../../../src/compose/console/source-backend.ts';
import { startConsoleServer } from '../../../src/console/server/start-console-server.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { MemoryLogger } from '../doubles/memory-logger.ts';
import type { MemorySource } from './memory-source.ts';

/** An answer of a console. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test knows what it asked for
  readonly json: any;
}

/** One request, without the headers that a browser adds. */
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  readonly host?: string;
}

/** Sends one request to a port of this machine. */
export function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body, host }: Asking = {},
): Promise<Answer> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        host: host ?? '127.0.0.1',
        port,
        path,
        method,
        agent: false,
        headers: { host: `127.0.0.1:${port}`, ...headers },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const whole = Buffer.concat(parts).toString();
          const isJson = response.headers['content-type']?.startsWith('application/json') === true;
          const json: unknown = isJson ? JSON.parse(whole) : undefined;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: whole, json });
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

/** A session, as the page has it. */
export interface Signed {
  readonly cookie: string;
  readonly csrf: string;
  get(path: string): Promise<Answer>;
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** Begins a session with the token in an address. */
export async function signIn(url: string): Promise<Signed> {
  const { port, hash } = new URL(url);
  const [number, origin] = [Number(port), `http://127.0.0.1:${port}`];
  const common = { origin, 'content-type': 'application/json' };
  const body = { token: hash.replace('#token=', '') };
  const begun = await ask(number, '/api/session', { method: 'POST', headers: common, body });
  if (begun.status !== 200) throw new Error(`no session: ${begun.text}`);
  const cookie = begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const { csrf } = begun.json as { readonly csrf: string };
  return {
    ...{ cookie, csrf },
    get: (path) => ask(number, path, { headers: { cookie } }),
    post: (path, sent, headers = {}) =>
      ask(number, path, {
        method: 'POST',
        headers: { ...common, cookie, 'x-csrf-token': csrf, ...headers },
        body: sent,
      }),
  };
}

/** Serves a console over a source of the test. It ends with the test. */
export async function servedConsole(
  source: MemorySource,
  how: Partial<BackendParts> & { readonly port?: number } = {},
) {
  const { port: wanted = 0, allowActions = false } = how;
  const logger = new MemoryLogger();
  const yaml = (value: unknown): string => JSON.stringify(value);
  const backend = new SourceBackend({
    clock: systemClock,
    allowActions,
    yaml,
    plan: async () => undefined,
    ...how,
  });
  backend.show(source);
  const server = await startConsoleServer({
    port: wanted,
    allowActions,
    backend,
    clock: systemClock,
    logger,
  });
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => (ended ??= server.close());
  onTestFinished(end);
  return { ...server, backend, logger, end, signIn: () => signIn(server.url) };
}
