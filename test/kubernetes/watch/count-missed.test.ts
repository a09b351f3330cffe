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

describe('of what a list shows, the watch before it missed', () => {
  it.each<[string, CacheChange<KubernetesObject>, ListedAt, number]>([
    ['nothing where no watch came before', came('5'), { version: '9', position: undefined }, 0],
    ['nothing that came after it had ended', came('8'), { version: '9', position: '7' }, 0],
    ['nothing that changed after it had ended', changed('8'), { version: '9', position: '7' }, 0],
    ['what came before a version it told', came('6'), { version: '9', position: '7' }, 1],
    ['what changed at a version it told', changed('7'), { version: '9', position: '7' }, 1],
    ['nothing that may have gone after it had ended', went, { version: '9', position: '7' }, 0],
    ['what is gone at the very version it told', went, { version: '7', position: '7' }, 1],
    ['nothing of another history', came('5'), { version: '6', position: '700' }, 0],
    [
      'nothing that can be proven where versions have no order',
      came('x5'),
      { version: 'x9', position: 'x7' },
      0,
    ],
    ['nothing by comparing versions as texts', changed('10'), { version: '11', position: '9' }, 0],
  ])('%s', (_what, change, listed, want) => {
    expect(countMissed([change], listed)).toBe(want);
  });
});
