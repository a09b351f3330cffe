import { describe, expect, test } from 'vitest';
import { arrivalOf } from '../../../src/model/effects/arrival-of.ts';
import type { Written } from '../../../src/model/effects/effect-of.ts';
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
