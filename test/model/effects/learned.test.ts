import { describe, expect, test } from 'vitest';
import type { ObservedDeployment, ObservedSecret } from '../../../src/model/external/observation.ts';
import type { PatchBody } from '../../../src/model/external/patch-body.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import {
  believe,
  type Learned,
  lessonOfRefusal,
  lessonsOf,
  type Streak,
} from '../../../src/model/effects/learned.ts';
import type { Written } from '../../../src/model/effects/effect-of.ts';
import { untouchedBy } from '../../../src/model/effects/untouched.ts';
import { anObserved, at, NOW_MS } from '../../support/resources/builders.ts';

function secret(name: string, value?: string): ObservedSecret {
  return value === undefined ? { name } : { name, value: new SecretValue(value) };
}

function sent(...entries: readonly (readonly [name: string, value: string])[]): PatchBody {
  return { secrets: entries.map(([name, value]) => ({ name, value: new SecretValue(value) })) };
}

const URL_SHOWN = { sourceConfig: { fields: { customURL: 'https://a.example.com' } } };
const GRAPH = { sourceRevisionConfig: { fields: { graphConfigPath: 'graph.json' } } };
const IMAGE = { sourceRevisionConfig: { fields: { imageURI: 'agent:1' } } };

interface Row {
  readonly name: string;
  readonly because: string;
  readonly before?: Partial<ObservedDeployment>;
  readonly body: PatchBody;
  readonly after: Partial<ObservedDeployment>;
  readonly answer?: Partial<ObservedDeployment>;
  readonly listed?: Partial<ObservedDeployment>;
  readonly previous?: PatchBody;
  readonly want: readonly (readonly [topic: string, verdict: string])[];
}

