import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Written } from '../../../src/model/effects/effect-of.ts';
import type { Observation, ObservedDeployment } from '../../../src/model/external/observation.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { KeptRoom } from '../../../src/service/limits/kept-room.ts';
import { ServiceLearning } from '../../../src/service/client/service-learning.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

const WINDOW_MS = 30_000;
const BODY = { sourceConfig: { fields: { customURL: 'https://new.example.com' } } };

/** Returns a deployment as a list shows it now, with values that a PATCH may lose. */
function seen(id: string, clock: VirtualClock): Observation & { readonly kind: 'present' } {
  const deployment: ObservedDeployment = {
    id,
    name: id,
    sourceConfig: { fields: { customURL: 'https://old.example.com', installCommand: 'make install' } },
  };
  return { kind: 'present', deployment, beganMs: clock.now(), via: 'list' };
}

function bench({ keptBytes = 1e9, areSecretsListed = false } = {}) {
  const clock = new VirtualClock();
  const room = new KeptRoom({ keptBytes, sweptBytes: 0 });
  const learning = new ServiceLearning({
    clock,
    windowMs: () => WINDOW_MS,
    onLearned: () => undefined,
    areSecretsListed: () => areSecretsListed,
    newShare: () => room.share('team-a'),
  });
  const mayWrite = (id: string): boolean => learning.mayWrite(id, seen(id, clock), BODY);
  return { clock, learning, mayWrite };
}

test('a first write without effect lets another deployment be the first', () => {
  const { learning, mayWrite } = bench();
  expect([mayWrite('a'), mayWrite('b')]).toEqual([true, false]);
  learning.abandoned('a');
  expect(mayWrite('b')).toBe(true);
});

test('a first write that is decided again before it was sent is still watched', async () => {
  const { clock, learning, mayWrite } = bench();
  expect([mayWrite('a'), mayWrite('b')]).toEqual([true, false]);
  await clock.advance(WINDOW_MS);
  expect(mayWrite('a')).toBe(true);
  await clock.advance(WINDOW_MS);
  expect(mayWrite('b'), 'what the first does is still to come').toBe(false);
  learning.abandoned('a');
  expect([mayWrite('a'), mayWrite('a')], 'it lets others go first, once').toEqual([false, true]);
});

test('a second write without effect does not end the watch over the first', async () => {
  const { clock, learning, mayWrite } = bench();
  expect(mayWrite('a')).toBe(true);
  const endedMs = clock.now();
  const { deployment: before } = seen('a', clock);
  learning.wrote('a', { before, body: BODY, endedMs, dueMs: endedMs + WINDOW_MS });
  await clock.advance(1_000);
  expect(mayWrite('a'), 'an edit of the same one').toBe(true);
  learning.abandoned('a');
  expect(mayWrite('b'), 'what the first did is not known yet').toBe(false);
  await clock.advance(WINDOW_MS);
  expect(mayWrite('b')).toBe(true);
});

test('a deployment may pioneer while nothing is known, unless another one is watched', async () => {
  const { clock, learning, mayWrite } = bench();
  const pioneers = (): readonly boolean[] => ['a', 'b'].map((id) => learning.pioneers(id));
  expect(pioneers()).toEqual([true, true]);
  expect(mayWrite('a')).toBe(true);
  expect(pioneers()).toEqual([true, false]);
  await clock.advance(WINDOW_MS + 1);
  expect(pioneers(), 'it showed nothing').toEqual([true, true]);
  learning.foundLoss('a');
  expect(pioneers()).toEqual([false, false]);
});

