import { describe, expect, test } from 'vitest';
import { carriedOver, effectOf, WHOLE_SPEC, type Written } from '../../../src/model/effects/effect-of.ts';
import {
  afterOthers,
  asAnswered,
  withListed,
  withoutGone,
  withoutEmptied,
  withoutTaken,
} from '../../../src/model/effects/taken.ts';
import { defined } from '../../../src/base/defined.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { anObserved } from '../../support/resources/builders.ts';

function withSpec(fields: JsonObject): ObservedDeployment {
  return anObserved({ sourceConfig: { fields: {}, resourceSpec: { fields, unknown: {} } } });
}

test('a resource spec that was left out equals that of the answer, without fields that only the answer shows', () => {
  const before = withSpec({ serviceAccountName: 'one', memoryMB: 512 });
  const answer = withSpec({ serviceAccountName: 'two', cpu: 1 });
  const specAfter = (body: object) => asAnswered({ before, body }, answer).sourceConfig?.resourceSpec?.fields;
  expect(specAfter({ sourceRevisionConfig: { repoRef: 'main' } })).toEqual({
    serviceAccountName: 'two',
    memoryMB: 512,
  });
  const asks = { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 2 }, unknown: {} } } };
  expect(specAfter(asks), 'an answer to what asks for the block may repeat that').toEqual({
    serviceAccountName: 'one',
    memoryMB: 512,
  });
});

test('a branch shown as its commit equals the commit that the answer shows', () => {
  const [old, newer] = ['a', 'b'].map((letter) => letter.repeat(40));
  const look = (repoRef = ''): ObservedDeployment =>
    anObserved({ sourceRevisionConfig: { fields: { repoRef } } });
  const body = { sourceConfig: { fields: { customURL: 'https://agent.example.com' } } };
  const refAfter = (before?: string, answer?: string) =>
    asAnswered({ before: look(before), body }, look(answer)).sourceRevisionConfig?.fields['repoRef'];
  expect(refAfter(old, newer)).toBe(newer);
  expect(refAfter('main', newer), 'the branch is the more general text').toBe('main');
  expect(refAfter(old, 'main')).toBe('main');
});

test('a list before a write says nothing about a value that the write empties and an open write left out', () => {
  const listed = anObserved({ sourceConfig: { fields: { buildCommand: 'make', installCommand: 'npm ci' } } });
  const body = { sourceConfig: { fields: { buildCommand: null } } };
  const open = ['sourceConfig.buildCommand', 'sourceConfig.installCommand'];
  expect(withoutEmptied(listed, body, open).sourceConfig?.fields).toEqual({ installCommand: 'npm ci' });
  expect(withoutEmptied(listed, body, [])).toEqual(listed);
});

describe('a list that lacks a value beside a text that stays, before it shows our last write', () => {
  const older = anObserved({ sourceConfig: { fields: { buildCommand: 'make' } } });
  const listed = anObserved({
    sourceConfig: { fields: { buildCommand: 'make', customURL: 'https://agent.example.com' } },
  });
  const image: Written = {
    ...{ before: listed, listed, body: { sourceRevisionConfig: { imageURI: 'agent:2' } } },
    ...{ answer: anObserved({ sourceRevisionConfig: { fields: { imageURI: 'agent:2' } } }) },
    ...{ endedMs: 0, dueMs: 60_000 },
  };
  const setsURL = { sourceConfig: { fields: { customURL: 'https://agent.example.com' } } };
  const afterURL: Written = { ...image, unshown: [setsURL] };
  const next = { before: listed, listed: older, body: { secrets: [] } };
  const urlIn = (look: ObservedDeployment | undefined) => look?.sourceConfig?.fields['customURL'];

  test('shows that somebody removed the value', () => {
    expect(urlIn(withoutTaken(image, older).listed)).toBeUndefined();
    expect(urlIn(carriedOver(image, next).listed)).toBeUndefined();
  });

  test('shows a loss if it shows the revision of the write, whatever it hides of its values', () => {
    const of = (look: ObservedDeployment, latestRevisionID: string | null): ObservedDeployment => ({
      ...look,
      latestRevisionID,
    });
    const write = {
      ...{ ...image, before: of(listed, 'rev-1'), listed: of(listed, 'rev-1') },
      ...{ answer: anObserved({ latestRevisionID: 'rev-2' }) },
    };
    expect(withoutTaken(write, of(older, 'rev-2'))).toBe(write);
    expect(urlIn(withoutTaken(write, of(older, 'rev-1')).listed)).toBeUndefined();
    expect(urlIn(withoutTaken(write, of(older, 'rev-3')).listed)).toBeUndefined();
    const unshown = { ...write, answer: of(write.answer, null) };
    expect(urlIn(withoutTaken(unshown, of(older, null)).listed), 'neither shows any').toBeUndefined();
  });

  test('may be older than an earlier write that set the value and that no list had shown', () => {
    expect(withoutTaken(afterURL, older)).toBe(afterURL);
    expect(urlIn(carriedOver(afterURL, next).listed)).toBe('https://agent.example.com');
  });
});