const ROWS: readonly Row[] = [
  {
    name: 'an omitted field that stayed',
    because: 'it was there before and after',
    before: URL_SHOWN,
    body: { sourceRevisionConfig: { imageURI: 'agent:2' } },
    after: URL_SHOWN,
    want: [['omittedFields', 'Keep']],
  },
  {
    name: 'an omitted field that disappeared',
    because: 'one loss outweighs all kept fields',
    before: { ...URL_SHOWN, secrets: [secret('A')] },
    body: { sourceRevisionConfig: { imageURI: 'agent:2' } },
    after: { sourceConfig: { fields: {} }, secrets: [secret('A')] },
    want: [['omittedFields', 'Replace']],
  },
  {
    name: 'an omitted field that stayed, which the answer lacks, beside a third revision',
    because: 'somebody else may have set it again',
    before: { ...GRAPH, latestRevisionID: 'rev-1' },
    body: { sourceConfig: { fields: { buildCommand: 'make' } } },
    answer: { sourceRevisionConfig: { fields: {} }, latestRevisionID: 'rev-2' },
    after: { ...GRAPH, latestRevisionID: 'rev-3' },
    want: [],
  },
  {
    name: 'an omitted field that stayed, which the answer lacks, beside the revision of the answer',
    because: 'the answer may repeat only the request',
    before: { ...GRAPH, latestRevisionID: 'rev-1' },
    body: { sourceConfig: { fields: { buildCommand: 'make' } } },
    answer: { sourceRevisionConfig: { fields: {} }, latestRevisionID: 'rev-2' },
    after: { ...GRAPH, latestRevisionID: 'rev-2' },
    want: [['omittedFields', 'Keep']],
  },
  {
    name: 'a flag that stayed',
    because: 'the service may have set its default again',
    before: { sourceConfig: { fields: { buildOnPush: false } } },
    body: { sourceRevisionConfig: { imageURI: 'agent:2' } },
    after: { sourceConfig: { fields: { buildOnPush: false } } },
    want: [],
  },
  {
    name: 'no field that could be lost',
    because: 'no lesson is possible',
    body: { sourceRevisionConfig: { imageURI: 'agent:2' } },
    after: {},
    want: [],
  },
  {
    name: 'a null that emptied',
    because: 'the value is gone',
    before: URL_SHOWN,
    body: { sourceConfig: { fields: { customURL: null } } },
    answer: { sourceConfig: { fields: {} } },
    after: { sourceConfig: { fields: { customURL: null } } },
    want: [['nulls', 'Clears']],
  },
  ...[undefined, URL_SHOWN].map((answer) => ({
    name: `a null for a field that a list lacks, beside an answer that shows ${answer === undefined ? 'nothing' : 'it'}`,
    because: 'the list may come from a replica that never had it',
    before: URL_SHOWN,
    body: { sourceConfig: { fields: { customURL: null } } },
    ...(answer === undefined ? {} : { answer }),
    after: { sourceConfig: { fields: {} } },
    want: [],
  })),
  {
    name: 'a null that did nothing',
    because: 'the value still exists',
    before: URL_SHOWN,
    body: { sourceConfig: { fields: { customURL: null } } },
    after: URL_SHOWN,
    want: [['nulls', 'Ignored']],
  },
  {
    name: 'a null for a number that is shown as before',
    because: 'that may be the default, which means unset',
    before: { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 1 }, unknown: {} } } },
    body: { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: null }, unknown: {} } } },
    after: { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 1 }, unknown: {} } } },
    want: [],
  },
  {
    name: 'a null for a field with another value since',
    because: 'another client set that, possibly after the field was emptied',
    before: URL_SHOWN,
    body: { sourceConfig: { fields: { customURL: null } } },
    after: { sourceConfig: { fields: { customURL: 'https://b.example.com' } } },
    want: [],
  },
  {
    name: 'a null for a field that the answer lacks and a list shows as before',
    because: 'another client restored it',
    before: URL_SHOWN,
    body: { sourceConfig: { fields: { customURL: null } } },
    answer: { sourceConfig: { fields: {} } },
    after: URL_SHOWN,
    want: [],
  },
  {
    name: 'a null in the resource spec that emptied',
    because: 'nulls clear there too',
    before: { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 1 }, unknown: {} } } },
    body: { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: null }, unknown: {} } } },
    answer: { sourceConfig: { fields: {}, resourceSpec: { fields: {}, unknown: {} } } },
    after: { sourceConfig: { fields: {}, resourceSpec: { fields: {}, unknown: {} } } },
    want: [['nulls', 'Clears']],
  },
  {
    name: 'a null in the revision block that did nothing',
    because: 'nulls may be ignored there',
    before: { sourceRevisionConfig: { fields: { repoRef: 'main' } } },
    body: { sourceRevisionConfig: { repoRef: null } },
    after: { sourceRevisionConfig: { fields: { repoRef: 'main' } } },
    want: [['nulls', 'Ignored']],
  },
  {
    name: 'a null for an empty field',
    because: 'that proves nothing',
    body: { sourceConfig: { fields: { customURL: null } } },
    after: {},
    want: [],
  },
  {
    name: 'a name that was left out and disappeared, which the answer lacks too',
    because: 'the list was replaced',
    before: { secrets: [secret('A'), secret('B')] },
    body: sent(['A', '1']),
    answer: { secrets: [secret('A')] },
    after: { secrets: [secret('A')] },
    want: [
      ['lists', 'Replace'],
      ['secretsVisibility', 'NamesOnly'],
    ],
  },
  ...(
    [
      ['shows it beside the new revision', { secrets: [secret('A'), secret('B')], latestRevisionID: 'r2' }],
      ['shows it beside the old revision', { secrets: [secret('A'), secret('B')], latestRevisionID: 'r1' }],
      ['shows nothing of the write', undefined],
    ] as const
  ).map(([what, answer]): Row => ({
    name: `a name that was left out and disappeared, although the answer ${what}`,
    because: 'somebody may have removed it since',
    before: { secrets: [secret('A'), secret('B')], latestRevisionID: 'r1' },
    body: sent(['A', '1']),
    ...(answer === undefined ? {} : { answer }),
    after: { secrets: [secret('A')], latestRevisionID: 'r3' },
    want: [['secretsVisibility', 'NamesOnly']],
  })),
  {
    name: 'a name that was left out and disappeared, and an answer that lacks the sent name too',
    because: 'the answer shows nothing of the list, and the name may have been gone before',
    before: { secrets: [secret('A'), secret('B')] },
    body: sent(['A', '1']),
    answer: { secrets: [] },
    after: { secrets: [secret('A')] },
    want: [['secretsVisibility', 'NamesOnly']],
  },
  ...(
    [
      ['it', sent(['A', '0'])],
      ['all secrets', { sourceRevisionConfig: { imageURI: 'agent:2' } }],
    ] as const
  ).map(([what, previous]): Row => ({
    name: `a name that was left out and disappeared, after a write that had left out ${what} before`,
    because: 'it had stayed, or the effect of that write shows late',
    before: { secrets: [secret('A'), secret('B')] },
    body: sent(['A', '1']),
    previous,
    answer: { secrets: [secret('A')] },
    after: { secrets: [secret('A')] },
    want: [['secretsVisibility', 'NamesOnly']],
  })),
  {
    name: 'two names that disappeared, of which the write before had left out one',
    because: 'the other one was left out for the first time',
    before: { secrets: [secret('A'), secret('B'), secret('C')] },
    body: sent(['A', '1']),
    previous: sent(['A', '0'], ['B', '0']),
    answer: { secrets: [secret('A')] },
    after: { secrets: [secret('A')] },
    want: [
      ['lists', 'Replace'],
      ['secretsVisibility', 'NamesOnly'],
    ],
  },
  {
    name: 'a name that was left out and stayed',
    because: 'the list was merged by name',
    before: { secrets: [secret('A'), secret('B')] },
    body: sent(['A', '1']),
    answer: { secrets: [secret('A'), secret('B')] },
    after: { secrets: [secret('A'), secret('B')] },
    want: [
      ['lists', 'Merge'],
      ['secretsVisibility', 'NamesOnly'],
    ],
  },
  {
    name: 'a name that was left out and stayed, and no answer',
    because: 'somebody may have put it back',
    before: { secrets: [secret('A'), secret('B')] },
    body: sent(['A', '1']),
    after: { secrets: [secret('A'), secret('B')] },
    want: [['secretsVisibility', 'NamesOnly']],
  },
  {
    name: 'a name that was left out and that lists lacked before',
    because: 'it was added to complete an answer, and the previous write may have removed it',
    before: { secrets: [secret('A'), secret('B')] },
    listed: { secrets: [secret('A')] },
    body: sent(['A', '1']),
    after: { secrets: [secret('A')] },
    want: [['secretsVisibility', 'NamesOnly']],
  },
  {
    name: 'one of two names that were left out stayed, which the look before lacked',
    because: 'that look was an answer, lists showed the name, and another client removed the other one',
    before: { secrets: [secret('B')] },
    listed: { secrets: [secret('B'), secret('C')] },
    body: sent(),
    after: { secrets: [secret('C')] },
    want: [],
  },
  {
    name: 'one of two names that were left out stayed',
    because: 'another client was involved',
    before: { secrets: [secret('A'), secret('B'), secret('C')] },
    body: sent(['A', '1']),
    after: { secrets: [secret('A'), secret('B')] },
    want: [['secretsVisibility', 'NamesOnly']],
  },
  {
    name: 'only other names after secrets were sent',
    because: 'the list shows nothing of the write',
    body: sent(['A', '1']),
    after: { secrets: [secret('B')] },
    want: [],
  },
  {
    name: 'an empty list after secrets were sent',
    because: 'secrets are never shown',
    body: sent(['A', '1']),
    answer: {},
    after: { secrets: [] },
    want: [['secretsVisibility', 'Omitted']],
  },
  {
    name: 'another text than the sent one, and one that was shown before',
    because: 'another client edited it',
    before: { secrets: [secret('A', 'value-one')] },
    body: { ...sent(['A', 'value-one']), sourceConfig: URL_SHOWN.sourceConfig },
    after: { ...URL_SHOWN, secrets: [secret('A', 'quite-another-text')] },
    want: [],
  },
  {
    name: 'another value than the one that was sent',
    because: 'it is a mask',
    body: sent(['A', '1']),
    after: { secrets: [secret('A', '****')] },
    want: [['secretsVisibility', 'Masked']],
  },
  {
    name: 'the value that was sent, not shown before',
    because: 'it is an echo',
    before: { secrets: [secret('A', '0')] },
    body: sent(['A', '1']),
    after: { secrets: [secret('A', '1')] },
    want: [['secretsVisibility', 'Plain']],
  },
  {
    name: 'one of two values that were sent, and that the answer shows as sent',
    because: 'somebody has edited the other one since',
    body: sent(['A', 'value-one'], ['B', 'value-two']),
    answer: { secrets: [secret('A', 'value-one'), secret('B', 'value-two')], latestRevisionID: 'rev-2' },
    after: {
      secrets: [secret('A', 'value-one'), secret('B', 'quite-another-text')],
      latestRevisionID: 'rev-3',
    },
    want: [['secretsVisibility', 'Plain']],
  },
  {
    name: 'the same without another revision',
    because: 'lists may mask what answers show',
    body: sent(['A', 'value-one'], ['B', 'value-two']),
    answer: { secrets: [secret('A', 'value-one'), secret('B', 'value-two')], latestRevisionID: 'rev-2' },
    after: {
      secrets: [secret('A', 'value-one'), secret('B', 'quite-another-text')],
      latestRevisionID: 'rev-2',
    },
    want: [],
  },
  {
    name: 'one of two values that were sent, beside another text',
    because: 'that may be a mask',
    body: sent(['A', 'value-one'], ['B', 'value-two']),
    after: { secrets: [secret('A', 'value-one'), secret('B', 'quite-another-text')] },
    want: [],
  },
  {
    name: 'an empty value',
    because: 'a mask may be empty',
    body: sent(['A', '']),
    after: { secrets: [secret('A', '')] },
    want: [],
  },
  {
    name: 'the value that was sent, shown before too',
    because: 'a mask that is sent back looks the same',
    before: { secrets: [secret('A', '****')] },
    body: sent(['A', '****']),
    after: { secrets: [secret('A', '****')] },
    want: [],
  },
  {
    name: 'no change and a new revision',
    because: 'a mention was sufficient',
    before: { ...URL_SHOWN, ...IMAGE },
    body: { sourceRevisionConfig: { imageURI: 'agent:1' } },
    after: { ...URL_SHOWN, ...IMAGE, latestRevisionID: 'rev-2' },
    answer: { ...IMAGE, latestRevisionID: 'rev-2' },
    want: [
      ['omittedFields', 'Keep'],
      ['revisionTrigger', 'Presence'],
    ],
  },
  {
    name: 'no change and a new revision, where no image is shown',
    because: 'the image may have been emptied, which is a change',
    before: { ...URL_SHOWN, ...GRAPH },
    body: { sourceRevisionConfig: { graphConfigPath: 'graph.json' } },
    after: { ...URL_SHOWN, ...GRAPH, latestRevisionID: 'rev-2' },
    answer: { ...GRAPH, latestRevisionID: 'rev-2' },
    want: [['omittedFields', 'Keep']],
  },
  {
    name: 'no change and a new revision, if other fields are hidden',
    because: 'a hidden field may have been emptied',
    before: IMAGE,
    body: { sourceRevisionConfig: { imageURI: 'agent:1' } },
    after: { ...IMAGE, latestRevisionID: 'rev-2' },
    answer: { ...IMAGE, latestRevisionID: 'rev-2' },
    want: [],
  },
  {
    name: 'no change and a new revision that the answer does not show',
    because: 'somebody else may have made it',
    before: IMAGE,
    body: { sourceRevisionConfig: { imageURI: 'agent:1' } },
    after: { ...IMAGE, latestRevisionID: 'rev-2' },
    answer: IMAGE,
    want: [],
  },
  {
    name: 'no change, a new revision and an edit beside it',
    because: 'the edit may have made it',
    before: IMAGE,
    body: { sourceRevisionConfig: { imageURI: 'agent:1' } },
    after: { ...IMAGE, sourceConfig: { fields: { buildCommand: 'make' } }, latestRevisionID: 'rev-2' },
    answer: { ...IMAGE, sourceConfig: { fields: { buildCommand: 'make' } }, latestRevisionID: 'rev-2' },
    want: [],
  },
  {
    name: 'no change, a loss and a new revision',
    because: 'a field emptied by the service is a change as well',
    before: { ...IMAGE, sourceConfig: { fields: { buildCommand: 'make' } } },
    body: { sourceRevisionConfig: { imageURI: 'agent:1' } },
    after: { ...IMAGE, sourceConfig: { fields: {} }, latestRevisionID: 'rev-2' },
    want: [['omittedFields', 'Replace']],
  },
  {
    name: 'no change and no revision',
    because: 'only changes make one',
    before: IMAGE,
    body: { sourceRevisionConfig: { imageURI: 'agent:1' } },
    after: IMAGE,
    want: [['revisionTrigger', 'Change']],
  },
  {
    name: 'a change and a new revision',
    because: 'the specification says so, and it proves nothing',
    before: IMAGE,
    body: { sourceRevisionConfig: { imageURI: 'agent:2' } },
    after: { sourceRevisionConfig: { fields: { imageURI: 'agent:2' } }, latestRevisionID: 'rev-2' },
    want: [],
  },
  {
    name: 'an answer with a resource spec that no list shows',
    because: 'lists hide it',
    before: { ...IMAGE, sourceConfig: { fields: {} } },
    body: { sourceRevisionConfig: { imageURI: 'agent:2' } },
    answer: {
      sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 1 }, unknown: {} } },
      latestRevisionID: 'rev-2',
    },
    after: { sourceConfig: { fields: {} }, latestRevisionID: 'rev-2' },
    want: [['resourceSpecs', 'Hidden']],
  },
];

