import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { KeptRoom } from '../../../src/service/limits/kept-room.ts';
import { ServiceLearning } from '../../../src/service/client/service-learning.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

const WINDOW_MS = 30_000;

const look = (fields: JsonObject, revision: JsonObject = {}): ObservedDeployment => ({
  ...{ id: 'a', name: 'a', sourceConfig: { fields }, sourceRevisionConfig: { fields: revision } },
});

function bench() {
  const learning = new ServiceLearning({
    clock: new VirtualClock(),
    windowMs: () => WINDOW_MS,
    onLearned: () => undefined,
    areSecretsListed: () => false,
    newShare: () => new KeptRoom({ keptBytes: 1e9, sweptBytes: 0 }).share('team-a'),
  });
  const see = (deployment: ObservedDeployment, beganMs: number): void =>
    learning.see('a', { kind: 'present', deployment, beganMs, via: 'list' });
  const lost = (): readonly string[] | undefined => learning.written('a')?.effect?.lost;
  return { learning, see, lost };
}

test('a list does not show a write while it shows an old value that the answer shows changed', () => {
  const { learning, see, lost } = bench();
  const before = look(
    { customURL: 'one', buildCommand: 'make' },
    { graphConfigPath: 'a.json', repoRef: 'main' },
  );
  const body = { sourceConfig: { fields: { customURL: 'two', buildCommand: 'make all' } } };
  const answer = { id: 'a', name: 'a', sourceConfig: body.sourceConfig };
  learning.wrote('a', { before, listed: before, body, answer, endedMs: 0, dueMs: WINDOW_MS });
  see({ ...before, sourceConfig: { fields: { customURL: 'two', buildCommand: 'make' } } }, 1);
  expect(learning.learned.omittedFields, 'the write before it may have set the other one').toBeUndefined();
  see({ ...answer, sourceRevisionConfig: { fields: {} } }, 2);
  expect(lost()).toEqual(['sourceRevisionConfig.graphConfigPath', 'sourceRevisionConfig.repoRef']);
});

test('a list within the window may be older than the write if it still shows a value that the fuller answer lacks', () => {
  const { learning, see, lost } = bench();
  const before = look(
    { customURL: 'one', buildCommand: 'make' },
    { graphConfigPath: 'a.json', repoRef: 'main' },
  );
  const body = { sourceConfig: { fields: { customURL: 'two' } } };
  const edited = { ...before, sourceConfig: { fields: { customURL: 'two', buildCommand: 'make' } } };
  const built = { fields: {}, repoCommitSHA: 'c'.repeat(40) };
  const answer = { ...edited, sourceRevisionConfig: built };
  const written = { before, listed: before, body, endedMs: 0, dueMs: WINDOW_MS };
  learning.wrote('a', { ...written, answer });
  see(edited, 1);
  expect(learning.learned.omittedFields, 'somebody may have set the same just before').toBeUndefined();
  see(answer, 2);
  expect(lost()).toEqual(['sourceRevisionConfig.graphConfigPath', 'sourceRevisionConfig.repoRef']);

  const other = bench();
  other.learning.wrote('a', { ...written, answer: { ...answer, sourceRevisionConfig: { fields: {} } } });
  other.see(edited, 1);
  expect(other.learning.learned.omittedFields?.verdict, 'an answer may leave the block out').toBe('Keep');
});

test('a value known from answers alone is lost if a list from before the write shows it and a later one does not', () => {
  const { learning, see, lost } = bench();
  const before = look({ customURL: 'one' }, { imageURI: 'agent:1' });
  const listed = look({}, { imageURI: 'agent:1' });
  const body = { sourceRevisionConfig: { imageURI: 'agent:2' } };
  learning.wrote('a', {
    before,
    listed,
    body,
    answer: look({}, body.sourceRevisionConfig),
    endedMs: 0,
    dueMs: WINDOW_MS,
  });
  see(before, 1);
  see(look({}, body.sourceRevisionConfig), 2);
  expect(lost()).toEqual(['sourceConfig.customURL']);
});

test('secrets are shown in plain text if a list shows one as it was sent, even without an answer', () => {
  const { learning, see } = bench();
  const secret = { name: 'TOKEN', value: new SecretValue('value-of-the-token') };
  const before = { ...look({ buildCommand: 'make' }), secrets: [] };
  const written = { before, listed: before, body: { secrets: [secret] }, endedMs: 0, dueMs: WINDOW_MS };
  learning.wrote('a', { ...written, answered: false });
  see({ ...before, secrets: [secret] }, 1);
  expect(learning.secretsPlain).toBe(true);
  expect(learning.learned.omittedFields, 'what is kept it may not have touched').toBeUndefined();
});

test('a write that left out both did not empty a field that disappears beside a resource spec whose text stays', () => {
  const { learning, see, lost } = bench();
  const spec = (serviceAccountName: string | undefined) => ({
    resourceSpec: {
      fields: serviceAccountName === undefined ? { cpu: 1 } : { serviceAccountName },
      unknown: {},
    },
  });
  for (const [stays, gone] of [
    ['theirs', []],
    [undefined, ['sourceConfig.repoURL', 'sourceConfig.resourceSpec']],
  ] as const) {
    const before = {
      ...look({ repoURL: 'one' }),
      sourceConfig: { fields: { repoURL: 'one' }, ...spec('theirs') },
    };
    const body = { sourceConfig: { fields: { buildCommand: 'make' } } };
    const answer = { ...look(body.sourceConfig.fields) };
    learning.wrote('a', { before, listed: before, body, answer, endedMs: 0, dueMs: WINDOW_MS });
    see({ ...answer, sourceConfig: { ...body.sourceConfig, ...spec(stays) } }, 1);
    expect(lost()).toEqual(gone);
  }
});