describe('what a connection learns about a write from a list', () => {
  const SHOWN = { customURL: 'https://old.example.com', buildCommand: 'make', installCommand: 'npm ci' };
  const look = (fields: JsonObject, more: Partial<ObservedDeployment> = {}): ObservedDeployment => ({
    id: 'a',
    name: 'a',
    latestRevisionID: 'one',
    sourceConfig: { fields: { ...SHOWN, ...fields } },
    ...more,
  });
  const NEW = { customURL: 'https://new.example.com' };

  /** Returns what a connection learns from a list that began when it had to show the write. */
  function learnedFrom(
    after: ObservedDeployment,
    written: Partial<Written> = {},
  ): ServiceLearning['learned'] {
    const { learning } = bench();
    const before = look({});
    learning.wrote('a', { before, listed: before, body: BODY, endedMs: 0, dueMs: WINDOW_MS, ...written });
    learning.see('a', { kind: 'present', deployment: after, beganMs: WINDOW_MS, via: 'list' });
    return learning.learned;
  }

  test('that shows it after a list without a value of it: not that values stay, but that secrets are masked', () => {
    const body = { ...BODY, secrets: [{ name: 'TOKEN', value: new SecretValue('value-of-the-token') }] };
    const list = look(NEW, { secrets: [{ name: 'TOKEN', value: new SecretValue('****') }] });
    const { omittedFields, secretsVisibility } = learnedFrom(list, { body, lacked: true });
    expect([omittedFields, secretsVisibility?.verdict]).toEqual([undefined, 'Masked']);
    expect(learnedFrom(list, { body }).omittedFields?.verdict).toBe('Keep');
  });

  test.each<readonly [string, ObservedDeployment, Partial<Written>, string | undefined]>([
    ['that shows it', look(NEW), {}, 'Keep'],
    [
      'that shows it, although a web page came in place of an answer',
      look(NEW),
      { pageCame: true },
      undefined,
    ],
    [
      'that lacks everything which it left out, although a web page came in place of an answer',
      look({ ...NEW, buildCommand: null, installCommand: null }),
      { pageCame: true },
      'Replace',
    ],
    ['that shows nothing of it', look({}), {}, undefined],
    ['that shows nothing of it, although its answer did', look({}), { answer: look(NEW) }, undefined],
    ['that shows it, and lacks one of two', look({ ...NEW, buildCommand: null }), {}, undefined],
    [
      'that shows one part of it, and another as before',
      look(NEW),
      { body: { sourceConfig: { fields: { ...BODY.sourceConfig.fields, installCommand: 'make install' } } } },
      undefined,
    ],
  ])('%s', (_name, after, written, verdict) => {
    expect(learnedFrom(after, written).omittedFields?.verdict).toBe(verdict);
  });

  const SECRETS = { secrets: [{ name: 'A', value: new SecretValue('value-of-a') }] };
  const none = look(NEW, { secrets: [], latestRevisionID: 'two' });

  test('without secrets that were sent: the service does not list them, if no list ever showed one', () => {
    const written = { body: { ...BODY, ...SECRETS }, answer: none };
    expect(learnedFrom(none, written).secretsVisibility?.verdict).toBe('Omitted');
    const { learning } = bench();
    const other = { ...look({}), secrets: [{ name: 'B' }] };
    learning.see('b', { kind: 'present', deployment: other, beganMs: 0, via: 'list' });
    const before = look({});
    learning.wrote('a', { before, listed: before, endedMs: 0, dueMs: WINDOW_MS, ...written });
    learning.see('a', { kind: 'present', deployment: none, beganMs: WINDOW_MS, via: 'list' });
    expect(learning.learned.secretsVisibility, 'somebody emptied the list').toBeUndefined();
  });

  test.each([
    ['lacks them too: lists show none of this deployment', [], 'Omitted'],
    ['shows them: the first list was old', [{ name: 'A' }], undefined],
  ])(
    'without secrets, beside secrets of another deployment, if a list after the window %s',
    (_name, secrets, want) => {
      const { learning } = bench({ areSecretsListed: true });
      const [before, visibility] = [look({}), () => learning.learned.secretsVisibility?.verdict];
      const sees = (deployment: ObservedDeployment, beganMs: number): void =>
        learning.see('a', { kind: 'present', deployment, beganMs, via: 'list' });
      const written = { before, listed: before, body: { ...BODY, ...SECRETS }, answer: none };
      learning.wrote('a', { ...written, endedMs: 0, dueMs: WINDOW_MS });
      sees(none, WINDOW_MS - 2);
      expect(learning.written('a'), 'the list shows the rest of the write').toBeUndefined();
      sees(none, WINDOW_MS - 1);
      expect(visibility(), 'the list may be older than the write').toBeUndefined();
      // A write without secrets does not end the wait.
      learning.wrote('a', {
        before: none,
        listed: none,
        body: BODY,
        endedMs: WINDOW_MS - 1,
        dueMs: WINDOW_MS,
      });
      sees({ ...none, secrets }, WINDOW_MS);
      sees(none, WINDOW_MS + 1);
      expect(visibility()).toBe(want);
    },
  );

  test.each([
    ['in whose answer they are: perhaps once the window is over', SECRETS.secrets, undefined],
    ['in whose answer they are not either: at once', [], 'Omitted'],
  ])('within the window, without secrets of a write %s', (_name, secrets, want) => {
    const { learning } = bench();
    const before = look({});
    const written = { before, listed: before, body: { ...BODY, ...SECRETS }, answer: { ...none, secrets } };
    learning.wrote('a', { ...written, endedMs: 0, dueMs: WINDOW_MS });
    learning.see('a', { kind: 'present', deployment: none, beganMs: 1, via: 'list' });
    expect(learning.learned.secretsVisibility?.verdict).toBe(want);
    learning.see('a', { kind: 'present', deployment: none, beganMs: WINDOW_MS, via: 'list' });
    expect(learning.learned.secretsVisibility?.verdict).toBe('Omitted');
  });

  test('with a secret: it disproves that lists show none, whatever the stored status says later', () => {
    const { learning } = bench();
    const stored = { secretsVisibility: { verdict: 'Omitted', count: 1, time: '2026-01-01T00:00:00.000Z' } };
    learning.remember(stored);
    expect(learning.learned).toEqual(stored);
    learning.see('a', { kind: 'present', deployment: look({}, SECRETS), beganMs: 0, via: 'list' });
    expect(learning.learned).toEqual({});
    learning.remember(stored);
    expect(learning.learned).toEqual({});
  });

  test('of secrets that an earlier write sent, if no list had shown that write: values are plain', () => {
    const [without, shown] = [look({}, { secrets: [] }), look({}, SECRETS)];
    const verdictAfter = (listed: ObservedDeployment): string | undefined => {
      const { learning } = bench();
      const times = { endedMs: 0, dueMs: WINDOW_MS };
      learning.wrote('a', { before: without, listed: without, body: SECRETS, answer: shown, ...times });
      learning.wrote('a', { before: shown, listed, body: BODY, ...times });
      learning.see('a', { kind: 'present', deployment: shown, beganMs: 5, via: 'list' });
      return learning.learned.secretsVisibility?.verdict;
    };
    expect(verdictAfter(without)).toBe('Plain');
    expect(verdictAfter(shown), 'the value was shown before, and may be a mask').toBeUndefined();
  });

  test('without a name that the write before it left out: that write may have removed it', () => {
    const { learning } = bench();
    const before = look({}, { secrets: [{ name: 'B' }] });
    const times = { endedMs: 0, dueMs: WINDOW_MS };
    learning.wrote('a', { before, listed: before, body: BODY, ...times });
    learning.wrote('a', { before, listed: before, body: SECRETS, ...times });
    const after = look({}, { secrets: [{ name: 'A' }] });
    learning.see('a', { kind: 'present', deployment: after, beganMs: WINDOW_MS, via: 'list' });
    expect(learning.learned.lists).toBeUndefined();
  });

  test('that lacks what the write before it left out: that write lost it, even if its answer outranked the list', () => {
    const { learning } = bench();
    const before = look({}, { latestRevisionID: 'one' });
    const asks = (repoRef: string) => ({ sourceRevisionConfig: { repoRef } });
    const told = (repoRef: string, latestRevisionID: string): ObservedDeployment => ({
      ...{ id: 'a', name: 'a', latestRevisionID, sourceRevisionConfig: { fields: { repoRef } } },
    });
    const emptied = { ...told('one', 'one'), sourceConfig: { fields: {} } };
    const times = { endedMs: 0, dueMs: WINDOW_MS };
    const first = { before, listed: before, body: asks('one'), answer: told('one', 'one') };
    learning.wrote('a', { ...first, ...times });
    // The second write was decided on the answer to the first. That answer is completed with the values shown before.
    const standing = { ...before, sourceRevisionConfig: { fields: { repoRef: 'one' } } };
    const second = { before: standing, listed: emptied, body: asks('two'), answer: told('two', 'two') };
    learning.wrote('a', { ...second, ...times });
    const list = { ...emptied, ...told('two', 'two') };
    learning.see('a', { kind: 'present', deployment: list, beganMs: 5, via: 'list' });
    const keys = ['customURL', 'buildCommand', 'installCommand'];
    expect(learning.written('a')?.effect?.lost.toSorted()).toEqual(
      keys.map((key) => `sourceConfig.${key}`).toSorted(),
    );
  });

  test('that shows no revision and nothing of the write: it may be older than the first revision', () => {
    const before = look({}, { secrets: [{ name: 'B' }] });
    const listsAfter = (latestRevisionID: string | null): string | undefined => {
      const after = look({ buildCommand: null }, { secrets: [{ name: 'B' }], latestRevisionID });
      const answer = look({ buildCommand: null }, { secrets: [{ name: 'B' }] });
      return learnedFrom(after, { before, listed: before, body: SECRETS, answer }).lists?.verdict;
    };
    expect(listsAfter('two')).toBe('Merge');
    expect(listsAfter(null)).toBeUndefined();
  });

  test('that shows a loss and nothing of the write: not that a list of secrets or a field to be emptied stayed', () => {
    const secrets = [{ name: 'B' }];
    const before = look({}, { secrets });
    const body = { sourceConfig: { fields: { buildCommand: null } }, secrets: [] };
    const told = look({ customURL: null, installCommand: null }, { secrets, latestRevisionID: 'two' });
    const learnedAt = (beganMs: number): readonly (string | undefined)[] => {
      const { learning } = bench();
      learning.wrote('a', { before, listed: before, body, answer: told, endedMs: 0, dueMs: WINDOW_MS });
      learning.see('a', { kind: 'present', deployment: told, beganMs, via: 'list' });
      const { omittedFields, lists, nulls } = learning.learned;
      return [omittedFields, lists, nulls].map((lesson) => lesson?.verdict);
    };
    expect(learnedAt(WINDOW_MS)).toEqual(['Replace', 'Merge', 'Ignored']);
    expect(learnedAt(1), 'an earlier write may have caused the loss').toEqual([
      'Replace',
      undefined,
      undefined,
    ]);
  });

  test('within the window, with a name that stayed beside a requested value: somebody may have set that value before', () => {
    const named = (text: string) => [{ name: 'A', value: new SecretValue(text) }, { name: 'B' }];
    const before = look({}, { secrets: named('first-value-of-a') });
    const verdictAt = (beganMs: number, textOfA: string): string | undefined => {
      const { learning } = bench();
      const after = look(NEW, { secrets: named(textOfA), latestRevisionID: 'two' });
      const written = { before, listed: before, body: { ...BODY, ...SECRETS }, answer: after };
      learning.wrote('a', { ...written, endedMs: 0, dueMs: WINDOW_MS });
      learning.see('a', { kind: 'present', deployment: after, beganMs, via: 'list' });
      return learning.learned.lists?.verdict;
    };
    expect(verdictAt(WINDOW_MS - 1, 'first-value-of-a')).toBeUndefined();
    expect(verdictAt(WINDOW_MS, 'first-value-of-a'), 'a list from after the window is no older').toBe(
      'Merge',
    );
    expect(verdictAt(WINDOW_MS - 1, 'value-of-a'), 'it stayed beside a secret of the write').toBe('Merge');
  });

  test('that shows no revision, although the list before the write showed one: it is older and shows no loss', () => {
    const { learning } = bench();
    const before = look({});
    const answer: ObservedDeployment = { ...before, sourceConfig: { fields: NEW } };
    learning.wrote('a', { before, listed: before, answer, body: BODY, endedMs: 0, dueMs: WINDOW_MS });
    const older = look({ buildCommand: null, installCommand: null }, { latestRevisionID: null });
    learning.see('a', { kind: 'present', deployment: older, beganMs: 1, via: 'list' });
    expect([learning.learned, learning.written('a')?.effect]).toEqual([{}, undefined]);
  });

  test('without a name that the write before it emptied, although a lagging replica showed it again', () => {
    const { learning } = bench();
    const before = look({}, { secrets: [{ name: 'B' }] });
    const times = { endedMs: 0, dueMs: WINDOW_MS };
    const see = (deployment: ObservedDeployment, beganMs: number): void =>
      learning.see('a', { kind: 'present', deployment, beganMs, via: 'list' });
    learning.wrote('a', { before, listed: before, body: BODY, ...times });
    see(look({ ...NEW, installCommand: null, buildCommand: null }, { secrets: [] }), WINDOW_MS);
    const after = look({}, { secrets: [{ name: 'A' }] });
    const later = { endedMs: WINDOW_MS, dueMs: 2 * WINDOW_MS };
    learning.wrote('a', { before, listed: before, body: SECRETS, answer: after, ...later });
    see(after, 2 * WINDOW_MS);
    expect(learning.learned.lists).toBeUndefined();
  });

  test('that is due and shows nothing of it: a second list has to show the same', () => {
    const { learning } = bench();
    const before = look({});
    learning.wrote('a', { before, listed: before, body: BODY, endedMs: 0, dueMs: WINDOW_MS });
    const see = (beganMs: number, deployment = before): void =>
      learning.see('a', { kind: 'present', deployment, beganMs, via: 'list' });
    see(WINDOW_MS);
    see(WINDOW_MS);
    expect(learning.written('a'), 'the same list again').toBeDefined();
    see(WINDOW_MS + 1);
    expect(learning.written('a')).toBeUndefined();
  });

  test('under the revision of its answer, with a change by somebody else: the revision may belong to that change', () => {
    const { learning } = bench();
    const revision = (latestRevisionID: string, graphConfigPath: string): ObservedDeployment =>
      look({}, { latestRevisionID, sourceRevisionConfig: { fields: { repoRef: 'main', graphConfigPath } } });
    const before = revision('one', 'a.json');
    const body = { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 2 }, unknown: {} } } };
    const answer = { ...before, ...body, latestRevisionID: 'two', sourceRevisionConfig: { fields: {} } };
    learning.wrote('a', { before, listed: before, body, answer, endedMs: 0, dueMs: WINDOW_MS });
    const deployment = revision('two', 'theirs.json');
    learning.see('a', { kind: 'present', deployment, beganMs: 5, via: 'list' });
    expect(learning.learned.omittedFields).toBeUndefined();
    expect(learning.written('a')).toBeDefined();
  });

  test('without a field that was to be emptied and that the write before it left out: that write may have removed it', () => {
    const learnedAfter = (first: object): string | undefined => {
      const { learning } = bench();
      const before = look({});
      const times = { endedMs: 0, dueMs: WINDOW_MS };
      const emptying = { sourceConfig: { fields: { ...NEW, buildCommand: null } } };
      learning.wrote('a', { before, listed: before, body: first, ...times });
      const after = look({ ...NEW, buildCommand: null });
      learning.wrote('a', { before, listed: before, body: emptying, answer: after, ...times });
      learning.see('a', { kind: 'present', deployment: after, beganMs: WINDOW_MS, via: 'list' });
      return learning.learned.nulls?.verdict;
    };
    expect(learnedAfter(BODY)).toBeUndefined();
    expect(learnedAfter({ sourceConfig: { fields: SHOWN } })).toBe('Clears');
  });

  test('under another revision than the answer: the list does not show the write, although it shows its values (N30)', () => {
    const { learning } = bench();
    const before = look({}, { latestRevisionID: 'one' });
    const answer = { ...look({}), sourceConfig: { fields: NEW }, latestRevisionID: 'three' };
    learning.wrote('a', { before, listed: before, body: BODY, answer, endedMs: 0, dueMs: WINDOW_MS });
    const list = (beganMs: number, deployment: ObservedDeployment): void =>
      learning.see('a', { kind: 'present', deployment, beganMs, via: 'list' });
    list(5, look(NEW, { latestRevisionID: 'two' }));
    expect(learning.written('a'), 'somebody asked for the same before').toBeDefined();
    list(WINDOW_MS, answer);
    expect(learning.written('a')?.effect?.lost).toEqual([
      'sourceConfig.buildCommand',
      'sourceConfig.installCommand',
    ]);
  });

  test('under the revision of the answer, without a value that the answer and earlier lists show: it is not the write', () => {
    const { learning } = bench();
    const image = (imageURI: string | null, latestRevisionID: string): ObservedDeployment =>
      look({}, { latestRevisionID, sourceRevisionConfig: { fields: { imageURI } } });
    const before = image('agent:1', 'one');
    const { sourceConfig: _, ...answer } = image('agent:2', 'two');
    const body = { sourceRevisionConfig: { imageURI: 'agent:2' } };
    learning.wrote('a', { before, listed: before, body, answer, endedMs: 0, dueMs: WINDOW_MS });
    learning.see('a', { kind: 'present', deployment: image(null, 'two'), beganMs: 5, via: 'list' });
    expect(learning.written('a'), 'somebody emptied it just before').toBeDefined();
    expect(learning.learned.omittedFields).toBeUndefined();
  });

  test('that its answer outranks: it ends the watch if it shows the write and no value is missing', () => {
    const { learning } = bench();
    const before = look({});
    const answer = look(NEW, { sourceConfig: { fields: NEW } });
    learning.wrote('a', { before, listed: before, body: BODY, answer, endedMs: 0, dueMs: WINDOW_MS });
    const outranked = (deployment: ObservedDeployment): void =>
      learning.see('a', {
        ...{ kind: 'present', deployment: answer, beganMs: 0, via: 'answer' },
        outranked: { deployment, beganMs: 5 },
      });
    outranked(look({ buildCommand: null }));
    expect(learning.written('a')?.effect, 'it may be older').toBeUndefined();
    outranked(look(NEW));
    expect(learning.written('a')).toBeUndefined();
    expect(learning.learned.omittedFields?.verdict).toBe('Keep');
  });

  test('before the write arrived: values that it lacks are not put back later', () => {
    const { learning } = bench();
    const before = look({});
    const written = { body: { sourceRevisionConfig: { imageURI: 'agent:2' } }, answered: false };
    learning.wrote('a', { before, listed: before, endedMs: 0, dueMs: WINDOW_MS, ...written });
    const see = (fields: JsonObject, beganMs: number): void =>
      learning.see('a', { kind: 'present', deployment: look(fields), beganMs, via: 'list' });
    see({ buildCommand: null }, 5);
    see({ buildCommand: null, installCommand: null, customURL: null }, WINDOW_MS);
    expect(learning.written('a')?.effect?.lost).toEqual([
      'sourceConfig.customURL',
      'sourceConfig.installCommand',
    ]);
  });

  test('before an unanswered write arrived, under the revision of a push: what it shows is put back later', () => {
    const refAfter = (pushed: Partial<Extract<Observation, { readonly kind: 'present' }>>): unknown => {
      const { learning } = bench();
      const revision = (repoRef: string | null, latestRevisionID: string): Partial<ObservedDeployment> => ({
        ...{ latestRevisionID, activeRevisionID: 'one', sourceRevisionConfig: { fields: { repoRef } } },
      });
      const before = look({}, revision('a'.repeat(40), 'one'));
      const written = { before, listed: before, body: BODY, answered: false };
      learning.wrote('a', { ...written, endedMs: 0, dueMs: WINDOW_MS });
      const see = (deployment: ObservedDeployment, beganMs: number, how = {}): void =>
        learning.see('a', { kind: 'present', deployment, beganMs, via: 'list', ...how });
      see(look({}, revision('b'.repeat(40), 'two')), WINDOW_MS, pushed);
      see(look(NEW, revision(null, 'two')), WINDOW_MS + 1);
      const { effect, before: known } = learning.written('a') ?? {};
      expect(effect?.lost).toEqual(['sourceRevisionConfig.repoRef']);
      return known?.sourceRevisionConfig?.fields['repoRef'];
    };
    expect(refAfter({})).toBe('b'.repeat(40));
    expect(refAfter({ beganMs: 5 })).toBe('b'.repeat(40));
    const outranked = { deployment: look({}), beganMs: 5 };
    expect(refAfter({ via: 'answer', outranked }), 'an answer outranks a list that may be older').toBe(
      'a'.repeat(40),
    );
  });

  test('under a second revision after that of a repair: its author may have removed what the repair put back', () => {
    const openAfter = (activeRevisionID: string): readonly string[] | undefined => {
      const { learning } = bench();
      const before = look({});
      learning.wrote('a', { before, listed: before, body: BODY, endedMs: 0, dueMs: WINDOW_MS });
      const lost = look({ ...NEW, buildCommand: null, installCommand: null }, { latestRevisionID: 'two' });
      learning.see('a', { kind: 'present', deployment: lost, beganMs: WINDOW_MS, via: 'list' });
      const repair = { before: lost, body: { sourceConfig: { fields: SHOWN } } };
      learning.wrote('a', { ...repair, endedMs: WINDOW_MS, dueMs: 2 * WINDOW_MS });
      const deployment = { ...lost, latestRevisionID: 'four', activeRevisionID };
      learning.see('a', { kind: 'present', deployment, beganMs: 2 * WINDOW_MS, via: 'list' });
      return learning.written('a')?.effect?.lost;
    };
    expect(openAfter('two')).toEqual(['sourceConfig.buildCommand', 'sourceConfig.installCommand']);
    expect(openAfter('three')).toEqual([]);
  });

  test('from before a loss that a repair put back: it does not show the repair, although it shows the values', () => {
    const lostAfter = (list: ObservedDeployment, beganMs: number): readonly string[] | undefined => {
      const { learning } = bench();
      const before = look({});
      learning.wrote('a', { before, listed: before, body: BODY, endedMs: 0, dueMs: WINDOW_MS });
      const lost = look({ ...NEW, buildCommand: null, installCommand: null });
      learning.see('a', { kind: 'present', deployment: lost, beganMs: WINDOW_MS, via: 'list' });
      const body = { sourceConfig: { fields: { ...SHOWN, ...NEW } } };
      const times = { endedMs: WINDOW_MS + 1, dueMs: 2 * WINDOW_MS };
      learning.wrote('a', { before: lost, listed: lost, body, ...times });
      learning.see('a', { kind: 'present', deployment: list, beganMs, via: 'list' });
      return learning.written('a')?.effect?.lost;
    };
    const [old, repaired] = [look({}), look(NEW)];
    expect(lostAfter(old, WINDOW_MS + 2)).toEqual([
      'sourceConfig.buildCommand',
      'sourceConfig.installCommand',
    ]);
    expect(lostAfter(repaired, WINDOW_MS + 2)).toBeUndefined();
    expect(lostAfter(old, 2 * WINDOW_MS), 'a list that must show the repair').toBeUndefined();
  });

  test('with an answer that only repeats the request: a value that disappears beside a kept text is not put back', () => {
    const { learning } = bench();
    const before = look({});
    const answer = look({}, { sourceConfig: { fields: NEW } });
    learning.wrote('a', { before, listed: before, body: BODY, answer, endedMs: 0, dueMs: WINDOW_MS });
    const deployment = look({ ...NEW, buildCommand: null });
    learning.see('a', { kind: 'present', deployment, beganMs: WINDOW_MS, via: 'list' });
    expect(learning.written('a')?.effect).toMatchObject({ lost: [], dropped: ['sourceConfig.buildCommand'] });
  });

  test.each<readonly [string, JsonObject, string | undefined]>([
    ['of numbers', {}, undefined],
    ['with a text', { serviceAccountName: 'agent' }, 'Keep'],
  ])('with a resource spec %s: after an unexplained loss, numbers may be defaults', (_, others, want) => {
    const verdictAfter = (zone: string | null, answered?: string): string | undefined => {
      const { learning } = bench();
      const withSpec = (fields: JsonObject, latestRevisionID: string): ObservedDeployment => ({
        ...{ id: 'a', name: 'a', latestRevisionID, sourceRevisionConfig: { fields: { repoRef: 'main' } } },
        sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 1, ...others, ...fields }, unknown: {} } },
      });
      const [before, since, after] = [
        withSpec({ zone: 'us' }, 'one'),
        withSpec({ zone }, 'two'),
        withSpec({ zone }, 'three'),
      ];
      const body = { sourceRevisionConfig: { repoRef: 'main' } };
      const answer =
        answered === undefined ? { answered: false } : { answer: withSpec({ zone: answered }, 'two') };
      learning.wrote('a', { before, listed: before, body, ...answer, endedMs: 0, dueMs: WINDOW_MS });
      learning.see('a', { kind: 'present', deployment: since, beganMs: WINDOW_MS, via: 'list' });
      const times = { endedMs: WINDOW_MS, dueMs: 2 * WINDOW_MS };
      learning.wrote('a', { before: since, listed: since, body, answer: after, ...times });
      learning.see('a', { kind: 'present', deployment: after, beganMs: 2 * WINDOW_MS, via: 'list' });
      learning.see('a', { kind: 'present', deployment: after, beganMs: 2 * WINDOW_MS + 1, via: 'list' });
      return learning.learned.omittedFields?.verdict;
    };
    expect([verdictAfter(null), verdictAfter('us')]).toEqual([want, 'Keep']);
    expect(verdictAfter(null, 'us'), 'an answer shows the value, so somebody removed it later').toBe('Keep');
  });

  test.each<readonly [string, JsonObject, JsonObject, string | undefined]>([
    ['nothing if the answer lacks it too', {}, {}, undefined],
    ['Keep if the answer shows it, since somebody removed it later', { zone: 'us' }, {}, 'Keep'],
    ['Keep if the list shows another value of it', {}, { zone: 2 }, 'Keep'],
  ])(
    'once the list before the next write lacks a value that a write left out, numbers teach %s',
    (_, told, listed, want) => {
      const { learning } = bench();
      const withSpec = (fields: JsonObject, latestRevisionID: string): ObservedDeployment => ({
        ...{ id: 'a', name: 'a', latestRevisionID },
        sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 1, ...fields }, unknown: {} } },
      });
      const [before, answer] = [withSpec({ zone: 'us' }, 'one'), withSpec(told, 'one')];
      const body = { sourceRevisionConfig: { imageURI: null } };
      learning.wrote('a', { before, listed: before, body, answer, endedMs: 0, dueMs: WINDOW_MS });
      const [since, after] = [withSpec(listed, 'one'), withSpec(listed, 'two')];
      const next = { body: { secrets: [] }, answer: after, endedMs: 1, dueMs: WINDOW_MS + 1 };
      learning.wrote('a', { before: since, listed: since, ...next });
      for (const beganMs of [WINDOW_MS + 1, WINDOW_MS + 2])
        learning.see('a', { kind: 'present', deployment: after, beganMs, via: 'list' });
      expect(learning.learned.omittedFields?.verdict).toBe(want);
    },
  );

  test.each<readonly [string, JsonObject, string | undefined]>([
    ['of numbers', {}, undefined],
    ['with a text', { serviceAccountName: 'agent' }, 'Keep'],
  ])(
    'with a resource spec %s: while values are gone for good, numbers may be defaults',
    (_, others, want) => {
      const { learning } = bench();
      const withRevision = (latestRevisionID: string): ObservedDeployment => ({
        ...{ id: 'a', name: 'a', latestRevisionID, sourceRevisionConfig: { fields: { repoRef: 'main' } } },
        sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 1, ...others }, unknown: {} } },
      });
      const [before, after] = [withRevision('one'), withRevision('two')];
      const body = { sourceRevisionConfig: { repoRef: 'main' } };
      learning.foundUnrestored('a');
      learning.wrote('a', { before, listed: before, body, answer: after, endedMs: 0, dueMs: WINDOW_MS });
      learning.see('a', { kind: 'present', deployment: after, beganMs: WINDOW_MS, via: 'list' });
      learning.see('a', { kind: 'present', deployment: after, beganMs: WINDOW_MS + 1, via: 'list' });
      expect(learning.learned.omittedFields?.verdict).toBe(want);
    },
  );
});

