import { describe, expect, test } from 'vitest';
import {
  isNameDigest,
  rememberedSecrets,
  storedSecrets,
  withinBound,
} from '../../../src/model/recorded/baseline.ts';
import { digestsWith } from '../../support/resources/builders.ts';

const digests = digestsWith();
const named = (names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.map((name, n) => [name, `digest-${n}`]));
const many = (length: number): readonly string[] =>
  Array.from({ length: 256 }, (_, n) => `SECRET_${n}_`.padEnd(length, 'x'));

describe('digests of secrets in a status', () => {
  test('have the names of the secrets while there is room', () => {
    const values = named([...many(30), 'A']);
    expect(storedSecrets(values, digests)).toEqual(Object.fromEntries(values));
  });

  test('have digests in place of long names if there is no room, and keep the short ones', () => {
    const values = named([...many(240).slice(1), 'API_TOKEN']);
    const stored = storedSecrets(values, digests);
    expect(Object.keys(stored)).toHaveLength(256);
    expect(stored).toHaveProperty('API_TOKEN', 'digest-255');
    expect(Object.keys(stored).filter(isNameDigest)).toHaveLength(255);
    expect(JSON.stringify(stored).length).toBeLessThan(13 * 1024);
  });

  test.each([30, 240])('are found again by name (%i characters)', (length) => {
    const values = named(many(length));
    const back = rememberedSecrets(storedSecrets(values, digests), values.keys(), digests);
    expect(new Map(back)).toEqual(new Map(values));
  });

  test('of unrequested names stay, and are stored unchanged', () => {
    const names = many(240);
    const stored = storedSecrets(named(names), digests);
    const back = rememberedSecrets(stored, names.slice(1), digests);
    expect(back.size).toBe(256);
    expect([...back.keys()].filter(isNameDigest)).toHaveLength(1);
    expect(storedSecrets(back, digests)).toEqual(stored);
  });

  test('are limited to the room in a status; the secrets that are sent first have priority', () => {
    const kept = withinBound(new Map([['OF_NOW', 'b']]), named([...many(30), 'OF_NOW']));
    expect(kept.size).toBe(256);
    expect(kept.get('OF_NOW')).toBe('b');
    expect(withinBound(named(many(30)), new Map([['EARLIER', '']])).has('EARLIER')).toBe(false);
  });

  test('cannot be mistaken for a name that looks like a digest', () => {
    const name = `#${'a'.repeat(22)}`;
    const values = named(['#short']);
    expect(storedSecrets(values, digests)).not.toHaveProperty('#short');
    expect(isNameDigest(name)).toBe(true);
  });
});