describe('the lesson of one write', () => {
  test.each(ROWS)('$name: $because', ({ before, body, after, answer, listed, previous, want }) => {
    const shown = { answer: answer && anObserved(answer), listed: listed && anObserved(listed) };
    const written = { before: anObserved(before), body, ...shown, previous, endedMs: NOW_MS, dueMs: NOW_MS };
    const fate = untouchedBy(written, anObserved(after));
    const lessons = lessonsOf(written, anObserved(after), { ...fate, beganMs: NOW_MS });
    expect(lessons.map(({ topic, verdict }) => [topic, verdict])).toEqual(want);
  });
});

test('another value than the sent one is no mask in a list that shows a value as it stood beside one of ours', () => {
  const [before, after] = [['OTHER'], ['A', 'OTHER']].map((names) =>
    anObserved({ secrets: names.map((name) => secret(name, `first-value-of-${name}`)) }),
  );
  if (before === undefined || after === undefined) throw new Error('there is no look');
  const written = { before, body: sent(['A', 'second-text']), endedMs: NOW_MS, dueMs: NOW_MS };
  const isMasked = (seen: readonly ObservedSecret[]): boolean =>
    lessonsOf(written, after, { lost: [], kept: [], seen }).some(({ verdict }) => verdict === 'Masked');
  expect(isMasked([secret('A', 'first-value-of-A'), secret('OTHER', 'first-value-of-OTHER')])).toBe(false);
  expect(isMasked([secret('A', 'first-text'), secret('OTHER', 'some-text')])).toBe(true);
});

