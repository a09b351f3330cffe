import { expect, test } from 'vitest';
import { assess } from '../../../src/model/compare/assess.ts';
import { desiredDeployment } from '../../../src/model/desired/desired-deployment.ts';
import { fieldDigest } from '../../../src/model/recorded/baseline.ts';
import type { Written } from '../../../src/model/effects/effect-of.ts';
import type { Situation } from '../../../src/model/plan/situation.ts';
import {
  anObserved,
  aResource,
  aSituation,
  at,
  digestsWith,
  NOW_MS,
} from '../../support/resources/builders.ts';

const LABELS = 'sourceConfig.resourceSpec.labels';
const BARE = anObserved({ sourceConfig: { fields: {} } });
const SPEC = { sourceConfig: { resourceSpec: { labels: { tier: 'one' } } } };

/** The facts about our last write, and how long ago it was sent. */
interface Last extends Pick<Partial<Situation>, 'written' | 'inherited' | 'listedPaths'> {
  readonly secondsAgo?: number;
  readonly via?: 'list' | 'answer';
  readonly isCreation?: boolean;
  readonly isBesideRefusal?: boolean;
}

/** Returns the verdict on labels that lists have shown, if a look after our last write shows no resource spec. */
function verdictAfter(
  paths: readonly string[],
  { secondsAgo = 600, via = 'list', isCreation = false, isBesideRefusal = false, ...more }: Last = {},
): string | undefined {
  const digests = digestsWith();
  const [field] = desiredDeployment(aResource(SPEC).spec, { kind: 'unmanaged' }).fields;
  if (field === undefined) throw new Error('labels are declared');
  const shown = fieldDigest(field, field.value, digests);
  const fields = [{ path: LABELS, a: shown, b: shown }];
  const time = at(-1000 * secondsAgo);
  const accepted = { time, outcome: 'Applied', paths: [...paths], revisionID: 'rev-1' };
  const resource = aResource(SPEC, {
    status: {
      applied: { key: digests.keyID, generation: 1, time: at(0), fields },
      lastPatch: isBesideRefusal
        ? { time: at(-1000), outcome: 'Refused', paths: ['secrets'], accepted }
        : accepted,
      ...(isCreation && { creation: { state: 'Done', time } }),
    },
  });
  const situation = aSituation(resource, BARE, { digests, ...more });
  const { judgements } = assess({ ...situation, observed: BARE, beganMs: NOW_MS, via });
  return judgements[0]?.verdict;
}

test('a declared value is lost with its resource spec if our last write changed nothing in it', () => {
  expect(verdictAfter(['secrets'])).toBe('drift');
  expect(verdictAfter([LABELS]), 'lists may have begun to hide the whole (N31)').toBe('in-sync');
  expect(verdictAfter([]), 'a redeploy carries the revision block alone').toBe('drift');
});

test('a creation, and a change too large to be kept beside a refusal, asked for the resource spec', () => {
  expect(verdictAfter([], { isCreation: true })).toBe('in-sync');
  expect(verdictAfter(['secrets'], { isCreation: true }), 'a later write').toBe('drift');
  expect(verdictAfter([], { isBesideRefusal: true })).toBe('in-sync');
  expect(verdictAfter(['secrets'], { isBesideRefusal: true })).toBe('drift');
});

test('a list within the window tells the same once a list has shown that write', () => {
  const written: Written = {
    before: BARE,
    body: { secrets: [] },
    endedMs: NOW_MS - 10_000,
    dueMs: NOW_MS + 50_000,
  };
  const effect = { lost: [], dropped: [] };
  const within = (more: Last, paths = ['secrets']): string | undefined =>
    verdictAfter(paths, { secondsAgo: 10, ...more });
  expect(within({}), 'nothing of the write is open').toBe('drift');
  expect(within({ written: { ...written, effect } })).toBe('drift');
  expect(within({ written }), 'no list has shown the write').toBe('in-sync');
  const repair = { ...written, effect: { ...effect, repair: written } };
  expect(within({ written: repair }), 'no list has shown the repair').toBe('in-sync');
  expect(within({ inherited: true }), 'an earlier process made the write').toBe('in-sync');
  expect(within({ via: 'answer' }), 'an answer shows the state before the write').toBe('in-sync');
  expect(within({ listedPaths: new Set() }), 'lists may hide it (N31)').toBe('in-sync');
  expect(within({}, [LABELS]), 'lists may have begun to hide the whole (N31)').toBe('in-sync');
});

test('a key that spec.clear names is gone already while the status says that a write emptied its block', () => {
  const verdictWith = (lost: readonly string[], listed: readonly string[] = [LABELS]): string | undefined => {
    const lastPatch = { time: at(-600_000), outcome: 'Applied', paths: ['secrets'] };
    const resource = aResource({ clear: [LABELS] }, { status: { lost: [...lost], lastPatch } });
    const situation = aSituation(resource, BARE, { listedPaths: new Set(listed) });
    const { judgements } = assess({ ...situation, observed: BARE, beganMs: NOW_MS, via: 'list' });
    return judgements[0]?.verdict;
  };
  expect(verdictWith(['sourceConfig.resourceSpec'])).toBe('adopt');
  expect(verdictWith([]), 'lists may hide the whole block (N31)').toBe('first');
  expect(verdictWith(['sourceConfig.resourceSpec'], []), 'lists may never show the key').toBe('first');
});
