import { describe, expect, it } from 'vitest';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import {
  changesBetween,
  indexByName,
  oldWhereSame,
  sameShown,
  type Snapshot,
} from '../../../src/service/list/snapshot.ts';

function snapshot(deployments: readonly ObservedDeployment[], more: Partial<Snapshot> = {}): Snapshot {
  const byID = new Map(deployments.map((deployment) => [deployment.id, deployment]));
  const times = { beganMs: 0, endedMs: 1, calls: 1, number: 1, complete: true };
  return {
    ...times,
    ...{
      byID,
      brief: new Set<string>(),
      twins: new Map<string, never>(),
      byName: indexByName(byID),
      problems: [],
      unreadable: new Map(),
      stuck: false,
      pages: new Map(),
      provesAbsence: true,
    },
    ...more,
  };
}

const A: ObservedDeployment = { id: 'a', name: 'first', latestRevisionID: 'r1', activeRevisionID: 'r1' };
const B: ObservedDeployment = { id: 'b', name: 'second' };

describe('the change between two snapshots', () => {
  it('is empty at the first one, which every resource still has to read', () => {
    expect(changesBetween(undefined, snapshot([A, B]))).toEqual({ ids: [], names: [] });
  });

  it('is empty if both show the same, in any order', () => {
    expect(changesBetween(snapshot([A, B]), snapshot([{ ...B }, { ...A }]))).toEqual({ ids: [], names: [] });
  });

  it('contains an item that a read in between showed differently', () => {
    const alone = new Map([['a', { ...A, activeRevisionID: 'r0' }]]);
    expect(changesBetween(snapshot([A, B]), snapshot([A, B]), alone).ids).toEqual(['a']);
    expect(changesBetween(snapshot([A, B]), snapshot([A, B]), new Map([['a', { ...A }]])).ids).toEqual([]);
  });

  it('contains an item that only a read in between showed', () => {
    expect(changesBetween(snapshot([B]), snapshot([B]), new Map([['a', A]])).ids).toEqual(['a']);
  });

  it('contains an item that a pass showed in two versions, unless every pass shows it so', () => {
    const twins = new Map([['a', [{ ...A, latestRevisionID: 'r0' }]]]);
    const [plain, both] = [snapshot([A, B]), snapshot([A, B], { twins })];
    expect(changesBetween(plain, both).ids).toEqual(['a']);
    expect(changesBetween(both, plain).ids).toEqual(['a']);
    expect(changesBetween(both, snapshot([A, B], { twins })).ids).toEqual([]);
  });

  it.each<[string, Partial<ObservedDeployment>]>([
    ['a revision that became active', { activeRevisionID: 'r2' }],
    ['a state', { serviceStatus: 'AWAITING_DELETE' }],
    ['a field of the configuration', { sourceConfig: { fields: { buildOnPush: true } } }],
    ['a field that was not shown before', { imageVersion: null }],
  ])('contains %s', (_, change) => {
    expect(changesBetween(snapshot([A, B]), snapshot([{ ...A, ...change }, B]))).toEqual({
      ids: ['a'],
      names: ['first'],
    });
  });

  it('is empty if only the time of update changed', () => {
    const [earlier, later] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
    const change = changesBetween(
      snapshot([{ ...A, updatedTime: earlier }]),
      snapshot([{ ...A, updatedTime: later }]),
    );
    expect(change).toEqual({ ids: [], names: [] });
  });

  it('contains the value of a secret, which is compared and not shown', () => {
    const withSecret = (value: string): ObservedDeployment => ({
      ...A,
      secrets: [{ name: 'API_TOKEN', value: new SecretValue(value) }],
    });
    const change = (from: string, to: string) =>
      changesBetween(snapshot([withSecret(from)]), snapshot([withSecret(to)])).ids;
    expect(change('alpha', 'alpha')).toEqual([]);
    expect(change('alpha', 'bravo')).toEqual(['a']);
  });

  it('contains new items', () => {
    expect(changesBetween(snapshot([A]), snapshot([A, B]))).toEqual({ ids: ['b'], names: ['second'] });
  });

  it('contains missing items, even if the newer snapshot proves no absence: that is checked later', () => {
    expect(changesBetween(snapshot([A, B]), snapshot([A]))).toEqual({ ids: ['b'], names: ['second'] });
    expect(changesBetween(snapshot([A, B]), snapshot([A], { provesAbsence: false })).ids).toEqual(['b']);
  });

  it('contains the old and the new name of a renamed deployment', () => {
    const change = changesBetween(snapshot([A]), snapshot([{ ...A, name: 'third' }]));
    expect(change.ids).toEqual(['a']);
    expect([...change.names].toSorted()).toEqual(['first', 'third']);
  });
});

describe('the index by name', () => {
  it('holds exact names, and every id of a name that occurs twice', () => {
    const other = { id: 'c', name: 'First' };
    const twin = { id: 'd', name: 'first' };
    const index = snapshot([A, B, other, twin]).byName;
    expect(index.get('first')).toEqual(['a', 'd']);
    expect(index.get('First')).toEqual(['c']);
    expect(index.get('firs')).toBeUndefined();
  });
});

describe('of two observations of a deployment', () => {
  it('the old one is kept if both show the same, and the new one otherwise', () => {
    const [same, other] = [{ ...A }, { ...A, updatedTime: '2026-01-02T00:00:00Z' }];
    expect(oldWhereSame(A, same)).toBe(A);
    expect(oldWhereSame(A, other)).toBe(other);
    expect(oldWhereSame(undefined, same)).toBe(same);
  });
});

describe('two observations', () => {
  it('are not equal if one has null and the other lacks the field', () => {
    expect(sameShown({ a: null }, {})).toBe(false);
    expect(sameShown({ a: [1, 2] }, { a: [1, 2] })).toBe(true);
    expect(sameShown({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
  });
});
