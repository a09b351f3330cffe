import { describe, expect, test } from 'vitest';
import { ServiceClient } from '../../../src/service/client/service-client.ts';
import type { Wanted } from '../../../src/service/list/snapshot.ts';
import { deploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import { Bench, type Given, present } from '../support/bench.ts';

const LIVE = { revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
/** The service has another name for its ids parameter, and ignores this filter. */
const OTHER_NAMES = {
  pageSize: 100,
  parameters: { limit: 'limit', offset: 'offset', name: 'name_contains', ids: 'not_known' },
};
const NOTHING: Wanted = { ids: new Set(), names: new Set() };

/** Creates a bench in which resources look for `agent` alone, or for nothing. */
async function aBench(wanted: Wanted, given: Given = {}): Promise<Bench> {
  const bench = new Bench({
    many: 3,
    named: [
      { name: 'agent', ...LIVE },
      { name: 'other', ...LIVE, secrets: [{ name: 'A', value: 'of nobody' }] },
    ],
    ...given,
  });
  bench.wanted = wanted;
  return bench;
}

describe('of a deployment that no resource looks for', () => {
  test('id, name and tenant alone are kept, while the others are kept whole', async () => {
    const bench = await aBench({ ids: new Set(), names: new Set(['agent']) });
    const client = await bench.ready();
    expect(client.listed(bench.id('agent'))).toMatchObject({ sourceRevisionConfig: { fields: {} } });
    const kept = client.listed(bench.id('other'));
    expect(Object.keys(kept ?? {}).toSorted()).toEqual(['id', 'name', 'tenantID']);
    expect(client.knowledge.secretsListed, 'what it shows is noted all the same').toBe(true);
  });

  test.each(['name', 'id'] as const)(
    'everything is read in one call if a resource looks for it by %s, and kept from the next pass on',
    async (by) => {
      const bench = await aBench(NOTHING);
      const client = await bench.ready();
      const observe = () =>
        by === 'name' ? bench.observe(client, 'other') : bench.observeID(client, bench.id('other'));
      const calls = await bench.listCalls(async () => {
        expect(present(await observe()).secrets).toHaveLength(1);
        expect(present(await observe()).secrets).toHaveLength(1);
      });
      expect(calls).toBe(1);
      bench.wanted = { ids: new Set([bench.id('other')]), names: new Set() };
      await bench.clock.advance(90_000);
      expect(client.listed(bench.id('other'))?.secrets).toHaveLength(1);
      expect(bench.changes, 'to be kept whole is no change').toEqual([]);
      expect(
        await bench.listCalls(async () => {
          await observe();
        }),
      ).toBe(0);
    },
  );

  test('everything is read in another pass if single deployments cannot be read', async () => {
    const bench = await aBench(NOTHING, { settings: { list: OTHER_NAMES } });
    const client = await bench.ready();
    for (const _ of [1, 2]) {
      expect(present(await bench.observe(client, 'other')).secrets).toHaveLength(1);
      await bench.clock.advance(90_000);
    }
  });

  test('a change wakes no resource, unless its name changes', async () => {
    const bench = await aBench(NOTHING);
    await bench.ready();
    bench.service.act({
      ...{ kind: 'edit', deployment: 'other', path: 'source_revision_config.image_uri' },
      value: 'registry.example.com/agent:2',
    });
    await bench.clock.advance(90_000);
    expect(bench.changes).toEqual([]);
  });

  test('absence is proven, and a new deployment is reported, as for the others', async () => {
    const bench = await aBench(NOTHING);
    const client = await bench.ready();
    const gone = await bench.observe(client, 'not there', { proveAbsence: true });
    expect(gone).toMatchObject({ kind: 'absent', proven: true, tenants: { complete: true } });
    bench.service.act({ kind: 'add', seed: deploymentSeed('not there') });
    await bench.clock.advance(90_000);
    expect(bench.changes).toEqual(['not there']);
  });
});

describe('a deployment that a call for others also reads', () => {
  test('counts as a read of its own, and never replaces a newer one', async () => {
    const bench = await aBench(NOTHING);
    const client = await bench.ready();
    if (!(client instanceof ServiceClient)) throw new Error('a bench has clients of the service');
    await bench.clock.advance(5_000);
    const read = present(await bench.observeID(client, bench.id('other')));
    const readAtMs = bench.clock.now();
    client.keepRead({ deployment: { ...read, name: 'older' }, beganMs: readAtMs - 2_000 });
    expect(client.listed(bench.id('other'))?.name).toBe('other');
    client.keepRead({ deployment: { ...read, name: 'newer' }, beganMs: readAtMs + 1 });
    expect(client.listed(bench.id('other'))?.name).toBe('newer');
  });

  test('is not kept if the address changed before the answer arrived', async () => {
    const bench = await aBench(NOTHING);
    const client = await bench.ready();
    if (!(client instanceof ServiceClient)) throw new Error('a bench has clients of the service');
    await bench.clock.advance(5_000);
    const read = present(await bench.observeID(client, bench.id('other')));
    client.stop();
    client.keepRead({ deployment: { ...read, name: 'late' }, beganMs: bench.clock.now() + 1 });
    expect(client.listed(bench.id('other'))?.name).toBe('other');
  });
});
