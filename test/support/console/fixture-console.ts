import { createServer, type ServerResponse } from 'node:http';
import type { Freshness } from '../../../src/views/screens/overview.ts';
import type { Picture } from '../../../src/views/screens/picture.ts';
import { PAGE_FILES } from '../../../src/console/server/start-console-server.ts';
import { samplePicture, screensOf } from './fixture-screens.ts';

/** The answer for a path: a status and the body as JSON, or no answer. */
type Answer = readonly [status: number, body: unknown] | 'never';

/** A console with the real page, whose answers a test controls. */
export interface FixtureConsole {
  /** The address with the token, as the console prints it. */
  readonly address: string;
  /** Answers by path, or by method and path. A test may change them. */
  readonly answers: Map<string, (query: URLSearchParams, body: unknown) => Answer>;
  /** The bodies of POST requests, by path. */
  readonly posted: { readonly path: string; readonly body: unknown }[];
  /** Answers with another picture, and reports the change on every stream. */
  show(picture: Picture): void;
  /** Reports a change on every stream. */
  change(): void;
  /** Returns the number of open streams. */
  streams(): number;
  /** Ends every stream, and refuses new ones until `stop` is false again. */
  hang(stop: boolean): void;
  close(): Promise<void>;
}

const FRESH: Freshness = { asOf: new Date().toISOString(), missingRights: [], problems: [] };
const TOKEN = 'fixture-token';
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Starts a console on a free port. The caller closes it. */
export async function startFixtureConsole(): Promise<FixtureConsole> {
  const streams = new Set<ServerResponse>();
  const posted: { path: string; body: unknown }[] = [];
  const answers: FixtureConsole['answers'] = new Map([['/api/session', () => [200, { csrf: 'word' }]]]);
  const show = (picture: Picture): void => {
    for (const [path, screen] of Object.entries(screensOf(picture))) {
      answers.set(path, (query) => {
        const found = screen(query);
        return found === undefined ? [404, { error: 'There is no such resource.' }] : [200, found];
      });
    }
  };
  show(samplePicture());
  let version = 1;
  let hanging = false;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const file = PAGE_FILES.get(pathname);
    if (file !== undefined) {
      response.writeHead(200, { 'content-type': file.type, 'content-security-policy': CSP }).end(file.text);
      return;
    }
    if (hanging) return void response.destroy();
    if (pathname === '/api/stream' && !answers.has(pathname)) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 500\n\n');
      streams.add(response);
      response.once('close', () => streams.delete(response));
      return;
    }
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.once('end', () => {
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      if (body !== undefined) posted.push({ path: pathname, body });
      const answered = answers.get(pathname)?.(searchParams, body) ?? [404, { error: 'not here' }];
      if (answered === 'never') return;
      const [status, answer] = answered;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const change = (): void => {
    version += 1;
    for (const stream of streams)
      stream.write(
        `id: ${version}\nevent: changed\ndata: ${JSON.stringify({ version, freshness: FRESH })}\n\n`,
      );
  };
  return {
    address: `http://127.0.0.1:${port}/#token=${TOKEN}`,
    answers,
    posted,
    show(picture) {
      show(picture);
      change();
    },
    change,
    streams: () => streams.size,
    hang(stop) {
      hanging = stop;
      for (const stream of streams) stream.destroy();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