test('another value than the sent one is no mask beside a value that an earlier write sent and no list had shown', () => {
  const [before, after] = [[], ['A', 'B']].map((names: readonly string[]) =>
    anObserved({ secrets: names.map((name) => secret(name, `shown-value-of-${name}`)) }),
  );
  if (before === undefined || after === undefined) throw new Error('there is no look');
  const written = { before, body: sent(['A', 'sent-value-of-A']), endedMs: NOW_MS, dueMs: NOW_MS };
  const isMasked = (more: Partial<Pick<Written, 'listed' | 'previous' | 'unshown'>>): boolean =>
    lessonsOf({ ...written, answer: before, listed: before, ...more }, after, { lost: [], kept: [] }).some(
      ({ verdict }) => verdict === 'Masked',
    );
  const earlier = sent(['A', 'sent-value-of-A'], ['B', 'shown-value-of-B']);
  expect(isMasked({})).toBe(true);
  expect(isMasked({ unshown: [earlier] })).toBe(false);
  expect(isMasked({ previous: earlier }), 'its answer showed nothing of it').toBe(false);
  expect(isMasked({ previous: sent(['B', 'another-value-of-B']) })).toBe(true);
  expect(isMasked({ previous: earlier, listed: after }), 'the value was there before').toBe(true);
});

