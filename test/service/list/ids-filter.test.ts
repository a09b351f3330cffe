import { describe, expect, test } from 'vitest';
import { ConnectionError } from '../../../src/model/connection/failure.ts';
import { IDsFilter } from '../../../src/service/list/ids-filter.ts';
import type { Page } from '../../../src/service/list/pages.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { Bench, NAMED, present } from '../support/bench.ts';

const NO_EXTRAS = { malformed: [], unknownFields: new Map<string, number>() };
const pageOf = (ids: readonly string[]): Page => ({
  items: ids.map((id) => ({ id, name: `name of ${id}` })),
  ...NO_EXTRAS,
});

const refused = (status: number): ConnectionError =>
  new ConnectionError('refused', { reason: 'ProtocolError', sent: 'no', status });

/** A filter over a list that answers after a second, and the ids that it was asked for. */
class FilterBench {
  readonly clock = new VirtualClock();
  readonly calls: (readonly string[])[] = [];
  /** How often the filter reported that it is not used. */
  dropped = 0;
  /** Calls wait for this permit. */
  permit = Promise.resolve();
  /** The ids that the filter adds to a call as the next ones. */
  next: readonly string[] = [];
  /** The names of the deployments that calls showed. */
  readonly kept: string[] = [];
  readonly filter: IDsFilter;

  constructor(answer: (ids: readonly string[]) => Page) {
    this.filter = new IDsFilter({
      clock: this.clock,
      parameter: () => 'deployment_ids',
      onDropped: () => {
        this.dropped += 1;
      },
      upNext: (_, most) => this.next.slice(0, most),
      onRead: ({ deployment }) => this.kept.push(deployment.name),
      fetch: async (takeIDs) => {
        await this.permit;
        const ids = takeIDs();
        this.calls.push(ids);
        await this.clock.sleep(1_000);
        return answer(ids);
      },
    });
  }

  /** Returns the result for each id: a name, `not shown`, or undefined. */
  read(...ids: readonly string[]): Promise<readonly unknown[]> {
    const reads = ids.map((id) => this.filter.read(id, 'rollout'));
    const told = Promise.all(reads).then((all) =>
      all.map((one) => (typeof one === 'object' ? one.deployment.name : one)),
    );
    return this.clock.runUntil(told);
  }
}