test('a repair that a list shows in part has arrived: somebody removed what that list lacks', () => {
  const { learning, see } = bench();
  const fields = { customURL: 'one' };
  const before = look(fields, { imageURI: 'agent:1', graphConfigPath: 'a.json' });
  const body = { sourceRevisionConfig: { imageURI: 'agent:2' } };
  learning.wrote('a', { before, listed: before, body, endedMs: 0, dueMs: WINDOW_MS });
  const emptied = look({}, body.sourceRevisionConfig);
  see(emptied, 1);
  const repaired = { imageURI: 'agent:2', graphConfigPath: 'a.json' };
  const repair = { sourceConfig: { fields }, sourceRevisionConfig: repaired };
  learning.wrote('a', { before: emptied, listed: emptied, body: repair, endedMs: 2, dueMs: WINDOW_MS });
  see(emptied, 3);
  expect(learning.written('a')?.effect?.lost, 'it may still be under way').toHaveLength(2);
  see(look({}, repaired), 4);
  expect(learning.written('a')?.effect).toMatchObject({ lost: [], dropped: ['sourceConfig.customURL'] });
});

test('a list within the window that still shows what the answer lacks in every block may be older than the write', () => {
  const before = { ...look({ customURL: 'one' }, { graphConfigPath: 'a.json' }), latestRevisionID: 'r1' };
  const body = { sourceRevisionConfig: { imageURI: 'agent:2' } };
  const revised = (fields: JsonObject, revision: JsonObject): ObservedDeployment => ({
    ...look(fields, { imageURI: 'agent:2', ...revision }),
    latestRevisionID: 'r2',
  });
  const edited = revised({ customURL: 'one' }, { graphConfigPath: 'a.json' });
  const written = { before, listed: before, body, endedMs: 0, dueMs: WINDOW_MS };
  const { learning, see, lost } = bench();
  const answer = revised({}, {});
  learning.wrote('a', { ...written, answer });
  see(edited, 1);
  expect(learning.learned.omittedFields, 'somebody may have made the revision').toBeUndefined();
  see(answer, 2);
  expect(lost()).toEqual(['sourceConfig.customURL', 'sourceRevisionConfig.graphConfigPath']);

  for (const partial of [revised({ customURL: 'one' }, {}), revised({}, { graphConfigPath: 'a.json' })]) {
    const other = bench();
    other.learning.wrote('a', { ...written, answer: partial });
    other.see(edited, 1);
    expect(other.learning.learned.omittedFields?.verdict, 'an answer may show only a part').toBe('Keep');
  }
});

test('a list with the new revision of an answer may be older than the write if that revision was active already', () => {
  const before = { ...look({ buildCommand: 'make' }, { graphConfigPath: 'a.json' }), latestRevisionID: 'r1' };
  const [body, fields] = [{ sourceConfig: { fields: { customURL: 'one' } } }, { customURL: 'one' }];
  const built = { ...before, latestRevisionID: 'r2', activeRevisionID: 'r2' };
  const list = { ...built, sourceConfig: { fields: { ...fields, buildCommand: 'make' } } };
  const verdictWith = (activeRevisionID: string): string | undefined => {
    const { learning, see } = bench();
    const answer = {
      ...built,
      activeRevisionID,
      sourceConfig: { fields: { ...fields, buildOnPush: false } },
    };
    learning.wrote('a', { before, listed: before, body, answer, endedMs: 0, dueMs: WINDOW_MS });
    see(list, 1);
    return learning.learned.omittedFields?.verdict;
  };
  expect(verdictWith('r2'), 'somebody may have made the revision just before').toBeUndefined();
  expect(verdictWith('r1'), 'the write made the revision').toBe('Keep');
});

test('a revision that is active in the answer counts as made by the write if the answer shows what the write changed in it', () => {
  const old = { graphConfigPath: 'a.json', repoRef: 'main' };
  const before = { ...look({ buildCommand: 'make' }, old), latestRevisionID: 'r1' };
  const fields = { customURL: 'one' };
  const body = { sourceConfig: { fields }, sourceRevisionConfig: { repoRef: 'dev' } };
  const made = { ...before, latestRevisionID: 'r2', activeRevisionID: 'r2' };
  const revised = { ...made, sourceRevisionConfig: { fields: { ...old, repoRef: 'dev' } } };
  const verdictWith = (shown: ObservedDeployment): string | undefined => {
    const { learning, see } = bench();
    const answer = { ...shown, sourceConfig: { fields: { ...fields, buildOnPush: false } } };
    learning.wrote('a', { before, listed: before, body, answer, endedMs: 0, dueMs: WINDOW_MS });
    see({ ...revised, sourceConfig: { fields: { ...fields, buildCommand: 'make' } } }, 1);
    return learning.learned.omittedFields?.verdict;
  };
  expect(verdictWith(revised), 'rollouts may take no time').toBe('Keep');
  expect(verdictWith(made), 'somebody may have made the revision just before').toBeUndefined();
});
