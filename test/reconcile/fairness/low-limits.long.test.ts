import { isDeepStrictEqual } from 'node:util';
import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import type { World } from '../support/world.ts';

/** A service whose own limit is lower than that of the connection, 5 calls a second and 10 at once. */
interface LowLimit {
  readonly requests: number;
  readonly seconds: number;
  /** The Retry-After of a 429; 0: the rest of the window. */
  readonly retryAfterSeconds: number;
  readonly resources: number;
  /** The maximum number of PATCHes that the service refuses, and of writes and events of the whole story, setting up included. */
  readonly most: { readonly refused: number; readonly writes: number; readonly events: number };
}

const LIMITS: readonly LowLimit[] = [
  {
    ...{ requests: 1, seconds: 1, retryAfterSeconds: 0, resources: 1 },
    most: { refused: 1, writes: 10, events: 15 },
  },
  {
    ...{ requests: 1, seconds: 1, retryAfterSeconds: 10, resources: 1 },
    most: { refused: 1, writes: 10, events: 15 },
  },
  {
    ...{ requests: 2, seconds: 1, retryAfterSeconds: 10, resources: 3 },
    most: { refused: 2, writes: 20, events: 20 },
  },
  {
    ...{ requests: 2, seconds: 10, retryAfterSeconds: 0, resources: 5 },
    most: { refused: 6, writes: 90, events: 60 },
  },
  {
    ...{ requests: 3, seconds: 10, retryAfterSeconds: 60, resources: 10 },
    most: { refused: 10, writes: 150, events: 60 },
  },
];

/** This block is sent whole, so each write needs a read from the last few seconds, and both need a permit. */
const edit = (cpu: number) => ({ sourceConfig: { resourceSpec: { cpu } } });

function given(resources: number) {
  const deployments = Array.from({ length: resources }, (_, n) => ({
    name: `agent-${n}`,
    sourceConfig: { resource_spec: { cpu: 1, memory_mb: 1024 } },
  }));
  const connection = { rateLimit: { requestsPerSecond: 5, burst: 10, concurrency: 4 } };
  return { deployments, semantics: { latencyMs: 100 }, connection };
}

/** Returns how many of the deployments have this number of processors at the service. */
function arrived(w: World, names: readonly string[], cpu: number): number {
  const spec = { cpu, memory_mb: 1024 };
  return names.filter((name) => isDeepStrictEqual(w.kept(name).content.sourceConfig['resource_spec'], spec))
    .length;
}

describe('a service takes fewer calls than the connection may make', () => {
  for (const { requests, seconds, retryAfterSeconds, resources, most } of LIMITS)
    scenario(
      `${requests} in ${seconds} s, Retry-After ${retryAfterSeconds}: ${resources} edits arrive`,
      given(resources),
      async (w) => {
        const names = Array.from({ length: resources }, (_, n) => `agent-${n}`);
        w.become({ rateLimit: { requests, seconds }, retryAfterSeconds });
        for (const name of names) w.apply(edit(1), name);
        await w.pass(300);
        for (const name of names) w.apply(edit(2), name);
        await w.pass(900);
        const [events, writes] = [w.events.all.length, w.statusWrites.length];
        const refused = w.patches().filter(({ status }) => status === 429).length;
        expect(arrived(w, names, 2)).toBe(resources);
        expect(refused, 'refused PATCHes').toBeLessThanOrEqual(most.refused);
        expect(writes, 'status writes').toBeLessThanOrEqual(most.writes);
        expect(events, 'events').toBeLessThanOrEqual(most.events);
      },
    );

  scenario(
    'edits arrive soon after an hour in which the service refused everything for ten minutes each',
    given(10),
    async (w) => {
      const names = Array.from({ length: 10 }, (_, n) => `agent-${n}`);
      for (const name of names) w.apply(edit(1), name);
      await w.pass(300);
      const headers = { 'retry-after': '600' };
      w.service.faults.add({ match: {}, times: 0, fault: { kind: 'status', status: 429, headers } });
      await w.pass(3_600);
      w.service.faults.clear();
      for (const name of names) w.apply(edit(2), name);
      await w.pass(720);
      expect(arrived(w, names, 2)).toBe(10);
    },
  );

  scenario(
    '1 in 1 s: edits that follow each other all arrive, and refusals are rare',
    given(10),
    async (w) => {
      const names = Array.from({ length: 10 }, (_, n) => `agent-${n}`);
      for (const name of names) w.apply(edit(1), name);
      await w.pass(120);
      w.become({ rateLimit: { requests: 1, seconds: 1 } });
      const [events, writes] = [w.events.all.length, w.statusWrites.length];
      let flips = 0;
      let shown = w.connectionState();
      for (let tag = 2; tag <= 11; tag += 1) {
        for (const name of names) w.apply(edit(tag), name);
        for (let second = 0; second < 60; second += 1) {
          await w.pass(1);
          if (w.connectionState() !== shown) flips += 1;
          shown = w.connectionState();
        }
      }
      await w.pass(60);
      expect(flips, 'changes of the connection').toBeLessThanOrEqual(30);
      expect(w.statusWrites.length - writes, 'status writes').toBeLessThanOrEqual(400);
      expect(w.events.all.length - events, 'events').toBeLessThanOrEqual(160);
      expect(arrived(w, names, 11)).toBe(10);
    },
  );
});
