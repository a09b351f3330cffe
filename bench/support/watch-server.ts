/**
 * A process that answers lists and watches of Deployment resources over TLS as fast as they are read. An API server
 * cannot write fast enough to show what a reflector can follow.
 */
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TEST_CERTIFICATE, TEST_KEY } from '../../test/service/support/test-certificate.ts';
import { sampleObject } from './sample-objects.ts';

const [objects = 0, events = 0] = process.argv.slice(2).map(Number);
/** Written at once, as an API server under load does. */
const LINES_AT_ONCE = 16;

const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (incoming, outgoing) => {
  const { searchParams } = new URL(incoming.url ?? '/', 'https://127.0.0.1');
  if (searchParams.get('watch') === 'true') void watch(incoming, outgoing);
  else list(searchParams, outgoing);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit());

function list(asked: URLSearchParams, outgoing: ServerResponse): void {
  const from = Number(asked.get('continue') ?? 0);
  const next = Math.min(objects, from + Number(asked.get('limit') ?? objects));
  const items = Array.from({ length: next - from }, (_, at) => sampleObject(from + at, from + at + 1));
  const metadata = {
    resourceVersion: String(objects),
    ...(next < objects ? { continue: String(next) } : {}),
  };
  outgoing.setHeader('content-type', 'application/json').end(JSON.stringify({ metadata, items }));
}

/** Every object changes in turn; when all has been told, the watch stays open and says nothing. */
async function watch(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  outgoing.setHeader('content-type', 'application/json').flushHeaders();
  for (let sent = 0; sent < events && !incoming.destroyed; sent += LINES_AT_ONCE) {
    const lines = Array.from({ length: Math.min(LINES_AT_ONCE, events - sent) }, (_, at) => {
      const number = sent + at;
      const object = sampleObject(number % objects, objects + 1 + number);
      return `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
    });
    if (!outgoing.write(lines.join(''))) await new Promise((resolve) => outgoing.once('drain', resolve));
  }
}
