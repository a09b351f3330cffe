import { describe, expect, test } from 'vitest';
import { effectOf, restored, type Written } from '../../../src/model/effects/effect-of.ts';
import { droppedBy, leftOutBy, untouchedBy } from '../../../src/model/effects/untouched.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import type { PatchBody } from '../../../src/model/external/patch-body.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { anObserved, NOW_MS } from '../../support/resources/builders.ts';

const BEFORE = anObserved({
  sourceConfig: {
    fields: { customURL: 'https://a.example.com', buildCommand: null },
    resourceSpec: { fields: { cpu: 1 }, unknown: { gpu: 2 } },
  },
  sourceRevisionConfig: { fields: { imageURI: 'agent:1', repoRef: 'main' } },
  secrets: [{ name: 'TOKEN' }],
  secretReferences: [{ name: 'R', secretName: 's', secretKey: 'k' }],
});

const URL_PATH = 'sourceConfig.customURL';
const SPEC_PATH = 'sourceConfig.resourceSpec';
const IMAGE = 'sourceRevisionConfig.imageURI';
const REF = 'sourceRevisionConfig.repoRef';

interface Row {
  readonly name: string;
  readonly because: string;
  readonly before?: Partial<ObservedDeployment>;
  readonly body?: PatchBody;
  readonly after: Partial<ObservedDeployment>;
  readonly lost: readonly string[];
  readonly kept: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    name: 'everything is unchanged',
    because: 'an empty field proves nothing',
    after: {},
    lost: [],
    kept: [URL_PATH, SPEC_PATH, IMAGE, REF, 'secrets', 'secretReferences'],
  },
  {
    name: 'everything was requested',
    because: 'no field was left out',
    body: {
      sourceConfig: {
        fields: { customURL: 'https://b.example.com' },
        resourceSpec: { fields: { cpu: 2 }, unknown: {} },
      },
      sourceRevisionConfig: { imageURI: 'agent:2', repoRef: 'main' },
      secrets: [{ name: 'TOKEN', value: new SecretValue('t') }],
      secretReferences: [],
    },
    after: {},
    lost: [],
    kept: [],
  },
  {
    name: 'a block is shown as null',
    because: 'it was emptied',
    after: { sourceConfig: { fields: { customURL: 'https://a.example.com' }, resourceSpec: null } },
    lost: [SPEC_PATH],
    kept: [URL_PATH, IMAGE, REF, 'secrets', 'secretReferences'],
  },
  {
    name: 'a block lost an unknown key',
    because: 'defaults in an emptied block hide that it was emptied',
    after: {
      sourceConfig: {
        fields: { customURL: 'https://a.example.com' },
        resourceSpec: { fields: { cpu: 1, minScale: 1 }, unknown: {} },
      },
    },
    lost: [SPEC_PATH],
    kept: [URL_PATH, IMAGE, REF, 'secrets', 'secretReferences'],
  },
  {
    name: 'a key is gone, another list empty',
    because: 'both existed before',
    after: {
      sourceConfig: { ...BEFORE.sourceConfig, fields: {} },
      secrets: [],
      secretReferences: null,
    },
    lost: [URL_PATH, 'secrets', 'secretReferences'],
    kept: [SPEC_PATH, IMAGE, REF],
  },
  {
    name: 'an image that the service built comes and goes',
    because: 'its absence proves nothing',
    before: { source: 'codehost' },
    after: { source: 'codehost', sourceRevisionConfig: { fields: { repoRef: 'main' } } },
    lost: [],
    kept: [URL_PATH, SPEC_PATH, REF, 'secrets', 'secretReferences'],
  },
];

