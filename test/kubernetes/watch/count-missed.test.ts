import { describe, expect, it } from 'vitest';
import { countMissed, type ListedAt } from '../../../src/kubernetes/watch/count-missed.ts';
import type { CacheChange } from '../../../src/kubernetes/watch/object-cache.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/resource-type.ts';
import { objectNamed } from '../../support/servers/scripted-list-watch.ts';

const came = (version: string): CacheChange<KubernetesObject> => ({
  before: undefined,
  after: objectNamed('a', version),
});
const changed = (version: string): CacheChange<KubernetesObject> => ({
  before: objectNamed('a', '1'),
  after: objectNamed('a', version),
});
const went: CacheChange<KubernetesObject> = { before: objectNamed('a', '1'), after: undefined };

describe('a list shows that the watch before it missed', () => {
  it.each<[string, CacheChange<KubernetesObject>, ListedAt, number]>([
    ['nothing if no watch came before', came('5'), { version: '9', position: undefined }, 0],
    ['no object created after the watch ended', came('8'), { version: '9', position: '7' }, 0],
    ['no change made after the watch ended', changed('8'), { version: '9', position: '7' }, 0],
    [
      'an object created before a version that the watch reported',
      came('6'),
      { version: '9', position: '7' },
      1,
    ],
    ['a change at a version that the watch reported', changed('7'), { version: '9', position: '7' }, 1],
    ['no object that may have been deleted after the watch ended', went, { version: '9', position: '7' }, 0],
    ['a deletion at exactly the version that the watch reported', went, { version: '7', position: '7' }, 1],
    ['nothing of another history', came('5'), { version: '6', position: '700' }, 0],
    ['nothing if versions have no order', came('x5'), { version: 'x9', position: 'x7' }, 0],
    ['nothing by a comparison of versions as texts', changed('10'), { version: '11', position: '9' }, 0],
  ])('%s', (_what, change, listed, want) => {
    expect(countMissed([change], listed)).toBe(want);
  });
});
