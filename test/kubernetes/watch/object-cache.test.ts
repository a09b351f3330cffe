import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryOf, NamespaceBytes } from '../../../src/kubernetes/objects/namespace-bytes.ts';
import { type CacheChange, ObjectCache } from '../../../src/kubernetes/watch/object-cache.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/resource-type.ts';

interface Labelled extends KubernetesObject {
  readonly teams: readonly string[];
}

const object = (change: {
  name?: string;
  namespace?: string;
  uid?: string;
  version?: string;
  teams?: string[];
}): Labelled => ({
  metadata: {
    name: change.name ?? 'agent',
    namespace: change.namespace ?? 'team-a',
    uid: change.uid ?? 'one',
    resourceVersion: change.version ?? '1',
  },
  teams: change.teams ?? [],
});

const asItIs = (object: Labelled): Labelled => object;

/** A cache that stores objects as soon as they are prepared. */
class DirectCache extends ObjectCache<Labelled, 'team'> {
  putDirectly(item: Labelled): readonly CacheChange<Labelled>[] {
    return this.put(this.prepare(item, asItIs));
  }

  replaceDirectly(namespace: string, items: readonly Labelled[]): readonly CacheChange<Labelled>[] {
    return this.replace(
      namespace,
      items.map((item) => this.prepare(item, asItIs)),
    );
  }
}

const cacheByTeam = (): DirectCache => new DirectCache({ team: ({ teams }) => teams });

describe('ObjectCache', () => {
  it('reports the objects before and after a change', () => {
    const cache = cacheByTeam();
    const [first, second] = [object({ version: '1' }), object({ version: '2' })];
    expect(cache.putDirectly(first)).toEqual([{ before: undefined, after: first }]);
    expect(cache.putDirectly(second)).toEqual([{ before: first, after: second }]);
    expect(cache.remove(second)).toEqual([{ before: second, after: undefined }]);
    expect(cache.list()).toEqual([]);
  });

  it('reports nothing for a known version', () => {
    const cache = cacheByTeam();
    cache.putDirectly(object({ version: '5' }));
    expect(cache.putDirectly(object({ version: '5' }))).toEqual([]);
    expect(cache.replaceDirectly('', [object({ version: '5' })])).toEqual([]);
  });

  it('reports an object with a new uid as one deleted and one created', () => {
    const cache = cacheByTeam();
    const [old, young] = [object({ uid: 'one', version: '5' }), object({ uid: 'two', version: '5' })];
    cache.putDirectly(old);
    expect(cache.replaceDirectly('', [young])).toEqual([
      { before: old, after: undefined },
      { before: undefined, after: young },
    ]);
  });

  it('keeps an object whose namesake is reported gone late', () => {
    const cache = cacheByTeam();
    cache.putDirectly(object({ uid: 'two' }));
    expect(cache.remove(object({ uid: 'one' }))).toEqual([]);
    expect(cache.get('team-a', 'agent')).toBeDefined();
  });

  it('replaces one namespace without changes to the others', () => {
    const cache = cacheByTeam();
    cache.putDirectly(object({ name: 'a', namespace: 'one' }));
    cache.putDirectly(object({ name: 'b', namespace: 'two' }));
    cache.replaceDirectly('one', []);
    expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it('hands out objects that nobody can change', () => {
    const cache = cacheByTeam();
    cache.putDirectly(object({ teams: ['red'] }));
    const kept = cache.get('team-a', 'agent') as unknown as { teams: string[] };
    expect(() => kept.teams.push('blue')).toThrow(TypeError);
  });

  it('finds by index exactly the objects that a full search finds', () => {
    const step = fc.record({
      remove: fc.boolean(),
      name: fc.constantFrom('a', 'b', 'c'),
      uid: fc.constantFrom('one', 'two'),
      version: fc.nat(20).map(String),
      teams: fc.uniqueArray(fc.constantFrom('red', 'green', 'blue')),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const cache = cacheByTeam();
        for (const { remove, ...change } of steps) {
          if (remove) cache.remove(object(change));
          else cache.putDirectly(object(change));
          for (const team of ['red', 'green', 'blue']) {
            const searched = cache.list().filter(({ teams }) => teams.includes(team));
            expect(new Set(cache.byIndex('team', team))).toEqual(new Set(searched));
          }
        }
      }),
      { seed: 11, numRuns: 100 },
    );
  });
});

describe('a namespace that has reached its memory limit', () => {
  const sized = (name: string, kilobytes: number, more: object = {}): Labelled => {
    const known = object({ name, namespace: 'full' });
    return {
      ...known,
      metadata: { ...known.metadata, generation: 1, ...more },
      teams: ['x'.repeat(kilobytes * 1024)],
    };
  };
  const world = () => {
    const kept = new NamespaceBytes(100 * 1024);
    const cache = new ObjectCache<Labelled, 'team'>({ team: ({ metadata }) => [metadata.name] }, kept);
    const put = (item: Labelled): string | undefined => {
      cache.put(cache.prepare(item, asItIs));
      return cache.get(item.metadata.namespace ?? '', item.metadata.name)?.tooLarge;
    };
    return { kept, cache, put };
  };
  const FULL =
    /^the resources of namespace full take all of the 0 MiB of memory that one namespace may take; the controller reads this one again/;

  it('has the next one kept as its identity, which says so, and other namespaces are not met', () => {
    const { cache, put } = world();
    expect([put(sized('a', 40)), put(sized('b', 40))]).toEqual([undefined, undefined]);
    expect(put(sized('c', 40))).toMatch(FULL);
    expect(cache.get('full', 'c')).toEqual({
      metadata: sized('c', 0).metadata,
      tooLarge: expect.stringMatching(FULL) as string,
    });
    expect(put({ ...object({ namespace: 'other' }), teams: ['x'.repeat(80 * 1024)] })).toBeUndefined();
  });

  it('has room again after deletions, even for an object at the same version', () => {
    const { cache, kept, put } = world();
    for (const name of ['a', 'b', 'c']) put(sized(name, 40));
    cache.remove(sized('a', 40));
    expect(put(sized('c', 40))).toBeUndefined();
    for (const name of ['b', 'c']) cache.remove(sized(name, 40));
    expect(kept.taken('full')).toBe(0);
  });

  it('keeps an object if nothing but its status grows', () => {
    const { put } = world();
    for (const name of ['a', 'b']) put(sized(name, 49));
    const grown = { ...sized('b', 49, { resourceVersion: '2' }), status: { text: 'x'.repeat(9_000) } };
    expect(put(grown)).toBeUndefined();
    expect(put(sized('b', 50, { resourceVersion: '3', generation: 2 }))).toMatch(FULL);
  });

  it('does not count the objects that a failed list prepared', () => {
    const { cache, kept } = world();
    cache.prepare(sized('a', 40), asItIs);
    cache.replace('full', [cache.prepare(sized('b', 10), asItIs)]);
    expect(kept.taken('full')).toBe(memoryOf(cache.get('full', 'b')));
    cache.replace('full', []);
    expect(kept.taken('full')).toBe(0);
  });
});