describe('the side effect of a write', () => {
  test.each(ROWS)('$name: $because', ({ before, body = {}, after, lost, kept }) => {
    const untouched = untouchedBy({ before: { ...BEFORE, ...before }, body }, { ...BEFORE, ...after });
    expect(untouched).toEqual({ lost, kept });
  });

  test('is not judged if no read shows the deployment any more', () => {
    const { sourceConfig: _c, sourceRevisionConfig: _r, secrets: _s, secretReferences: _f, ...bare } = BEFORE;
    expect(untouchedBy({ before: BEFORE, body: {} }, bare)).toEqual({ lost: [], kept: [] });
  });

  test('decides whether a write must be watched', () => {
    expect(
      leftOutBy({ before: BEFORE, body: { sourceRevisionConfig: { imageURI: 'agent:2' } } }),
    ).not.toEqual([]);
    expect(
      leftOutBy({ before: anObserved(), body: { sourceRevisionConfig: { imageURI: 'agent:2' } } }),
    ).toEqual([]);
  });
});

describe('a resource spec that was sent as a whole', () => {
  const sent = { fields: { cpu: 2, memoryMB: 512, labels: {} }, unknown: { gpu: 2 } };
  const before = anObserved({
    sourceConfig: { fields: {}, resourceSpec: { ...sent, fields: { ...sent.fields, cpu: 1 } } },
  });
  const dropped = (resourceSpec: typeof sent | null | undefined): readonly string[] =>
    droppedBy(
      { before, body: { sourceConfig: { fields: {}, resourceSpec: sent } } },
      anObserved({ sourceConfig: { fields: {}, ...(resourceSpec === undefined ? {} : { resourceSpec }) } }),
    );

  test('lost nothing if every unchanged key remains (N4)', () => {
    expect(dropped(sent)).toEqual([]);
    expect(dropped(undefined), 'what is not shown is not judged').toEqual([]);
  });

  test('lost the unchanged keys that are missing, known or unknown (N4)', () => {
    expect(dropped({ fields: { ...sent.fields, memoryMB: null as never }, unknown: {} as never })).toEqual([
      'sourceConfig.resourceSpec.memoryMB',
      'sourceConfig.resourceSpec.gpu',
    ]);
    expect(dropped(null)).toHaveLength(2);
  });
});

describe('a field that an earlier write emptied, and that a look before the next write shows again', () => {
  const config = (...keys: readonly string[]): ObservedDeployment =>
    anObserved({ sourceConfig: { fields: Object.fromEntries(keys.map((key) => [key, `the ${key}`])) } });
  const before = config('customURL', 'installCommand', 'buildCommand');
  const effect = (list: ObservedDeployment, answer?: ObservedDeployment, was = before) => {
    const body = { sourceRevisionConfig: { imageURI: 'agent:2' } };
    const sent = { before: was, listed: was, body, answer, emptied: [URL_PATH] };
    const written: Written = { ...sent, endedMs: NOW_MS, dueMs: NOW_MS };
    const { lost, dropped } = effectOf(written, list, 'due');
    return { lost, dropped };
  };
  const others = ['sourceConfig.installCommand', 'sourceConfig.buildCommand'];

  test('is not lost if it is gone', () => {
    const list = config('installCommand', 'buildCommand');
    expect(effect(list, list)).toEqual({ lost: [], dropped: [] });
    expect(effect(list), 'without an answer').toEqual({ lost: [], dropped: [] });
  });

  test('does not hide that the others are lost', () => {
    expect(effect(config(), config())).toEqual({ lost: others, dropped: [] });
    expect(effect(config()), 'without an answer').toEqual({ lost: others, dropped: [] });
  });

  test('tells, if it is gone with the only other field, that the write emptied both', () => {
    const was = config('customURL', 'installCommand');
    const lost = ['sourceConfig.installCommand'];
    expect(effect(config(), undefined, was)).toEqual({ lost, dropped: [] });
    expect(effect(config('customURL'), undefined, was)).toEqual({ lost: [], dropped: lost });
  });

  test('proves by staying that the write did not empty its block', () => {
    const list = config('customURL');
    expect(effect(list, list)).toEqual({ lost: [], dropped: others });
  });
});