describe('the ids filter', () => {
  test('reads all ids requested at the same time in one call, in any case', async () => {
    const bench = new FilterBench(pageOf);
    expect(await bench.read('A', 'b', 'a')).toEqual(['name of a', 'name of b', 'name of a']);
    expect(bench.calls).toEqual([['a', 'b']]);
  });

  test('counts a read that is repeated from its last try', async () => {
    const clock = new VirtualClock();
    const startedMs = clock.now();
    const filter = new IDsFilter({
      clock,
      parameter: () => 'deployment_ids',
      onDropped: () => undefined,
      upNext: () => [],
      onRead: () => undefined,
      fetch: async (takeIDs) => {
        takeIDs();
        await clock.sleep(4_000);
        return pageOf(takeIDs());
      },
    });
    expect(await clock.runUntil(filter.read('a', 'rollout'))).toMatchObject({ beganMs: startedMs + 4_000 });
  });

  test('collects requests made during a call for the next one, whose answer is newer than the request', async () => {
    const bench = new FilterBench(pageOf);
    const first = bench.filter.read('a', 'rollout');
    await bench.clock.advance(500);
    const askedMs = bench.clock.now();
    const later = [bench.filter.read('a', 'rollout'), bench.filter.read('b', 'rollout')];
    const [again] = await bench.clock.runUntil(Promise.all(later));
    await first;
    expect(bench.calls).toEqual([['a'], ['a', 'b']]);
    expect(again).toMatchObject({ beganMs: askedMs + 500 });
  });

  test('adds a request to a call that still waits for its permit', async () => {
    const bench = new FilterBench(pageOf);
    const permit = Promise.withResolvers<void>();
    bench.permit = permit.promise;
    const waiting = bench.filter.read('a', 'rollout');
    await bench.clock.advance(5_000);
    const joining = bench.filter.read('b', 'rollout');
    const grantedMs = bench.clock.now();
    permit.resolve();
    const reads = await bench.clock.runUntil(Promise.all([waiting, joining]));
    expect(bench.calls).toEqual([['a', 'b']]);
    expect(reads).toMatchObject([{ beganMs: grantedMs }, { beganMs: grantedMs }]);
  });

  test('does not let an urgent request wait for a call that is not urgent', async () => {
    const bench = new FilterBench(pageOf);
    const permit = Promise.withResolvers<void>();
    bench.permit = permit.promise;
    const rollout = bench.filter.read('a', 'rollout');
    await bench.clock.advance(1);
    bench.permit = Promise.resolve();
    await bench.clock.runUntil(bench.filter.read('b', 'user'));
    expect(bench.calls).toEqual([['b']]);
    permit.resolve();
    await bench.clock.runUntil(rollout);
    expect(bench.calls).toEqual([['b'], ['a']]);
  });

  test('asks for at most fifty ids in one call', async () => {
    const bench = new FilterBench(pageOf);
    const ids = Array.from({ length: 120 }, (_, n) => `id-${n}`);
    expect(await bench.read(...ids)).toEqual(ids.map((id) => `name of ${id}`));
    expect(bench.calls.map((call) => call.length)).toEqual([50, 50, 20]);
  });

  test('fills a call with the ids that are due next, and keeps everything that it shows', async () => {
    const bench = new FilterBench(pageOf);
    bench.next = ['next-1', ...Array.from({ length: 60 }, (_, n) => `LATER-${n}`)];
    expect(await bench.read('a', 'next-1')).toEqual(['name of a', 'name of next-1']);
    expect(bench.calls.map((call) => call.length)).toEqual([49]);
    expect(bench.kept).toHaveLength(49);
  });

  test('reports what an answer lacks, for a pass over the list to decide', async () => {
    const bench = new FilterBench((ids) => pageOf(ids.filter((id) => id !== 'b')));
    expect(await bench.read('a', 'b')).toEqual(['name of a', 'not shown']);
    expect(await bench.read('a')).toEqual(['name of a']);
  });

  test('that the service ignores is not used for ten minutes', async () => {
    const bench = new FilterBench((ids) => pageOf([...ids, 'stranger']));
    expect(await bench.read('a')).toEqual([undefined]);
    expect(await bench.read('a')).toEqual([undefined]);
    expect(bench.calls).toHaveLength(1);
    bench.filter.trust();
    await bench.read('a');
    expect(bench.calls).toHaveLength(2);
  });

  test.each([400, 414, 422])(
    'asks for half as many if %i says that it was too much, and remembers that',
    async (status) => {
      const bench = new FilterBench((ids) => {
        if (ids.length > 15) throw refused(status);
        return pageOf(ids);
      });
      const ids = Array.from({ length: 40 }, (_, n) => `id-${n}`);
      expect(await bench.read(...ids)).toEqual(ids.map((id) => `name of ${id}`));
      expect(bench.calls.map((call) => call.length)).toEqual([40, 20, 10, 10, 20, 10, 10]);
      await bench.read(...ids);
      expect(bench.calls.slice(7).map((call) => call.length)).toEqual([10, 10, 10, 10]);
    },
  );

  test.each([400, 422])(
    'that is refused once with %i is tried again after ten minutes (C7)',
    async (status) => {
      let out = true;
      const bench = new FilterBench((ids) => {
        if (out) throw refused(status);
        return pageOf(ids);
      });
      expect(await bench.read('a')).toEqual([undefined]);
      expect(bench.dropped).toBe(1);
      expect(bench.filter.note).toContain('deployment_ids (spec.list.parameters.ids)');
      out = false;
      await bench.clock.advance(590_000);
      expect(await bench.read('a')).toEqual([undefined]);
      await bench.clock.advance(10_000);
      expect(await bench.read('a', 'b')).toEqual(['name of a', 'name of b']);
      expect(bench.filter.note).toBeUndefined();
    },
  );

  test('that is refused for a single id is not used for ten minutes', async () => {
    const bench = new FilterBench(() => {
      throw refused(422);
    });
    expect(await bench.read('a', 'b', 'c')).toEqual([undefined, undefined, undefined]);
    expect(bench.calls.map((call) => call.length)).toEqual([3, 2, 1]);
    expect(await bench.read('a')).toEqual([undefined]);
    expect(bench.calls).toHaveLength(3);
  });

  test('stays in use after a call failed for another reason, and does not throw', async () => {
    let down = true;
    const bench = new FilterBench((ids) => {
      if (down) throw new ConnectionError('reset', { reason: 'Unreachable', sent: 'no' });
      return pageOf(ids);
    });
    expect(await bench.read('a')).toEqual([undefined]);
    down = false;
    expect(await bench.read('a')).toEqual(['name of a']);
  });
});

