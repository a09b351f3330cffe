import { describe, expect, test } from 'vitest';
import {
  showsArrival,
  contradictsAnswer,
  lacksSentName,
  showsAsAnswered,
} from '../../../src/model/effects/shows-arrival.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import type { PatchBody } from '../../../src/model/external/patch-body.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { anObserved, NOW_MS } from '../../support/resources/builders.ts';

const value = (text: string): SecretValue => new SecretValue(text);
const image = (tag: number): Partial<ObservedDeployment> => ({
  sourceRevisionConfig: { fields: { imageURI: `agent:${tag}` } },
});
const url = (customURL: string | null): Partial<ObservedDeployment> => ({
  sourceConfig: { fields: { customURL } },
});
const cpu = (n: number): Partial<ObservedDeployment> => ({
  sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: n }, unknown: {} } },
});
const token = (text?: string): Partial<ObservedDeployment> => ({
  secrets: [text === undefined ? { name: 'TOKEN' } : { name: 'TOKEN', value: value(text) }],
});

const IMAGE: PatchBody = { sourceRevisionConfig: { imageURI: 'agent:2' } };
const TOKEN: PatchBody = { secrets: [{ name: 'TOKEN', value: value('new') }] };
const REFERENCE = { name: 'R', secretName: 's', secretKey: 'k' };

type Row = readonly [
  name: string,
  body: PatchBody,
  before: Partial<ObservedDeployment>,
  after: Partial<ObservedDeployment>,
  shows: boolean,
];

const ROWS: readonly Row[] = [
  ['the requested value', IMAGE, image(1), image(2), true],
  ['the value from before', IMAGE, image(1), image(1), false],
  ['a third value', IMAGE, image(1), image(3), false],
  ['a value that existed before', IMAGE, image(2), image(2), false],
  ['no block at all', IMAGE, image(1), { sourceRevisionConfig: undefined as never }, false],
  ['only a new revision', IMAGE, image(1), { ...image(1), latestRevisionID: 'another' }, false],
  [
    'a field that was emptied',
    { sourceConfig: { fields: { customURL: null } } },
    url('https://a.example.com'),
    url(null),
    true,
  ],
  [
    'an empty field that was empty',
    { sourceConfig: { fields: { customURL: null } } },
    url(null),
    url(null),
    false,
  ],
  [
    'a key of the resource spec',
    { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 2 }, unknown: {} } } },
    cpu(1),
    cpu(2),
    true,
  ],
  ['a name that was not listed', TOKEN, { secrets: [] }, token('****'), true],
  ['a name that was listed, masked', TOKEN, token('****'), token('****'), false],
  ['a name without a value', TOKEN, token(), token(), false],
  ['the value that was sent', TOKEN, token('old'), token('new'), true],
  ['the value that existed before', TOKEN, token('new'), token('new'), false],
  ['a removed name', TOKEN, token('old'), { secrets: [] }, false],
  [
    'a reference that was not listed',
    { secretReferences: [REFERENCE] },
    { secretReferences: [] },
    { secretReferences: [REFERENCE] },
    true,
  ],
  [
    'a reference that was listed',
    { secretReferences: [REFERENCE] },
    { secretReferences: [REFERENCE] },
    { secretReferences: [REFERENCE] },
    false,
  ],
];

describe('the arrival of a write is proven by a read with', () => {
  for (const [name, body, before, after, shows] of ROWS) {
    test(`${name}: ${shows ? 'yes' : 'no'}`, () => {
      const written = { before: anObserved(before), body, endedMs: NOW_MS, dueMs: NOW_MS };
      expect(showsArrival(written, anObserved(after))).toBe(shows);
    });
  }
});

const SPELLED: PatchBody = { sourceConfig: { fields: { customURL: 'https://A.example.com' } } };