test('a flag that stays hides no loss of all texts beside it, since it may be a default', () => {
  const config = (fields: JsonObject): ObservedDeployment => anObserved({ sourceConfig: { fields } });
  const before = config({ buildOnPush: false, installCommand: 'npm ci', repoURL: 'https://h/x' });
  const body = { sourceConfig: { fields: { buildCommand: 'make' } } };
  const written: Written = { before, listed: before, body, endedMs: NOW_MS, dueMs: NOW_MS };
  const lost = ['sourceConfig.installCommand', 'sourceConfig.repoURL'];
  expect(effectOf(written, config({ buildOnPush: false }), 'due')).toMatchObject({ lost, dropped: [] });
  const beside = config({ buildOnPush: false, repoURL: 'https://h/x' });
  expect(effectOf(written, beside, 'due')).toMatchObject({ lost: [], dropped: [lost[0]] });
});

describe('the keys that are gone from a resource spec, beside a field that stays', () => {
  const config = (fields: JsonObject): ObservedDeployment =>
    anObserved({
      sourceConfig: { fields: { buildCommand: 'make' }, resourceSpec: { fields, unknown: {} } },
      sourceRevisionConfig: { fields: { imageURI: 'agent:2' } },
    });
  const was = config({ cpu: 2, serviceAccountName: 'theirs', labels: { team: 'theirs' } });
  const body = { sourceRevisionConfig: { imageURI: 'agent:2' } };
  const sent = { before: was, listed: was, body, endedMs: NOW_MS, dueMs: NOW_MS };
  const texts = [`${SPEC_PATH}.serviceAccountName`, `${SPEC_PATH}.labels`];

  test('are reported one by one, if the list shows defaults', () => {
    const list = config({ cpu: 1 });
    expect(effectOf({ ...sent, answer: list }, list, 'due')).toMatchObject({ lost: [], dropped: texts });
  });

  test('are reported one by one, if the list shows nothing of the resource spec', () => {
    const list = config({});
    const all = { lost: [], dropped: [`${SPEC_PATH}.cpu`, ...texts] };
    expect(effectOf({ ...sent, answer: list }, list, 'due')).toMatchObject(all);
    expect(effectOf(sent, list, 'due'), 'without an answer').toMatchObject(all);
  });
});

test('a repair restores only the lost keys, over the current state', () => {
  const now: ObservedDeployment = {
    ...BEFORE,
    sourceConfig: { fields: { buildCommand: 'make' }, resourceSpec: { fields: { cpu: 4 }, unknown: {} } },
    sourceRevisionConfig: { fields: { imageURI: 'agent:2' } },
    secrets: [],
    secretReferences: [],
  };
  const written = { before: BEFORE, body: {}, endedMs: NOW_MS, dueMs: NOW_MS };

  expect(restored(written, now, [URL_PATH, 'secrets'])).toEqual({
    ...now,
    sourceConfig: {
      fields: { buildCommand: 'make', customURL: 'https://a.example.com' },
      resourceSpec: { fields: { cpu: 4 }, unknown: {} },
    },
    secrets: BEFORE.secrets,
  });
  expect(restored(written, now, [SPEC_PATH, REF])).toMatchObject({
    sourceConfig: {
      fields: { buildCommand: 'make' },
      resourceSpec: { fields: { cpu: 4 }, unknown: BEFORE.sourceConfig?.resourceSpec?.unknown },
    },
    sourceRevisionConfig: { fields: { imageURI: 'agent:2', repoRef: 'main' } },
  });
});

describe('a list of secrets that is gone beside a new revision, after a request without an answer', () => {
  const look = (latestRevisionID: string, cpu: number, secrets: readonly { name: string }[]) =>
    anObserved({
      latestRevisionID,
      sourceConfig: { fields: {}, resourceSpec: { fields: { cpu }, unknown: {} } },
      sourceRevisionConfig: { fields: { imageURI: 'agent:1' } },
      secrets: [...secrets],
    });
  const before = look('one', 1, [{ name: 'TOKEN' }]);
  const body = { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 2 }, unknown: {} } } };
  const written = { before, listed: before, body, answered: false, endedMs: NOW_MS, dueMs: NOW_MS };

  test('proves nothing if the list shows the state before the request', () => {
    expect(effectOf(written, look('two', 1, []), 'due')).toMatchObject({ lost: [], dropped: [] });
  });

  test('is lost if the list may be newer than the request', () => {
    expect(effectOf(written, look('two', 3, []), 'due')).toMatchObject({ lost: ['secrets'], dropped: [] });
  });
});