test('writes beyond the memory limit are as unknown as after a restart', () => {
  const { clock, learning } = bench({ keptBytes: 3_000 });
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const id of ids) {
    const { deployment: before } = seen(id, clock);
    learning.wrote(id, { before, body: BODY, endedMs: clock.now(), dueMs: clock.now() + WINDOW_MS });
  }
  expect(ids.filter((id) => learning.written(id) !== undefined).length).toBeLessThan(6);
  expect(ids.every((id) => learning.wroteTo(id))).toBe(true);
});

test('writes that a list has shown while their answers outranked it count towards the memory limit', () => {
  const { clock, learning } = bench({ keptBytes: 12_000 });
  const ids = Array.from({ length: 50 }, (_, at) => `agent-${at}`);
  const isKept = (id: string): boolean => {
    const { deployment: before, beganMs } = seen(id, clock);
    const { sourceConfig = { fields: {} } } = before;
    const fields = { ...sourceConfig.fields, ...BODY.sourceConfig.fields };
    const answer = { ...before, sourceConfig: { fields } };
    const written = { before, listed: before, body: BODY, answer };
    learning.wrote(id, { ...written, endedMs: clock.now(), dueMs: clock.now() + WINDOW_MS });
    const outranked = { deployment: answer, beganMs };
    learning.see(id, { kind: 'present', deployment: answer, beganMs, via: 'answer', outranked });
    return learning.outranking(id) !== undefined;
  };
  const kept = ids.filter(isKept);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(ids.length);
  expect(kept.every((id) => learning.outranking(id) !== undefined)).toBe(true);
  // The rest of the room is smaller than one of them.
  const others = ids.map((id) => `other-${id}`);
  for (const id of others) {
    const { deployment: before } = seen(id, clock);
    learning.wrote(id, { before, body: BODY, endedMs: clock.now(), dueMs: clock.now() + WINDOW_MS });
  }
  expect(others.filter((id) => learning.written(id) !== undefined).length).toBeLessThan(4);
});