describe('the spelling of the service', () => {
  const written = { before: anObserved(url(null)), body: SPELLED, endedMs: NOW_MS, dueMs: NOW_MS };
  const answer = anObserved(url('https://a.example.com/'));

  test('proves the arrival of a write if a list shows the value of its answer', () => {
    expect(showsAsAnswered({ ...written, answer }, answer)).toBe(true);
    expect(showsAsAnswered({ ...written, answer }, anObserved(url(null)))).toBe(false);
    expect(showsAsAnswered(written, answer), 'no answer showed it').toBe(false);
  });
});

test('the revision of the answer proves the arrival of a write if lists omit the changed fields', () => {
  const before = anObserved({ sourceRevisionConfig: { fields: {} }, latestRevisionID: 'one' });
  const written = { before, body: IMAGE, endedMs: NOW_MS, dueMs: NOW_MS };
  const list = { ...before, latestRevisionID: 'two' };
  const answer = { ...list, ...image(2) };
  expect(showsAsAnswered({ ...written, answer }, list)).toBe(true);
  expect(showsAsAnswered({ ...written, answer: list }, list), 'somebody else may have made it').toBe(false);
  const theirs = { ...list, ...image(3) };
  expect(showsAsAnswered({ ...written, answer }, theirs), 'with the value of somebody else').toBe(false);
});

describe('the answer to a write contradicts a list', () => {
  const spec = (fields: object) =>
    anObserved({ sourceConfig: { fields: {}, resourceSpec: { fields: { ...fields }, unknown: {} } } });
  const contradicts = (before: object, list: object, listed?: object): boolean => {
    const written = { before: spec(before), body, answer, endedMs: NOW_MS, dueMs: NOW_MS };
    return contradictsAnswer({ ...written, listed: listed && spec(listed) }, spec(list));
  };
  const body: PatchBody = {
    sourceConfig: { fields: {}, resourceSpec: { fields: { memoryMB: 512, cpu: 2 }, unknown: {} } },
  };
  const answer = spec({ memoryMB: 512, cpu: 2 });
  const WAS = { memoryMB: 512 };

  test.each<readonly [string, object, object, boolean]>([
    ['without the key that the write set, beside another one', WAS, WAS, true],
    ['with the value from before the write', { ...WAS, cpu: 1 }, { ...WAS, cpu: 1 }, true],
    ['with the key', WAS, { memoryMB: 512, cpu: 2 }, false],
    ['with a third value, which another client set since', { ...WAS, cpu: 1 }, { ...WAS, cpu: 3 }, false],
    ['that never shows a resource spec', {}, {}, false],
  ])('%s', (_name, listed, list, expected) => {
    expect(contradicts(listed, list, listed)).toBe(expected);
  });

  test('unless no list was read before the write', () => {
    expect(contradicts(WAS, WAS)).toBe(false);
  });
});

describe('a list shows the state before a write that set a secret', () => {
  const { secrets: _, ...WITHOUT_SECRETS } = anObserved();
  const named = (...names: readonly string[]): ObservedDeployment =>
    anObserved({ secrets: names.map((name) => ({ name })) });
  test.each<readonly [string, ObservedDeployment, ObservedDeployment, boolean]>([
    ['without its name', named('OTHER'), named('OTHER'), true],
    ['without any name, if lists showed names before', named('OTHER'), named(), true],
    ['without its name, if the list before showed the name', named('OTHER', 'TOKEN'), named('OTHER'), false],
    ['with its name', named('OTHER'), named('OTHER', 'TOKEN'), false],
    ['that never shows names of secrets', named(), named(), false],
    ['without secrets', named('OTHER'), WITHOUT_SECRETS, false],
  ])('%s', (_name, listed, list, expected) => {
    const [before, told] = [listed, named('OTHER', 'TOKEN')];
    const written = { before, listed, body: TOKEN, answer: told, endedMs: NOW_MS, dueMs: NOW_MS };
    expect(lacksSentName(written, list)).toBe(expected);
  });
});