describe('a list that lacks something of every block that our last write left out, and still shows a text', () => {
  const look = (revisions: Partial<ObservedDeployment>, fields: JsonObject): ObservedDeployment =>
    anObserved({ sourceConfig: { fields }, secrets: [], ...revisions });
  const shown = { buildCommand: 'make', installCommand: 'npm ci' };
  const secrets = [{ name: 'BY_HAND' }];
  const before = look({ latestRevisionID: 'one', activeRevisionID: 'one', secrets }, shown);
  const redeploy: Written = {
    ...{ before, listed: before, body: { sourceRevisionConfig: { imageURI: 'agent:1' } } },
    ...{ answer: look({ latestRevisionID: null }, {}) },
    ...{ endedMs: 0, dueMs: 60_000 },
  };
  const onTop = { latestRevisionID: 'two', activeRevisionID: 'one' };
  const list = look(onTop, { buildCommand: 'make' });
  const lostAfter = (written: Written, seen: ObservedDeployment, later = look(onTop, {})) =>
    effectOf(withoutTaken(written, seen), later, 'due').lost;
  const COMMAND = 'sourceConfig.buildCommand';

  test('shows that the write spared the text, if the list is newer than the look before the write', () => {
    expect(lostAfter(redeploy, list)).not.toContain(COMMAND);
    const ofAnswer = { ...redeploy, answer: anObserved({ latestRevisionID: 'two' }) };
    expect(lostAfter(ofAnswer, list), 'the answer shows the revision').not.toContain(COMMAND);
    const again = { ...redeploy, previous: redeploy.body };
    expect(lostAfter(again, list), 'the write before left it out too').not.toContain(COMMAND);
  });

  test('shows that the write did not empty the block, as long as the text stays', () => {
    expect(lostAfter(redeploy, list, list)).toEqual(['secrets']);
  });

  test('shows that the write spared a resource spec too', () => {
    const { sourceConfig } = withSpec({ cpu: 4 });
    const beside = { ...before, sourceConfig: { ...sourceConfig, fields: shown } };
    const written = { ...redeploy, before: beside, listed: beside };
    const lost = lostAfter(written, { ...list, ...defined({ sourceConfig }) });
    expect(lost).toContain(COMMAND);
    expect(lost).not.toContain(WHOLE_SPEC);
  });

  test.each<readonly [string, Written, ObservedDeployment]>([
    ['the list may be older: another revision is active', redeploy, { ...list, activeRevisionID: 'zero' }],
    ['the list shows no new revision', redeploy, { ...list, latestRevisionID: 'one' }],
    ['one block is whole', redeploy, { ...list, secrets }],
    ['the write left out one block', { ...redeploy, body: { secrets: [] } }, list],
    ['no answer shows that the write arrived', { ...redeploy, answer: undefined }, list],
    ['the answer shows another', { ...redeploy, answer: anObserved({ latestRevisionID: 'three' }) }, list],
    [
      'the list may show only the write before, which carried the text',
      { ...redeploy, previous: { sourceConfig: { fields: { buildCommand: 'make' } } } },
      list,
    ],
  ])('may be from before the write, which can still empty the text: %s', (_why, written, seen) => {
    expect(lostAfter(written, seen)).toContain(COMMAND);
  });
});