test('a new revision proves nothing while an earlier write may have made it', () => {
  const [before, after] = [anObserved(IMAGE), anObserved({ ...IMAGE, latestRevisionID: 'rev-2' })];
  const body = { sourceRevisionConfig: { imageURI: 'agent:1' } };
  const written = { before, body, answer: after, endedMs: NOW_MS, dueMs: NOW_MS };
  const kept = { lost: [], kept: ['sourceConfig.customURL'] };
  const topics = (unshown: readonly PatchBody[]): readonly string[] =>
    lessonsOf({ ...written, unshown }, after, kept).map(({ topic }) => topic);
  expect(topics([])).toContain('revisionTrigger');
  expect(topics([body])).not.toContain('revisionTrigger');
});

describe('a refusal', () => {
  const before = anObserved({
    sourceConfig: {
      fields: { customURL: 'https://a.example.com' },
      resourceSpec: { fields: { cpu: 1, memoryMB: 512 }, unknown: {} },
    },
  });
  const rows: readonly (readonly [string, PatchBody, boolean])[] = [
    ['of nothing but a null', { sourceConfig: { fields: { customURL: null } } }, true],
    [
      'of a null beside shown values',
      { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: null, memoryMB: 512 }, unknown: {} } } },
      true,
    ],
    [
      'of a null beside another value',
      { sourceConfig: { fields: { customURL: null, buildCommand: 'x' } } },
      false,
    ],
    ['of a null beside secrets', { sourceConfig: { fields: { customURL: null } }, secrets: [] }, false],
    ['of no null', { sourceConfig: { fields: { customURL: 'https://a.example.com' } } }, false],
  ];
  test.each(rows)('%s teaches that nulls are rejected (N5): %#', (_name, body, rejected) => {
    expect(lessonOfRefusal(body, before)?.verdict).toBe(rejected ? 'Rejected' : undefined);
  });
});

