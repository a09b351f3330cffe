import { describe, expect, test } from 'vitest';
import { deploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import { World } from '../support/world.ts';

const RATE_LIMIT = { requestsPerSecond: 5, burst: 10, concurrency: 4 };
const NAMES = Array.from({ length: 120 }, (_, n) => `agent-${n}`);
const EDITS_S = (NAMES.length - RATE_LIMIT.burst) / RATE_LIMIT.requestsPerSecond;

/** A service or an API server that slows down work during a bulk of edits. */
interface Trouble {
  readonly what: string;
  readonly begin: (world: World) => void;
  /** The seconds until the last edit reaches the service: the base time, the delay of the trouble, and ten percent. */
  readonly mostS: number;
  /** The maximum seconds for the end of the process. */
  readonly stopS: number;
}

const REQUEST_TIMEOUT_S = 30;

const TROUBLES: readonly Trouble[] = [
  {
    what: 'takes 300 ms for each call',
    begin: (world) => world.become({ latencyMs: 300 }),
    mostS: 1.15 * EDITS_S,
    stopS: 1,
  },
  {
    what: 'answers every third call with 429 and asks for a second',
    begin(world) {
      const fault = { kind: 'status', status: 429, headers: { 'retry-after': '1' } } as const;
      for (let nth = 3; nth < 900; nth += 3) world.fault(fault, { match: { nth } });
    },
    // Each refusal causes a second without calls, and one call must find its end, so one of three calls is an edit.
    // Twice in this time the operator finds out that a slower pace does not help.
    mostS: 1.5 * NAMES.length * 1.6 + 90,
    stopS: 2,
  },
  {
    what: 'hangs in every tenth call',
    begin(world) {
      for (let nth = 10; nth < 600; nth += 10) world.fault({ kind: 'hang' }, { match: { nth } });
    },
    // One of four slots is busy until the request timeout, and the hanging request is verified after its window.
    mostS: 2 * (EDITS_S + (NAMES.length / 10) * REQUEST_TIMEOUT_S),
    stopS: REQUEST_TIMEOUT_S + 1,
  },
  {
    what: 'lists 3,000 more deployments of others within a minute',
    begin(world) {
      for (let at = 0; at < 60; at += 1)
        world.clock.after(at * 1_000, () => {
          for (let n = 0; n < 50; n += 1)
            world.service.act({ kind: 'add', seed: deploymentSeed(`other-${at}-${n}`) });
        });
    },
    mostS: 1.5 * EDITS_S,
    stopS: 1,
  },
  {
    what: 'stands beside an API server that lets every third write wait for a second',
    begin(world) {
      let writes = 0;
      world.store.beforeWrite = () => {
        writes += 1;
        if (writes % 3 === 0) world.slowWrites(1);
      };
    },
    mostS: 1.5 * EDITS_S,
    stopS: 2,
  },
];

describe('a bulk of edits keeps its rate, sends each edit once, and the process stops in time, if the service', () => {
  test.each(TROUBLES)('$what', { timeout: 240_000 }, async ({ begin, mostS, stopS }) => {
    const world = await fleetAtRest();
    begin(world);
    const beganMs = world.clock.now();
    for (const name of NAMES) world.apply(specOf(2), name);
    const arrived = (): number => new Set(applied(world).map(({ id }) => id)).size;
    for (let second = 0; second < mostS && arrived() < NAMES.length; second += 1) await world.pass(1);
    expect(arrived()).toBe(NAMES.length);
    expect((world.clock.now() - beganMs) / 1_000).toBeLessThanOrEqual(mostS);
    await world.pass(200);
    for (const name of NAMES) expect(world.kept(name).content.revisionConfig['image_uri']).toBe(image(2));
    expect(applied(world).length).toBe(NAMES.length);
    const stopsMs = world.clock.now();
    await world.stop();
    expect((world.clock.now() - stopsMs) / 1_000).toBeLessThanOrEqual(stopS);
  });
});

/** Returns the requests of the bulk that the service accepted. */
function applied(world: World): readonly { readonly id: string }[] {
  return world.service.log
    .requests()
    .filter(
      ({ operation, status, body }) =>
        operation === 'patch' && status === 200 && JSON.stringify(body).includes(image(2)),
    );
}

async function fleetAtRest(): Promise<World> {
  const world = new World({
    deployments: NAMES.map((name) => ({
      name,
      sourceConfig: { resource_spec: { cpu: 1, memory_mb: 512 } },
      revisionConfig: { image_uri: image(0) },
    })),
    connection: { rateLimit: RATE_LIMIT },
  });
  for (const name of NAMES) world.apply(specOf(0), name);
  await world.pass(300);
  world.apply(specOf(1), NAMES[0]);
  await world.pass(200);
  return world;
}

function specOf(tag: number): Parameters<World['apply']>[0] {
  return { sourceConfig: { resourceSpec: { cpu: 1 } }, sourceRevisionConfig: { imageURI: image(tag) } };
}

function image(tag: number): string {
  return `registry.example.com/agent:${tag}`;
}
