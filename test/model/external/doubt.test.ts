import { describe, expect, test } from 'vitest';
import {
  type Doubt,
  doubtAbout,
  type Expected,
  isOfOthers,
  tenantsShown,
} from '../../../src/model/external/doubt.ts';

const HERE = 'https://dms.example.com';

/** `id:tenant`, or `id` if the tenant is not known. */
const pinned = (text: string): readonly Expected[] =>
  parts(text).map(([id, tenantID]) => ({ id, endpoint: HERE, ...(tenantID && { tenantID }) }));
const list = (text: string) =>
  new Map(parts(text).map(([id, tenantID]) => [id, { ...(tenantID && { tenantID }) }]));

function parts(text: string): readonly (readonly [string, string | undefined])[] {
  return text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => part.split(':') as [string, string | undefined]);
}

const about = (expected: string, shown: string, told?: Doubt, endpoint = HERE): Doubt | undefined =>
  doubtAbout(pinned(expected), list(shown), { endpoint, told });

describe('a connection is in doubt', () => {
  test.each([
    ['every deployment belongs to another tenant', 'a:T1', 'x:T2', 'TenantChanged'],
    ['every deployment belongs to other tenants', 'a:T1 b:T1', 'x:T2 y:T3', 'TenantChanged'],
    ['a bound deployment is shown under another tenant', 'a:T1', 'a:T2', 'TenantChanged'],
    ['a bound deployment is, though others show no tenant', 'a:T1 b:T1', 'a:T2 x', 'TenantChanged'],
    ['most are missing, and the list belongs to another tenant', 'a:T1 b:T1 c:T1', 'x:T2', 'TenantChanged'],
    ['most are missing, and no tenant is shown', 'a b c', 'x', 'MassAbsence'],
    ['most are missing from an empty list', 'a:T1 b:T1 c:T1', '', 'MassAbsence'],
    ['most are missing, and the tenant is the same', 'a:T1 b:T1 c:T1', 'x:T1', 'MassAbsence'],
  ])('where %s', (_, expected, shown, doubt) => {
    expect(about(expected, shown)).toBe(doubt);
  });

  test.each([
    ['nothing is bound', '', 'x:T2'],
    ['no tenant was ever pinned', 'a', 'x:T2'],
    ['one item shows no tenant', 'a:T1', 'x:T2 y'],
    ['the tenant is shown beside other tenants', 'a:T1', 'x:T1 y:T2'],
    ['one of several tenants is still shown', 'a:T1 b:T2', 'b:T2'],
    ['a bound deployment is shown without a tenant', 'a:T1', 'a x:T2'],
    ['an id differs in letter case only', 'A:T1', 'a:T1'],
    ['the list is empty, and few are missing', 'a:T1 b:T1', ''],
  ])('not where %s', (_, expected, shown) => {
    expect(about(expected, shown)).toBeUndefined();
  });

  test('not by deployments bound at another address', () => {
    expect(about('a:T1', 'x:T2', undefined, 'https://elsewhere.example.com')).toBeUndefined();
  });

  test.each([
    ['and the list is empty', 'a:T1', '', 'TenantChanged'],
    ['and the list shows no tenants', 'a:T1', 'x', 'TenantChanged'],
    ['and the tenant is shown', 'a:T1', 'x:T1', undefined],
    ['and the deployment is shown', 'a:T1', 'a', undefined],
    ['and nothing is bound any more', '', '', undefined],
  ])('for as long as it was, %s', (_, expected, shown, doubt) => {
    expect(about(expected, shown, 'TenantChanged')).toBe(doubt);
  });

  test('by its tenant only if lists show the tenant, not for an absence', () => {
    expect(about('a:T1', '', 'MassAbsence')).toBeUndefined();
  });
});

test.each([
  ['T1', 'b:T1', 'x:T2 y:T3', true],
  ['T1', 'b:T1', 'x:T2 y', false],
  ['T1', 'b:T1', 'b:T2 y', true],
  ['T1', 'b:T1', 'b:T2 x:T1', false],
  ['T1', '', '', false],
])('a list may show others than %s only: expected %j, shown %j', (tenant, expected, shown, others) => {
  expect(isOfOthers(tenantsShown(pinned(expected), list(shown)), tenant)).toBe(others);
});