describe('a learned fact', () => {
  const learned = (verdict: string, count = 1): Learned => ({
    omittedFields: { verdict, count, time: at(-1000) },
  });
  const facts = (deploymentID: string, streak?: Streak, writers = 2) => ({
    deploymentID,
    writers,
    streak,
    nowMs: NOW_MS,
  });
  const lesson = (verdict: string) => ({ topic: 'omittedFields', verdict }) as const;

  test('is the first observation', () => {
    expect(believe({}, lesson('Keep'), facts('a'))).toEqual({
      learned: { omittedFields: { verdict: 'Keep', count: 1, time: at(0) } },
      streak: undefined,
    });
  });

  test('is the safe verdict on the first observation of it', () => {
    const { learned: now } = believe(learned('Keep', 3), lesson('Replace'), facts('a'));
    expect(now.omittedFields).toEqual({ verdict: 'Replace', count: 1, time: at(0) });
  });

  test('is counted to three and no further, so that status writes end', () => {
    expect(believe(learned('Keep', 2), lesson('Keep'), facts('a')).learned).toEqual(learned('Keep', 3));
    const enough = learned('Keep', 3);
    expect(believe(enough, lesson('Keep'), facts('a')).learned).toBe(enough);
  });

  test.each([
    { name: 'two observations', seen: ['a', 'b'], writers: 2, want: 'Replace' },
    { name: 'three on one of two deployments', seen: ['a', 'a', 'a'], writers: 2, want: 'Replace' },
    { name: 'three on two deployments', seen: ['a', 'b', 'a'], writers: 2, want: 'Keep' },
    { name: 'three on the only deployment', seen: ['a', 'a', 'a'], writers: 1, want: 'Keep' },
  ])('is, after $name against the careful verdict, $want', ({ seen, writers, want }) => {
    let state: ReturnType<typeof believe> = { learned: learned('Replace'), streak: undefined };
    for (const id of seen) state = believe(state.learned, lesson('Keep'), facts(id, state.streak, writers));
    expect(state.learned.omittedFields?.verdict).toBe(want);
  });

  test('is not changed by interrupted observations', () => {
    const two = { verdict: 'Keep', count: 2, deployments: ['a', 'b'] };
    const { streak } = believe(learned('Replace'), lesson('Replace'), facts('a', two));
    expect(streak).toBeUndefined();
  });
});
