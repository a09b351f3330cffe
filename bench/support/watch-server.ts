/**
 * A process that answers lists, as streams, and watches of Deployment resources over TLS as fast as a client reads.
 * An API server cannot write fast enough to show the limit of a reflector.
 */
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TEST_CERTIFICATE, TEST_KEY } from '../../test/service/support/test-certificate.ts';
import { sampleObject } from './sample-objects.ts';

const [objects = 0, events = 0] = process.argv.slice(2).map(Number);
/** Written at once, as an API server under load does. */
const LINES_AT_ONCE = 16;

const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (incoming, outgoing) => {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'https://127.0.0.1');
  const count = pathname.endsWith('/deployments') ? objects : 0;
  if (!searchParams.has('watch'))
    outgoing.end(JSON.stringify({ items: [], metadata: { resourceVersion: '1' } }));
  else if (searchParams.get('sendInitialEvents') === 'true') void list(count, incoming, outgoing);
  else void watch(count === 0 ? 0 : events, incoming, outgoing);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit());

/** So many objects, and the bookmark that ends a list. */
async function list(count: number, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  await write(count, incoming, outgoing, (at) => ({ type: 'ADDED', object: sampleObject(at, at + 1) }));
  const metadata = {
    resourceVersion: String(objects + 1),
    annotations: { 'k8s.io/initial-events-end': 'true' },
  };
  outgoing.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`);
}

/** Changes every object in turn; after the last one, the watch stays open and sends nothing. */
async function watch(count: number, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  await write(count, incoming, outgoing, (at) => ({
    type: 'MODIFIED',
    object: sampleObject(at % objects, objects + 1 + at),
  }));
}

async function write(
  count: number,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  line: (at: number) => object,
): Promise<void> {
  outgoing.setHeader('content-type', 'application/json').flushHeaders();
  for (let sent = 0; sent < count && !incoming.destroyed; sent += LINES_AT_ONCE) {
    const length = Math.min(LINES_AT_ONCE, count - sent);
    const lines = Array.from({ length }, (_, at) => `${JSON.stringify(line(sent + at))}\n`);
    if (!outgoing.write(lines.join(''))) await new Promise((resolve) => outgoing.once('drain', resolve));
  }
}