describe('a list with a value that the write before the last carried and that the look before the last lacks', () => {
  const look = (latestRevisionID: string | null, fields: JsonObject = {}): ObservedDeployment =>
    anObserved({ sourceConfig: { fields }, sourceRevisionConfig: { fields: {} }, latestRevisionID });
  const graph = { sourceRevisionConfig: { fields: { graphConfigPath: 'theirs.json' } } };
  const customURL = 'https://agent.example.com';
  const setsURL: Written = {
    ...{ before: look('rev-1'), listed: look('rev-1'), body: { sourceConfig: { fields: { customURL } } } },
    ...{ answer: look('rev-2', { customURL }), endedMs: 0, dueMs: 60_000 },
    previous: { sourceRevisionConfig: { graphConfigPath: 'theirs.json' } },
  };
  const graphsIn = ({ before, listed }: Written): readonly unknown[] =>
    [before, listed].map((seen) => seen?.sourceRevisionConfig?.fields['graphConfigPath']);

  test('is newer than that look if its revision is the one that the answer shows as new', () => {
    const between = { ...look('rev-2'), ...graph };
    expect(graphsIn(withListed(setsURL, between))).toEqual(['theirs.json', 'theirs.json']);
  });

  test('shows an image that the service did not build even if lists hide the source', () => {
    const { source: _, ...list } = look('rev-2');
    const { source: __, ...before } = { ...look('rev-1'), declaredSource: 'external_container' };
    const between = { ...list, sourceRevisionConfig: { fields: { imageURI: 'agent:1' } } };
    const previous = { sourceRevisionConfig: { imageURI: 'agent:1' } };
    const after = withListed({ ...setsURL, before, listed: before, previous }, between);
    expect(after.before.sourceRevisionConfig?.fields).toEqual({ imageURI: 'agent:1' });
  });

  test('may be older than that look, or newer than the write, in every other case', () => {
    const nothing = [undefined, undefined];
    for (const revision of ['rev-0', 'rev-1', 'rev-3', null])
      expect(graphsIn(withListed(setsURL, { ...look(revision), ...graph }))).toEqual(nothing);
    const shown = { ...look('rev-2', { customURL }), ...graph };
    expect(graphsIn(withListed(setsURL, shown)), 'the write has arrived').toEqual(nothing);
    const sendsSecrets = { ...setsURL, body: { ...setsURL.body, secrets: [] } };
    const between = { ...look('rev-2'), ...graph };
    expect(graphsIn(withListed(sendsSecrets, between)), 'it may be its own revision').toEqual(nothing);
    const after = { ...setsURL, previous: { sourceConfig: { fields: { customURL } } } };
    expect(graphsIn(withListed(after, between)), 'somebody else set it').toEqual(nothing);
  });
});

describe('a list that shows the revision of another client and nothing of our write', () => {
  const [old, pushed] = ['a', 'b'].map((letter) => letter.repeat(40));
  const look = (latestRevisionID: string | null, repoRef = pushed ?? null, buildCommand = 'make') =>
    anObserved({
      latestRevisionID,
      sourceConfig: { fields: { buildCommand } },
      sourceRevisionConfig: { fields: { repoRef } },
    });
  const before = look('rev-1', old);
  const body = { sourceConfig: { fields: { customURL: 'https://agent.example.com' } } };
  const times = { endedMs: 0, dueMs: 60_000 };
  const unanswered: Written = { before, listed: before, body, answered: false, ...times };
  const list = look('rev-2', pushed, 'npm run build');

  test('is newer than the look before the write, which takes over its values and its revision', () => {
    const after = afterOthers(unanswered, list);
    expect(after).toEqual({ ...unanswered, before: list, followed: true });
    expect(afterOthers(after, before), 'a lagging replica shows the earlier look again').toBe(after);
  });

  test('may be older, or newer than the write, in every other case', () => {
    const { latestRevisionID: _, ...unnamed } = before;
    const others: Readonly<Record<string, Written>> = {
      'its answer tells more': { ...unanswered, answer: list, answered: true },
      'its losses are known': { ...unanswered, effect: { lost: [], dropped: [] } },
      'an earlier write may be newer': { ...unanswered, unshown: [{ secrets: [] }] },
      'no revision to compare with': { ...unanswered, before: unnamed, listed: unnamed },
    };
    for (const [why, written] of Object.entries(others))
      expect(afterOthers(written, list), why).toBe(written);
    const { latestRevisionID: __, ...without } = list;
    const arrived = { ...list, ...body };
    const apart = { ...list, activeRevisionID: 'rev-0' };
    for (const other of [look('rev-1'), look(null), without, look('rev-2', old), arrived, apart])
      expect(afterOthers(unanswered, other)).toBe(unanswered);
  });
});

