import { describe, expect } from 'vitest';
import type { LoggedRequest } from '../../../src/simulator/api/request-log.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const MEMORY = 'source_config.resource_spec.memory_mb';
const LIVE = { sourceConfig: { resource_spec: { cpu: 1, memory_mb: 1024 } } };
const cpu = (cores: number) => ({ sourceConfig: { resourceSpec: { cpu: cores } } });
const EIGHT = Array.from({ length: 8 }, (_, n) => `agent-${n}`);
const PAUSE = { kind: 'status', status: 429, headers: { 'retry-after': '120' } } as const;

/** Records the memory in each PATCH, which other clients set, and the state of the service at that moment. */
function memoryOf({ body, found }: LoggedRequest): { readonly sent: unknown; readonly found: unknown } {
  const sent = body as { source_config: { resource_spec: { memory_mb: number } } };
  const spec = found?.sourceConfig['resource_spec'] as { memory_mb: number } | undefined;
  return { sent: sent.source_config.resource_spec.memory_mb, found: spec?.memory_mb };
}

/** Brings deployments in sync. No spec manages their memory. */
async function inSync(w: World, names: readonly string[]): Promise<void> {
  for (const name of names) w.apply({ deploymentRef: { name }, ...cpu(1) }, name);
  await w.pass(400);
  for (const name of names) expect(w.state(name)).toBe('True/InSync True/Active');
  expect(w.patches()).toEqual([]);
}

function editAll(w: World, names: readonly string[]): void {
  for (const name of names) w.apply({ deploymentRef: { name }, ...cpu(2) }, name);
}

describe('A2: a body with values of other clients', () => {
  scenario(
    'is planned again after a pause that the service asked for',
    {
      deployments: ['a', 'b'].map((name) => ({ name, ...LIVE })),
      connection: { rateLimit: { requestsPerSecond: 1, burst: 1, concurrency: 4 } },
    },
    async (w) => {
      await inSync(w, ['a', 'b']);
      w.fault(PAUSE);
      editAll(w, ['a', 'b']);
      await w.pass(60);
      expect(w.patches().map(({ status }) => status)).toEqual([429]);
      for (const name of ['a', 'b']) w.editAtService(MEMORY, 4096, name);
      await w.pass(120);
      const sent = w.patches().slice(1).map(memoryOf);
      expect(sent).toEqual([
        { sent: 4096, found: 4096 },
        { sent: 4096, found: 4096 },
      ]);
      for (const name of ['a', 'b']) expect(w.state(name)).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is preceded by a new read if permits are rare, once for each write',
    {
      deployments: EIGHT.map((name) => ({ name, ...LIVE })),
      semantics: { rollout: { kind: 'after', seconds: 0 } },
      connection: { rateLimit: { requestsPerSecond: 0.2, burst: 1, concurrency: 4 } },
    },
    async (w) => {
      await inSync(w, EIGHT);
      const [reads, startMs] = [w.service.log.count('list'), w.clock.now()];
      editAll(w, EIGHT);
      // Another client sets a new value every second, so each body shows the age of its read.
      for (let second = 1; w.patches().length < EIGHT.length; second += 1) {
        expect(second, 'it comes to an end').toBeLessThan(140);
        for (const name of EIGHT) w.editAtService(MEMORY, 2000 + second, name);
        await w.pass(1);
      }
      await w.pass(1);
      const calls = w.service.log.count('list') - reads;
      expect(calls, 'one look for each write, and the sweeps of two minutes').toBeLessThanOrEqual(8 + 3);
      const ages = w
        .patches()
        .map(memoryOf)
        .map(({ sent, found }) => Number(found) - Number(sent));
      expect(Math.max(...ages), 'seconds from the look to the write').toBeLessThanOrEqual(5);
      expect(w.clock.now() - startMs).toBeLessThanOrEqual(140_000);
    },
  );

  scenario(
    'is sent at a rate so low that every read is old when its permit arrives',
    {
      deployments: ['a', 'b'].map((name) => ({ name, ...LIVE })),
      connection: { rateLimit: { requestsPerSecond: 0.1, burst: 1, concurrency: 4 } },
    },
    async (w) => {
      await w.pass(200);
      editAll(w, ['a', 'b']);
      await w.pass(600);
      expect(w.patches().map(({ status }) => status)).toEqual([200, 200]);
    },
  );

  scenario(
    'is sent to a service with slow reads',
    { deployments: [{ name: AGENT, ...LIVE }], semantics: { latencyMs: 12_000 } },
    async (w) => {
      w.apply(cpu(1));
      await w.pass(120);
      w.apply(cpu(2));
      await w.pass(120);
      expect(w.patches().map(({ status }) => status)).toEqual([200]);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );
});

describe('A2: a plan made under settings that have changed', () => {
  const TWO = ['a', 'b'].map((name) => ({
    name,
    revisionConfig: { image_uri: 'registry.example.com/agent:1' },
  }));
  const image = (name: string, tag: number) => ({
    deploymentRef: { name },
    sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
  });

  /** Edits both resources, which wait for the only permit of a minute. `a` has it. */
  async function oneWaits(w: World): Promise<void> {
    for (const name of ['a', 'b']) w.apply(image(name, 1), name);
    await w.pass(60);
    for (const name of ['a', 'b']) expect(w.state(name)).toBe('True/InSync True/Active');
    w.connectCluster({
      namespaceSelector: {},
      rateLimit: { requestsPerSecond: 0.25, burst: 1, concurrency: 4 },
    });
    await w.pass(8);
    for (const name of ['a', 'b']) w.apply(image(name, 2), name);
    await w.pass(0.1);
  }

  const given = { deployments: TWO, started: false };

  function started(w: World): void {
    w.disconnect();
    w.connectCluster({ namespaceSelector: {} });
    w.start();
  }

  scenario('is not sent to a name that the connection no longer allows', given, async (w) => {
    started(w);
    await oneWaits(w);
    w.connectCluster({
      namespaceSelector: {},
      allowedNames: ['other-*'],
      rateLimit: { requestsPerSecond: 0.25, burst: 1, concurrency: 4 },
    });
    const before = w.patches().length;
    await w.pass(60);
    expect(w.patches().slice(before)).toEqual([]);
    for (const name of ['a', 'b']) expect(w.condition('Synced', name)).toBe('False/NameNotAllowed');
  });

  scenario('is not sent for a namespace that the connection no longer selects', given, async (w) => {
    started(w);
    await oneWaits(w);
    w.connectCluster({
      namespaceSelector: { matchLabels: { team: 'another' } },
      rateLimit: { requestsPerSecond: 0.25, burst: 1, concurrency: 4 },
    });
    const before = w.patches().length;
    await w.pass(1000);
    expect(w.patches().slice(before)).toEqual([]);
  });
});
