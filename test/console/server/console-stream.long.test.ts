import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { inState } from '../../support/console/fleet-of-states.ts';
import { MemorySource } from '../../support/console/memory-source.ts';
import { ask, servedConsole } from '../../support/console/served-console.ts';

async function listening(port: number, cookie: string) {
  const headers = { cookie, host: `127.0.0.1:${port}` };
  const sent = request({ host: '127.0.0.1', port, path: '/api/stream', headers, agent: false });
  sent.on('error', () => undefined);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  onTestFinished(() => void sent.destroy());
  response.on('error', () => undefined);
  const heard: { event: string; id: number; data: { version: number } }[] = [];
  let rest = '';
  const take = (part: Buffer): void => {
    const blocks = `${rest}${part.toString()}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = new Map(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const event = lines.get('event');
      if (event !== undefined)
        heard.push({ event, id: Number(lines.get('id')), data: JSON.parse(lines.get('data') ?? '') });
    }
  };
  return { response, heard, read: () => response.on('data', take), end: () => sent.destroy() };
}

test('the version comes first, then a message after every change, at most four times a second', async () => {
  const { port, backend, signIn } = await servedConsole(new MemorySource([inState('calm', 'InSync')]));
  const { cookie } = await signIn();
  const { heard, read } = await listening(port, cookie);
  read();
  await expect.poll(() => heard.length).toBe(1);
  expect(heard[0]).toMatchObject({
    event: 'changed',
    id: backend.version,
    data: { version: backend.version },
  });
  const began = performance.now();
  for (let change = 0; change < 500; change += 1) {
    backend.changed();
    if (change % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await expect.poll(() => heard.at(-1)?.id).toBe(backend.version);
  expect(heard.length - 1).toBeLessThanOrEqual(Math.ceil((performance.now() - began) / 250) + 1);
});

test('a page that does not read keeps nothing, and hears of the newest when it reads again', async () => {
  const source = new MemorySource([]);
  source.fresh = { ...source.fresh, problems: ['x'.repeat(1_000_000)] };
  const { port, backend, signIn } = await servedConsole(source);
  const { cookie } = await signIn();
  const { heard, read } = await listening(port, cookie);
  for (let change = 0; change < 8; change += 1) {
    backend.changed();
    await new Promise((resolve) => setTimeout(resolve, 260));
  }
  read();
  await expect.poll(() => heard.at(-1)?.id).toBe(backend.version);
  expect(heard.length).toBeLessThan(8);
});

test('there are at most 16 streams, and one that ends makes room', async () => {
  const { port, signIn } = await servedConsole(new MemorySource([]));
  const { cookie } = await signIn();
  const streams = await Promise.all(Array.from({ length: 16 }, () => listening(port, cookie)));
  expect(await ask(port, '/api/stream', { headers: { cookie } })).toMatchObject({ status: 429 });
  streams[0]?.end();
  await expect.poll(async () => (await listening(port, cookie)).response.statusCode).toBe(200);
});