describe('a resource that follows a rollout', () => {
  const follow = async (semantics: SemanticsPatch, many = 450) => {
    const bench = new Bench({ many, named: [{ name: 'agent' }], semantics });
    const client = await bench.ready();
    await bench.clock.advance(1_000);
    const before = bench.service.log.count('list');
    const seen = await bench.observeID(client, bench.id('agent').toUpperCase(), {
      notOlderThanMs: bench.clock.now(),
      priority: 'rollout',
    });
    return { bench, client, seen, calls: bench.service.log.count('list') - before };
  };

  test('costs one call on a long list, not a sweep', async () => {
    const { bench, client, seen, calls } = await follow({});
    expect(present(seen).name).toBe('agent');
    expect(seen).toMatchObject({ via: 'list', beganMs: bench.clock.now() });
    expect(calls).toBe(1);
    expect(bench.lists().at(-1)).toBe(`deployment_ids=${bench.id('agent')}&limit=1`);
    // A caller that accepts older data gets it without a call.
    expect(await bench.listCalls(() => bench.observeID(client, bench.id('agent')))).toBe(0);
    expect((await bench.observeID(client, bench.id('agent'))).beganMs).toBe(bench.clock.now());
  });

  test('makes no call of its own on a short list', async () => {
    const { bench, calls } = await follow({}, 10);
    expect(calls).toBe(1);
    expect(bench.lists().at(-1)).not.toContain('deployment_ids');
  });

  test.each<[what: string, semantics: SemanticsPatch, ids: string]>([
    ['ignores the filter', {}, 'under_another_name'],
    ['means something else by it, and shows nothing', {}, 'status'],
    ['refuses it', { paramNames: 'rejected-422' }, 'deployment_ids'],
  ])(
    'on a service that %s is served by a sweep, and the filter is not tried again',
    async (_what, semantics, ids) => {
      const bench = new Bench({ many: 450, named: [{ name: 'agent' }], semantics });
      const { list } = bench.settings();
      bench.configure({ list: { ...list, parameters: { ...list.parameters, ids } } });
      const client = await bench.ready();
      for (const filtered of [1, 0]) {
        await bench.clock.advance(1);
        const before = bench.lists().length;
        const seen = await bench.observeID(client, bench.id('agent'), { notOlderThanMs: bench.clock.now() });
        expect(present(seen).name).toBe('agent');
        expect(
          bench
            .lists()
            .slice(before)
            .filter((query) => query.includes(ids)),
        ).toHaveLength(filtered);
      }
      expect(bench.troubles).toEqual([]);
    },
  );

  test('learns of a deletion by a sweep alone, and the filter stays in use', async () => {
    const { bench, client } = await follow({});
    const id = bench.id('agent');
    bench.service.act({ kind: 'delete', deployment: 'agent' });
    await bench.clock.advance(1);
    const gone = await bench.observeID(client, id, {
      notOlderThanMs: bench.clock.now(),
      priority: 'rollout',
    });
    expect(gone).toMatchObject({ kind: 'absent', proven: false });
    await bench.clock.advance(1);
    const now = { notOlderThanMs: bench.clock.now() };
    expect(await bench.listCalls(() => bench.observeID(client, bench.id('load-00001'), now))).toBe(1);
  });

  test('gets an error from the sweep that follows', async () => {
    const { bench, client } = await follow({});
    bench.service.faults.add({ match: { operation: 'list' }, times: 0, fault: { kind: 'reset-before' } });
    await bench.clock.advance(1);
    const now = { notOlderThanMs: bench.clock.now() };
    await expect(bench.observeID(client, bench.id('agent'), now)).rejects.toMatchObject({
      reason: 'Unreachable',
    });
    expect(bench.troubles).toEqual([NAMED]);
  });
});