describe('a value that lists showed before an earlier write, and lack before the next one that leaves it out too', () => {
  const look = (fields: JsonObject): ObservedDeployment => anObserved({ sourceConfig: { fields } });
  const [shown, lacking] = [look({ buildCommand: 'make' }), look({})];
  const carries = { sourceConfig: { fields: { buildCommand: 'make' } } };
  const image = { sourceRevisionConfig: { imageURI: 'agent:1' } };
  const earlier: Written = { before: shown, listed: shown, body: image, endedMs: 0, dueMs: 60_000 };
  const next: Written = {
    ...earlier,
    listed: lacking,
    body: { sourceRevisionConfig: { imageURI: 'agent:2' } },
  };
  const commandsAfter = (last: Written | undefined, written: Written): readonly unknown[] => {
    const { before, listed } = withListed(withoutGone(last, written), shown);
    return [before, listed].map((seen) => seen?.sourceConfig?.fields['buildCommand']);
  };

  test('is gone, whatever an answer and a later list show', () => {
    expect(commandsAfter(earlier, next)).toEqual([undefined, undefined]);
  });

  test.each<readonly [string, Written | undefined, Written]>([
    ['there was no earlier write', undefined, next],
    ['lists did not show it before the earlier write', { ...earlier, listed: lacking }, next],
    ['the earlier write carried it', { ...earlier, body: carries }, next],
    ['the list may be older than the write that carried it', { ...earlier, unshown: [carries] }, next],
    ['the list may be older than the last write but one', { ...earlier, previous: carries }, next],
    ['the effect of the earlier write is known', { ...earlier, effect: { lost: [], dropped: [] } }, next],
  ])('may be there: %s', (_why, last, written) => {
    expect(commandsAfter(last, written)).toEqual(['make', 'make']);
  });

  test.each<readonly [string, Partial<ObservedDeployment>]>([
    ['value', { sourceRevisionConfig: { fields: { imageURI: 'agent:0' } } }],
    ['revision', { latestRevisionID: 'rev-0' }],
  ])('may be there if the list shows the %s that the answer to the earlier write replaced', (_what, old) => {
    const now = { sourceRevisionConfig: { fields: { imageURI: 'agent:1' } }, latestRevisionID: 'rev-1' };
    const before = { ...shown, ...old };
    const answered: Written = { ...earlier, before, listed: before, answer: { ...shown, ...now } };
    expect(commandsAfter(answered, { ...next, listed: { ...lacking, ...old } })).toEqual(['make', 'make']);
  });

  test.each<readonly [string, readonly string[], Partial<ObservedDeployment>]>([
    [
      'may be there if the answer to the earlier write lacks it: that write may have emptied it',
      ['make'],
      {},
    ],
    ['is gone if that answer shows nothing that the write left out', [], { secrets: [] }],
  ])('%s', (_name, commands, more) => {
    const secrets = [{ name: 'BY_HAND' }];
    const before = { ...shown, secrets };
    const answered: Written = {
      ...earlier,
      before,
      listed: before,
      answer: { ...lacking, secrets, ...more },
    };
    const [command] = commands;
    expect(commandsAfter(answered, { ...next, listed: { ...lacking, secrets } })).toEqual([command, command]);
  });

  test('is gone if an answer shows it, but nothing shows that the list is older than that answer', () => {
    expect(commandsAfter({ ...earlier, answer: shown }, next)).toEqual([undefined, undefined]);
  });

  test('counts as before if the next write carries it', () => {
    expect(withoutGone(earlier, { ...next, body: carries }).before).toEqual(shown);
  });
});
