import { describe, expect, test } from 'vitest';
import type { LoggedRequest } from '../../../src/simulator/api/request-log.ts';
import { World } from '../support/world.ts';

/** The default rate limit of a connection. */
const RATE_LIMIT = { requestsPerSecond: 5, burst: 10, concurrency: 4 };
const ROLLOUT_SECONDS = 10;

/** A fleet at rest, on a connection with default settings, whose service keeps omitted fields. */
class FleetWorld {
  readonly names: readonly string[];
  readonly w: World;
  #from: { readonly number: number; readonly atMs: number; readonly statuses: number } | undefined;

  constructor(count: number) {
    this.names = Array.from({ length: count }, (_, n) => `agent-${n}`);
    this.w = new World({
      deployments: this.names.map((name) => ({
        name,
        sourceConfig: { resource_spec: { cpu: 1, memory_mb: 512 } },
        revisionConfig: { image_uri: image(0) },
      })),
      connection: { rateLimit: RATE_LIMIT },
      semantics: { rollout: { kind: 'after', seconds: ROLLOUT_SECONDS } },
    });
  }

  /** Binds every resource. Changes nothing. */
  async rest(): Promise<void> {
    for (const name of this.names) this.edit(name, 0);
    await this.w.pass(300);
    expect(this.w.patches()).toEqual([]);
  }

  /** Teaches the connection how the service treats omitted fields. */
  async learn(): Promise<void> {
    this.edit(this.names[0] ?? '', 1);
    await this.w.pass(200);
    expect(this.w.connectionStatus().learned?.omittedFields?.verdict).toBe('Keep');
  }

  edit(name: string, tag: number): void {
    this.w.apply(
      { sourceConfig: { resourceSpec: { cpu: 1 } }, sourceRevisionConfig: { imageURI: image(tag) } },
      name,
    );
  }

  editAll(tag: number): void {
    this.#from = {
      number: this.w.service.log.requests().at(-1)?.number ?? 0,
      atMs: this.w.clock.now(),
      statuses: this.w.statusWrites.length,
    };
    for (const name of this.names) this.edit(name, tag);
  }

  /** Returns the figures from the edit of all resources to the last PATCH, in seconds. */
  figures(): {
    readonly seconds: number;
    readonly others: number;
    readonly readsByID: number;
    readonly lags: readonly number[];
  } {
    const { number, atMs, statuses } = this.#from ?? { number: 0, atMs: 0, statuses: 0 };
    const calls = this.w.service.log.requests().filter((call) => call.number > number);
    const patches = calls.filter(({ operation }) => operation === 'patch');
    expect(new Set(patches.map(({ id }) => id)).size).toBe(this.names.length);
    expect(patches).toHaveLength(this.names.length);
    const lastMs = Math.max(...patches.map(({ beganMs }) => beganMs));
    const others = calls.filter((call) => call.operation !== 'patch' && call.beganMs <= lastMs);
    const patchedMs = new Map(patches.map(({ id, beganMs }) => [id, beganMs]));
    const ready = new Map<string, number>();
    for (const { name, after, atMs: writtenMs } of this.w.statusWrites.slice(statuses)) {
      const isTrue = (type: string): boolean =>
        after.conditions?.some((one) => one.type === type && one.status === 'True') ?? false;
      const shortName = name.split('/').at(-1) ?? name;
      if (isTrue('Ready') && isTrue('Synced')) ready.set(shortName, writtenMs);
    }
    return {
      seconds: (lastMs - atMs) / 1000,
      others: others.length,
      readsByID: others.filter(isByID).length,
      lags: this.names
        .map((name) => ((ready.get(name) ?? Infinity) - (patchedMs.get(this.w.kept(name).id) ?? 0)) / 1000)
        .toSorted((a, b) => a - b),
    };
  }
}

function image(tag: number): string {
  return `registry.example.com/agent:${tag}`;
}

function isByID({ query }: LoggedRequest): boolean {
  return /(^|&)\w*ids=/.test(query);
}

/** Returns the minimum seconds for this many calls: a burst, then one after the other when the window is over. */
function boundSeconds(calls: number): number {
  const { requestsPerSecond, burst } = RATE_LIMIT;
  return burst / requestsPerSecond + (calls - burst) / requestsPerSecond;
}

/** Plays a test scenario on a fleet at rest. The connection has learned from a first write, unless it is new. */
async function onFleet(
  count: number,
  play: (fleet: FleetWorld) => Promise<void>,
  isNew = false,
): Promise<void> {
  const fleet = new FleetWorld(count);
  try {
    await fleet.rest();
    if (!isNew) await fleet.learn();
    await play(fleet);
  } finally {
    fleet.w.kill();
  }
}

describe('edits of a whole fleet at the default rate limit', () => {
  test(
    'go out at the rate until the last one, and Ready follows the rollouts',
    { timeout: 120_000 },
    async () => {
      await onFleet(1_000, async (fleet) => {
        fleet.editAll(2);
        await fleet.w.pass(300);
        const { seconds, readsByID, lags } = fleet.figures();
        expect(seconds / boundSeconds(1_000)).toBeLessThan(1.06);
        expect(readsByID).toBeGreaterThan(0);
        expect(readsByID / 1_000).toBeLessThan(0.04);
        expect(lags[500], 'half of them').toBeLessThan(25);
        expect(lags[990], 'nearly all').toBeLessThan(45);
      });
    },
  );

  test('edited again before a sweep has shown them share the necessary reads', async () => {
    await onFleet(220, async (fleet) => {
      fleet.editAll(2);
      await fleet.w.pass(boundSeconds(220) + 12);
      const before = fleet.w.patches().length;
      fleet.editAll(3);
      await fleet.w.pass(120);
      const { seconds, readsByID } = fleet.figures();
      expect(fleet.w.patches().length - before).toBe(220);
      expect(seconds / boundSeconds(220)).toBeLessThan(1.1);
      expect(readsByID / 220).toBeLessThan(0.08);
    });
  });

  test('share one read at the end of their windows, when all is done', async () => {
    await onFleet(220, async (fleet) => {
      fleet.editAll(2);
      await fleet.w.pass(boundSeconds(220) + 200);
      const calls = fleet.w.service.log.requests('list').filter(isByID);
      expect(calls.length / 220, 'reads by id, those after the last PATCH among them').toBeLessThan(0.35);
    });
  });

  test('on a new connection wait for one write and one read, and another namespace waits too', async () => {
    await onFleet(
      200,
      async (fleet) => {
        fleet.editAll(2);
        await fleet.w.pass(120);
        const { seconds } = fleet.figures();
        expect(seconds / boundSeconds(200)).toBeLessThan(1.1);
        const [first = 0, second = Infinity] = fleet.w.patches().map(({ beganMs }) => beganMs);
        expect(second - first).toBeLessThan(2_000);
      },
      true,
    );
  });

  test('on a new connection that refuses every write cost each resource only a few passes', async () => {
    await onFleet(
      100,
      async (fleet) => {
        fleet.w.fault({ kind: 'status', status: 422 }, { times: 0 });
        const before = fleet.w.metrics.sum('reconciled Deployment');
        fleet.editAll(2);
        await fleet.w.pass(120);
        expect(fleet.w.patches()).toHaveLength(100);
        expect((fleet.w.metrics.sum('reconciled Deployment') - before) / 100).toBeLessThan(12);
      },
      true,
    );
  });
});
