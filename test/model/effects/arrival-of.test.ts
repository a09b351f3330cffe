import { describe, expect, test } from 'vitest';
import { arrivalOf } from '../../../src/model/effects/arrival-of.ts';
import { lacksUnlisted } from '../../../src/model/effects/beyond-unshown.ts';
import type { Arrival, Written } from '../../../src/model/effects/effect-of.ts';
import type { PatchBody } from '../../../src/model/external/patch-body.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { anObserved, NOW_MS } from '../../support/resources/builders.ts';

/** A deployment with a branch or without one, at a revision. */
const at = (latestRevisionID: string, repoRef: string | null) =>
  anObserved({
    latestRevisionID,
    sourceRevisionConfig: { fields: { graphConfigPath: 'first.json', repoRef } },
  });

describe('a write that rests on the answer to the write before it', () => {
  /** No list has shown the revision of either answer. */
  const written: Written = {
    before: at('rev-2', 'hotfix'),
    listed: at('rev-1', 'main'),
    answer: at('rev-2', null),
    body: { sourceRevisionConfig: { repoRef: null } },
    endedMs: NOW_MS - 60_000,
    dueMs: NOW_MS,
  };

  test.each([
    ['the answered revision', 'rev-2', 'shown'],
    ['another revision, which somebody may have made before both writes', 'rev-3', 'open'],
    ['the revision of the list before', 'rev-1', 'open'],
  ])('is judged by a list with %s', (_revision, id, arrival) => {
    expect(arrivalOf(written, at(id, null), NOW_MS - 1)).toBe(arrival);
  });

  test('is shown by a list with another revision if a list had shown the answered one', () => {
    const known = { ...written, listed: at('rev-2', 'main') };
    expect(arrivalOf(known, at('rev-3', null), NOW_MS - 1)).toBe('shown');
  });
});

describe('a write within the window of an answered write that no list has shown', () => {
  /** Returns a deployment with fields of its source and with an image. */
  const shows = (fields: JsonObject, image: string, latestRevisionID = 'rev-1') =>
    anObserved({
      latestRevisionID,
      sourceConfig: { fields },
      sourceRevisionConfig: { fields: { imageURI: image } },
    });
  const OLD = { installCommand: 'npm ci' };
  const sets = (fields: JsonObject): PatchBody => ({ sourceConfig: { fields } });
  const written: Written = {
    before: shows(OLD, 'agent:1'),
    body: { sourceRevisionConfig: { imageURI: 'agent:2' } },
    unshown: [sets({ customURL: 'https://two.example.com' })],
    listedPaths: new Set(['sourceConfig.customURL']),
    endedMs: NOW_MS - 60_000,
    dueMs: NOW_MS,
  };

  test.each<[string, JsonObject, Partial<Written>, Arrival]>([
    ['keeps a text that the write left out, without the value of the earlier one', OLD, {}, 'open'],
    ['shows the value of the earlier one', { ...OLD, customURL: 'https://two.example.com' }, {}, 'shown'],
    ['shows nothing that the write left out, which may have emptied all of it', {}, {}, 'shown'],
    [
      'shows the old value of the earlier one',
      { customURL: 'https://one.example.com' },
      { before: shows({ customURL: 'https://one.example.com' }, 'agent:1') },
      'open',
    ],
    ['lacks the value of the earlier one, which lists may hide', OLD, { listedPaths: new Set() }, 'open'],
    [
      'lacks the value of the earlier one, which a later one has emptied',
      OLD,
      { unshown: [sets({ customURL: null }), sets({ customURL: 'https://two.example.com' })] },
      'shown',
    ],
  ])('is judged by a list that shows the requested image and %s', (_text, fields, facts, arrival) => {
    const list = shows(fields, 'agent:2', 'rev-2');
    expect(arrivalOf({ ...written, ...facts }, list, NOW_MS - 1)).toBe(arrival);
  });

  test.each([
    ['no list has shown', [], true],
    ['lists have shown', ['sourceConfig.customURL'], false],
  ] as const)('may be hidden from a list that lacks a value of it which %s', (_text, listed, isHidden) => {
    const list = shows(OLD, 'agent:2', 'rev-2');
    const facts = { ...written, listedPaths: new Set(listed) };
    expect(lacksUnlisted(facts, list)).toBe(isHidden);
    expect(arrivalOf({ ...facts, asIfHidden: true }, list, NOW_MS - 1)).toBe(isHidden ? 'shown' : 'open');
  });
});
