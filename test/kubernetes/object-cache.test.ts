import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CacheChange, ObjectCache } from '../../src/kubernetes/object-cache.ts';
import type { KubernetesObject } from '../../src/kubernetes/resources.ts';

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

/** A cache whose objects are put in as soon as they are prepared. */
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
  it('tells what was there before and what is there now', () => {
    const cache = cacheByTeam();
    const [first, second] = [object({ version: '1' }), object({ version: '2' })];
    expect(cache.putDirectly(first)).toEqual([{ before: undefined, after: first }]);
    expect(cache.putDirectly(second)).toEqual([{ before: first, after: second }]);
    expect(cache.remove(second)).toEqual([{ before: second, after: undefined }]);
    expect(cache.list()).toEqual([]);
  });

  it('tells nothing for a version it has', () => {
    const cache = cacheByTeam();
    cache.putDirectly(object({ version: '5' }));
    expect(cache.putDirectly(object({ version: '5' }))).toEqual([]);
    expect(cache.replaceDirectly('', [object({ version: '5' })])).toEqual([]);
  });

  it('tells an object with a new uid as one that went and one that came', () => {
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

  it('replaces one namespace without touching the others', () => {
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

  it('finds by index exactly what a search through everything finds', () => {
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
