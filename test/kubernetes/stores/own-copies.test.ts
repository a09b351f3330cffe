import { describe, expect, it } from 'vitest';
import { OwnCopies } from '../../../src/kubernetes/stores/own-copies.ts';
import { compareResourceVersions } from '../../../src/kubernetes/objects/compare-resource-versions.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/resource-type.ts';

const object = (resourceVersion: string, uid = 'one'): KubernetesObject => ({
  metadata: { name: 'agent', namespace: 'team-a', uid, resourceVersion },
});

describe('compareResourceVersions', () => {
  it.each([
    ['9', '10', -1],
    ['10', '9', 1],
    ['123456789012345678901234567890', '123456789012345678901234567889', 1],
    ['42', '42', 0],
    ['abc', 'abc', 0],
  ])('orders %s and %s as numbers of any length', (a, b, want) => {
    expect(Math.sign(compareResourceVersions(a, b) ?? Number.NaN)).toBe(want);
  });

  it('returns no order for versions that are not decimal numbers', () => {
    expect(compareResourceVersions('abc', '12')).toBeUndefined();
    expect(compareResourceVersions('012', '12')).toBeUndefined();
  });
});

describe('our copies of written objects', () => {
  it('outrank the cache until the watch shows their version', () => {
    const copies = new OwnCopies();
    copies.remember(object('9'), object('8'));
    expect(copies.newest(object('8'), object('8'))).toEqual(object('9'));
    expect(copies.newest(object('8'), object('9'))).toEqual(object('9'));
    const cached = object('9');
    expect(copies.newest(cached, cached)).toBe(cached);
  });

  it('are dropped when the watch has caught up, and not kept if it was faster', () => {
    const copies = new OwnCopies();
    copies.remember(object('9'), object('8'));
    expect(copies.size).toBe(1);
    copies.newest(object('8'), object('9'));
    expect(copies.size).toBe(0);
    copies.remember(object('9'), object('9'));
    expect(copies.size).toBe(0);
  });

  it('give way permanently to a newer version of somebody else', () => {
    const copies = new OwnCopies();
    copies.remember(object('9'), object('8'));
    expect(copies.newest(object('8'), object('10'))).toEqual(object('10'));
    expect(copies.newest(object('8'), object('8'))).toEqual(object('8'));
  });

  it('do not restore a deleted object, or replace another one with its name', () => {
    const copies = new OwnCopies();
    copies.remember(object('9'), object('8'));
    expect(copies.newest(object('8'), object('3', 'two'))).toEqual(object('3', 'two'));
    copies.remember(object('9'), object('8'));
    expect(copies.newest(object('8'), undefined)).toBeUndefined();
  });

  it('are not replaced by an older answer that arrives late', () => {
    const copies = new OwnCopies();
    copies.remember(object('11'), object('8'));
    copies.remember(object('10'), object('8'));
    expect(copies.newest(object('8'), object('8'))).toEqual(object('11'));
  });

  it('are compared for inequality if versions have no order', () => {
    const copies = new OwnCopies();
    copies.remember(object('b'), object('a'));
    expect(copies.newest(object('a'), object('a'))).toEqual(object('b'));
    expect(copies.newest(object('a'), object('c'))).toEqual(object('c'));
  });
});
