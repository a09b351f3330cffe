import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import type { World } from '../support/world.ts';

const NAMES = Array.from({ length: 20 }, (_, n) => `agent-${n}`);
const GIVEN = {
  deployments: NAMES.map((name) => ({ name, revisionConfig: { image_uri: 'registry.example.com/agent:1' } })),
};
const SPEC = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };

async function rest(w: World): Promise<void> {
  for (const name of NAMES) w.apply(SPEC, name);
  await w.pass(120);
  for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
}

/** Makes the service answer the next list with 429 and ask for a pause of this many seconds. */
function throttle(w: World, seconds: number): void {
  const headers = { 'Retry-After': String(seconds) };
  w.fault({ kind: 'status', status: 429, headers }, { match: { operation: 'list' } });
}

describe('a pause that the service asks for (R16)', () => {
  scenario('and that ends within a poll interval is reported on the connection only', GIVEN, async (w) => {
    await rest(w);
    const before = w.statusWrites.length;
    throttle(w, 5);
    let shown = false;
    for (let seconds = 0; seconds < 200; seconds += 1) {
      await w.pass(1);
      shown ||= w.connectionState() === 'False/RateLimited';
    }
    expect(shown).toBe(true);
    expect(w.connectionState()).toBe('True/Ok');
    expect(w.statusWrites.length - before).toBe(0);
  });

  scenario('is reported at once on a resource that is edited meanwhile', GIVEN, async (w) => {
    await rest(w);
    throttle(w, 40);
    while (w.connectionState() !== 'False/RateLimited') await w.pass(1);
    w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } }, 'agent-3');
    await w.pass(1);
    expect(w.state('agent-3')).toContain('ConnectionNotReady');
    expect(w.state('agent-4')).toBe('True/InSync True/Active');
    await w.pass(120);
    expect(w.state('agent-3')).toBe('True/InSync True/Active');
  });

  for (const intervalSeconds of [60, 15])
    scenario(
      `and that exceeds the poll interval of ${intervalSeconds} s is reported on every resource`,
      { ...GIVEN, connection: { poll: { intervalSeconds } } },
      async (w) => {
        await rest(w);
        throttle(w, 150);
        while (w.connectionState() !== 'False/RateLimited') await w.pass(1);
        await w.pass(intervalSeconds - 3);
        for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
        await w.pass(6);
        for (const name of NAMES) expect(w.state(name)).toContain('ConnectionNotReady');
        await w.pass(300);
        for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
      },
    );
});

/** A list of several pages with few bound deployments. */
const LONG_LIST = {
  deployments: Array.from({ length: 450 }, (_, n) => ({
    name: `agent-${n}`,
    revisionConfig: { image_uri: 'registry.example.com/agent:1' },
  })),
};

describe('a pause while a list of several pages is read', () => {
  scenario(
    'keeps the connection RateLimited until the next page arrives, during the first list',
    { ...LONG_LIST, started: false },
    async (w) => {
      for (const name of NAMES.slice(0, 5)) w.apply(SPEC, name);
      for (let nth = 2; nth < 14; nth += 1)
        w.fault(
          { kind: 'status', status: 429, headers: { 'Retry-After': '3' } },
          { match: { operation: 'list', nth } },
        );
      w.start();
      const refused = () => w.service.log.requests('list').filter(({ status }) => status === 429).length;
      while (refused() < 12) {
        await w.pass(0.1);
        if (refused() > 1) expect(w.connectionState()).toBe('False/RateLimited');
      }
      await w.pass(30);
      expect(w.connectionState()).toBe('True/Ok');
    },
  );

  scenario('ends a check that waits for the next page', LONG_LIST, async (w) => {
    for (const name of NAMES) w.apply(SPEC, name);
    await w.pass(200);
    w.become({ latencyMs: 3_000 });
    const lists = () => w.service.log.requests('list').length;
    for (const before = lists(); lists() === before;) await w.pass(0.1);
    // First a write that makes the connection not ready, then a page with a pause.
    const location = 'https://elsewhere.example.com';
    w.fault({ kind: 'status', status: 302, headers: { location } }, { match: { operation: 'patch' } });
    w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } }, NAMES[0]);
    while (w.service.log.requests('patch').length === 0) await w.pass(0.1);
    throttle(w, 40);
    await w.pass(10);
    expect(w.connectionState()).toBe('False/RateLimited');
    await w.pass(120);
    expect(w.state(NAMES[0])).toBe('True/InSync True/Active');
  });
});