describe('a list that no decision is based on', () => {
  const look = (revision: string, fields: JsonObject): ObservedDeployment => ({
    id: 'a',
    name: 'a',
    latestRevisionID: revision,
    sourceConfig: { fields },
    sourceRevisionConfig: { fields: { imageURI: revision } },
  });
  const TEXTS = { installCommand: 'npm ci', buildCommand: 'make' };
  const body = { sourceConfig: { fields: { customURL: 'https://new.example.com' } } };

  for (const [revision, lost] of [
    ['r1', ['sourceConfig.buildCommand']],
    ['r0', ['sourceConfig.installCommand', 'sourceConfig.buildCommand']],
  ] as const) {
    test(`reports what a person removed before our write, if it shows the revision from before that: ${revision}`, () => {
      const { clock, learning } = bench();
      const before = look('r1', TEXTS);
      const endedMs = clock.now();
      learning.wrote('a', { before, listed: before, body, endedMs, dueMs: endedMs + WINDOW_MS });
      learning.glance(look(revision, { buildCommand: 'make' }), endedMs + 1);
      const deployment = look('r1', { customURL: 'https://new.example.com' });
      learning.see('a', { kind: 'present', deployment, beganMs: endedMs + 2, via: 'list' });
      expect(learning.written('a')?.effect?.lost).toEqual(lost);
    });
  }
});
