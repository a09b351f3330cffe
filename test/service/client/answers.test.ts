import { describe, expect, it } from 'vitest';
import { defined } from '../../../src/base/defined.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { Answers } from '../../../src/service/client/answers.ts';
import type { AskedBlock } from '../../../src/service/client/completed-answer.ts';
import { KeptRoom, type KeptShare } from '../../../src/service/limits/kept-room.ts';

const aShare = (keptBytes = 1e9): KeptShare => new KeptRoom({ keptBytes, sweptBytes: 0 }).share('team-a');

const ENDED_MS = 10_000;
const UNTIL_MS = 70_000;
const LATER_MS = 20_000;

const BEFORE: ObservedDeployment = {
  id: 'A-1',
  name: 'agent',
  source: 'external_container',
  tenantID: 't',
  serviceStatus: 'READY',
  latestRevisionID: 'r1',
  activeRevisionID: 'r1',
  sourceConfig: { fields: { buildOnPush: false }, resourceSpec: { fields: { cpu: 1 }, unknown: {} } },
  sourceRevisionConfig: { fields: { imageURI: 'agent:1' } },
  secrets: [{ name: 'API_TOKEN' }],
};

const AFTER: ObservedDeployment = {
  ...BEFORE,
  latestRevisionID: 'r2',
  sourceRevisionConfig: { fields: { imageURI: 'agent:2' } },
};

function answered(
  deployment: ObservedDeployment,
  asked: readonly AskedBlock[] = ['sourceRevisionConfig'],
  before: ObservedDeployment | 'unknown' = BEFORE,
): Answers {
  const answers = new Answers(aShare());
  const known = before === 'unknown' ? undefined : before;
  answers.put({ deployment, endedMs: ENDED_MS, untilMs: UNTIL_MS }, { before: known, asked });
  return answers;
}

describe('the answer to a write (N30)', () => {
  it('outranks a read that shows the state before it (H31)', () => {
    expect(answered(AFTER).outranking('A-1', BEFORE, LATER_MS)?.deployment).toEqual(AFTER);
  });

  it('does not outrank a read that shows the write, without a revision or secrets in lists', () => {
    const before = { ...BEFORE, secrets: [] };
    const built = { ...BEFORE.sourceConfig, fields: { buildOnPush: true } };
    const answer = { ...BEFORE, sourceConfig: built };
    const read = { ...before, sourceConfig: built, sourceRevisionConfig: { fields: {} } };
    const answers = answered(answer, ['sourceConfig', 'secrets'], before);
    expect(
      answers.outranking('A-1', { ...before, sourceRevisionConfig: { fields: {} } }, LATER_MS),
    ).toBeDefined();
    expect(answers.outranking('A-1', read, LATER_MS + 1)).toBeUndefined();
  });

  it('outranks a read under its revision from before a repair, unless lists hide what the repair put back', () => {
    for (const first of [BEFORE, { ...BEFORE, sourceConfig: { fields: {} } }]) {
      const emptied = { ...BEFORE, latestRevisionID: 'r2', sourceConfig: { fields: {} } };
      const repaired = { ...BEFORE, latestRevisionID: 'r3' };
      const read = { ...emptied, latestRevisionID: 'r3' };
      const answers = new Answers(aShare());
      const image = { sourceRevisionConfig: { imageURI: 'agent:1' } };
      answers.put(
        { deployment: emptied, endedMs: 1, untilMs: UNTIL_MS },
        { before: first, asked: ['sourceRevisionConfig'], body: image },
      );
      answers.put(
        { deployment: repaired, endedMs: 2, untilMs: UNTIL_MS },
        {
          before: emptied,
          asked: ['sourceConfig'],
          body: {
            sourceConfig: {
              fields: { buildOnPush: false },
              resourceSpec: { fields: { cpu: 1 }, unknown: {} },
            },
          },
        },
      );
      const isOutranked = answers.outranking('A-1', read, LATER_MS) !== undefined;
      expect(isOutranked).toBe(first === BEFORE);
    }
  });

  it('does not outrank a read that shows the labels of the write beside one that somebody set since', () => {
    const labelled = (labels: Readonly<Record<string, string>>): ObservedDeployment => ({
      ...BEFORE,
      sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 1, labels }, unknown: {} } },
    });
    const answers = answered(labelled({ team: 'ours' }), ['sourceConfig'], labelled({}));
    for (const read of [labelled({ tier: 'theirs' }), { ...BEFORE, sourceConfig: { fields: {} } }])
      expect(answers.outranking('A-1', read, LATER_MS)).toBeDefined();
    const both = labelled({ team: 'ours', tier: 'theirs' });
    expect(answers.outranking('A-1', both, LATER_MS + 1)).toBeUndefined();
  });

  describe('and a read that shows the state before an earlier write', () => {
    const withURL = (fields: JsonObject): ObservedDeployment => ({
      ...BEFORE,
      sourceConfig: { ...BEFORE.sourceConfig, fields },
    });
    const [first, flag] = [{ customURL: 'https://a' }, { buildOnPush: false }];
    const emptied = withURL(first);
    const repaired = withURL({ ...first, ...flag });
    /** Puts a write, and another one after it, which a read shows at once. */
    const twice = (fields: JsonObject, deployment: ObservedDeployment, endedMs = LATER_MS): Answers => {
      const answers = new Answers(aShare());
      const [untilMs, asked] = [endedMs + 60_000, ['sourceConfig'] as const];
      const told = { before: BEFORE, asked, body: { sourceConfig: { fields: first } } };
      answers.put({ deployment: emptied, endedMs: ENDED_MS, untilMs: UNTIL_MS }, told);
      answers.put(
        { deployment, endedMs, untilMs },
        { before: emptied, asked, body: { sourceConfig: { fields } } },
      );
      expect(answers.outranking('A-1', deployment, endedMs + 1)).toBeUndefined();
      return answers;
    };

    it('outranks it, also after a read that shows the last write', () => {
      const answers = twice({ ...first, ...flag }, repaired);
      expect(answers.outranking('A-1', BEFORE, LATER_MS + 2)?.deployment).toEqual(repaired);
      const other = withURL({ buildOnPush: true });
      expect(answers.outranking('A-1', other, LATER_MS + 3), 'somebody has changed it').toBeUndefined();
    });

    it('outranks one from before the last write only if that changed several values', () => {
      for (const [fields, older] of [
        [{ ...flag }, false],
        [{ ...flag, buildCommand: 'make' }, true],
      ] as const) {
        const answers = twice({ ...first, ...fields }, withURL({ ...first, ...fields }));
        expect(answers.outranking('A-1', emptied, LATER_MS + 2) !== undefined).toBe(older);
      }
    });

    it('does not outrank it if it lists no secrets, and nothing else of the earlier write is left', () => {
      const answers = new Answers(aShare());
      const [hidden, asked] = [{ ...BEFORE, secrets: [] }, ['sourceConfig'] as const];
      const secrets = [{ name: 'API_TOKEN', value: new SecretValue('value-of-the-token') }];
      const sent = { sourceConfig: { fields: first }, secrets };
      const told = { ...withURL(first), secrets };
      answers.put({ deployment: told, endedMs: 1, untilMs: UNTIL_MS }, { before: hidden, asked, body: sent });
      const last = { ...withURL({ buildOnPush: true }), secrets };
      const back = { sourceConfig: { fields: { customURL: null, buildOnPush: true } } };
      answers.put({ deployment: last, endedMs: 2, untilMs: UNTIL_MS }, { before: told, asked, body: back });
      answers.outranking('A-1', { ...last, secrets: [] }, LATER_MS);
      expect(answers.outranking('A-1', hidden, LATER_MS + 1), 'somebody set the flag back').toBeUndefined();
    });

    it('outranks one with a default that the look before it lacked, if no write set that default', () => {
      const asked = ['sourceConfig'] as const;
      const early = { ...BEFORE, latestRevisionID: null, sourceConfig: { fields: flag } };
      const later = withURL({ ...first, ...flag, buildCommand: 'make' });
      for (const [deployment, fields] of [
        [repaired, { ...first, ...flag }],
        [later, { ...first, ...flag, buildCommand: 'make' }],
      ] as const) {
        const answers = new Answers(aShare());
        const told = { before: early, asked, body: { sourceConfig: { fields: first } } };
        answers.put({ deployment: emptied, endedMs: 1, untilMs: UNTIL_MS }, told);
        const { resourceSpec } = BEFORE.sourceConfig ?? {};
        const body = { sourceConfig: { fields, ...defined({ resourceSpec: resourceSpec ?? undefined }) } };
        answers.put({ deployment, endedMs: 2, untilMs: UNTIL_MS }, { before: emptied, asked, body });
        expect(answers.outranking('A-1', BEFORE, LATER_MS), 'from before the first write').toMatchObject({
          deployment,
          overOlder: true,
        });
        const sized = { fields: flag, resourceSpec: { fields: { cpu: 2 }, unknown: {} } };
        const reads = [{ ...BEFORE, sourceConfig: sized }, withURL({ ...flag, buildCommand: 'make' })];
        for (const read of reads)
          expect(
            answers.outranking('A-1', read, LATER_MS + 1)?.overOlder,
            'somebody changed it',
          ).toBeUndefined();
      }
    });

    it('outranks one from after the window of the earlier write that shows only values from before both (100921)', () => {
      const old = withURL({ installCommand: 'npm ci', buildCommand: 'make theirs' });
      // The answer to an even earlier write pretended the command.
      const before = withURL({ installCommand: 'npm ci', buildCommand: 'make ours' });
      const between = withURL({ ...first, buildCommand: 'make theirs' });
      const sent = { ...first, buildOnPush: true, buildCommand: 'make ours' };
      const deployment = withURL(sent);
      const [asked, answers] = [['sourceConfig'] as const, new Answers(aShare())];
      const told = { before, asked, body: { sourceConfig: { fields: first } } };
      answers.put({ deployment: between, endedMs: 1, untilMs: 60_000 }, told);
      const body = { sourceConfig: { fields: sent } };
      answers.put({ deployment, endedMs: 30_000, untilMs: 90_000 }, { before: between, asked, body });
      expect(answers.outranking('A-1', old, 70_000)).toMatchObject({ deployment, overOlder: true });
      for (const theirs of [{ installCommand: 'npm install' }, { buildOnPush: true }]) {
        const read = withURL({ ...old.sourceConfig?.fields, ...theirs });
        expect(answers.outranking('A-1', read, 70_001)?.overOlder, 'somebody changed it').toBeUndefined();
      }
    });

    it('does not outrank one that goes back to such values under a new revision', () => {
      const at = (revision: string, fields: JsonObject): ObservedDeployment => ({
        ...BEFORE,
        latestRevisionID: revision,
        sourceRevisionConfig: { fields },
      });
      const looks = [
        at('r1', { imageURI: 'agent:1', repoRef: 'main', graphConfigPath: 'g0' }),
        at('r2', { imageURI: 'agent:1', repoRef: 'main', graphConfigPath: 'g1' }),
        at('r3', { imageURI: 'agent:2', repoRef: 'next', graphConfigPath: 'g1' }),
      ] as const;
      const answers = new Answers(aShare());
      const asked = ['sourceRevisionConfig'] as const;
      const bodies = [
        { sourceRevisionConfig: { graphConfigPath: 'g1' } },
        { sourceRevisionConfig: { imageURI: 'agent:2', repoRef: 'next' } },
      ];
      for (const [nth, body] of bodies.entries()) {
        const [before, deployment = BEFORE] = looks.slice(nth);
        const endedMs = 1 + 30_000 * nth;
        answers.put({ deployment, endedMs, untilMs: endedMs + 60_000 }, { before, asked, body });
      }
      expect(answers.outranking('A-1', looks[2], 40_000)).toBeUndefined();
      const back = { ...looks[0], latestRevisionID: 'r4' };
      for (const beganMs of [50_000, 70_000])
        expect(answers.outranking('A-1', back, beganMs), 'somebody went back').toBeUndefined();
    });

    it('does not outrank it after the window of the earlier write', () => {
      const early = twice({ ...first, ...flag }, repaired);
      expect(early.outranking('A-1', BEFORE, UNTIL_MS + 2)).toBeUndefined();
      const late = twice({ ...first, ...flag }, repaired, UNTIL_MS);
      expect(late.outranking('A-1', BEFORE, UNTIL_MS + 2)).toBeUndefined();
    });

    it('does not outrank it if the last write took the values of the earlier one back', () => {
      const theirs = withURL({ buildOnPush: true });
      const answers = twice({ customURL: null }, theirs);
      expect(answers.outranking('A-1', BEFORE, LATER_MS + 2), 'somebody set the flag back').toBeUndefined();
    });
  });

  it('outranks a read that agrees but began before the write ended', () => {
    expect(answered(AFTER).outranking('A-1', AFTER, ENDED_MS - 1)?.deployment).toEqual(AFTER);
  });

  it('outranks a list that does not show the deployment yet', () => {
    expect(answered(AFTER).outranking('A-1', undefined, LATER_MS)?.deployment).toEqual(AFTER);
  });

  it('without a revision takes the keys that were only resent from a read under a new revision', () => {
    const spec = (fields: Readonly<Record<string, string | number>>) => ({
      sourceConfig: { fields: {}, resourceSpec: { fields, unknown: {} } },
    });
    const before = { ...BEFORE, ...spec({ cpu: 1, memoryMB: 512, account: 'one' }) };
    const { latestRevisionID: _, ...answer } = {
      ...before,
      ...spec({ cpu: 2, memoryMB: 512, account: 'one' }),
    };
    const answers = answered(answer, ['sourceConfig'], before);
    const read = { ...before, ...spec({ cpu: 1, memoryMB: 1024 }), latestRevisionID: 'r3' };
    const counts = answers.outranking('A-1', read, LATER_MS)?.deployment.sourceConfig?.resourceSpec;
    expect(counts?.fields).toEqual({ cpu: 2, memoryMB: 1024 });
  });

  it('shows a list as empty although the write did not ask for it, only if a later read shows it as empty too', () => {
    const other = { ...BEFORE, sourceConfig: { fields: {} } };
    const answers = answered({ ...AFTER, secrets: [] });
    expect(answers.outranking('A-1', other, LATER_MS)?.deployment.secrets).toEqual(BEFORE.secrets);
    expect(answers.outranking('A-1', { ...other, secrets: [] }, LATER_MS)?.deployment).toEqual({
      ...AFTER,
      secrets: [],
    });
    const sameRevision = { ...other, secrets: [], latestRevisionID: 'r2' };
    expect(answers.outranking('A-1', sameRevision, LATER_MS)?.deployment.secrets).toEqual([]);
  });

  it('without a revision counts for what it changed; a read under a new revision counts for what was only resent', () => {
    const { latestRevisionID: _, ...silent } = AFTER;
    const unnumbered = {
      ...silent,
      sourceRevisionConfig: { fields: { imageURI: 'agent:2', graphConfigPath: 'ours.json' } },
    };
    const before = {
      ...BEFORE,
      sourceRevisionConfig: { fields: { imageURI: 'agent:1', graphConfigPath: 'ours.json' } },
    };
    const read = {
      ...before,
      latestRevisionID: 'r3',
      sourceRevisionConfig: { fields: { imageURI: 'agent:1', graphConfigPath: 'theirs.json' } },
    };
    const seen = answered(unnumbered, ['sourceRevisionConfig'], before).outranking('A-1', read, LATER_MS);
    expect(seen?.deployment.sourceRevisionConfig?.fields).toEqual({
      imageURI: 'agent:2',
      graphConfigPath: 'theirs.json',
    });
  });

  it('does not fill in what a list lacks after another list has shown the write', () => {
    const answers = answered(AFTER);
    expect(answers.outranking('A-1', AFTER, LATER_MS)).toBeUndefined();
    expect(answers.outranking('A-1', undefined, LATER_MS + 1)).toBeUndefined();
    expect(answers.outranking('A-1', undefined, ENDED_MS - 1), 'a list from before the answer').toBeDefined();
  });

  it('is confirmed by a read with all values of the write under its revision, even if lists show no secrets', () => {
    const before = { ...BEFORE, secrets: [] };
    const answers = answered(AFTER, ['sourceRevisionConfig', 'secrets'], before);
    const listed = { ...AFTER, secrets: [] };
    expect(answers.outranking('A-1', listed, LATER_MS)).toBeUndefined();
    const edited = { ...listed, latestRevisionID: 'r3', sourceConfig: { fields: { buildOnPush: true } } };
    expect(answers.outranking('A-1', edited, LATER_MS + 1)).toBeUndefined();
  });

  it('gives way to a later read that agrees, so that the progress of a rollout is visible', () => {
    const progress = { ...AFTER, activeRevisionID: 'r2', serviceStatus: 'AWAITING_DATABASE' };
    expect(answered(AFTER).outranking('A-1', progress, LATER_MS)).toBeUndefined();
  });

  const WITH_HAND = {
    ...AFTER,
    sourceConfig: { fields: { buildOnPush: true, customURL: 'https://a.example.com' } },
  };

  it('gives way to a read that shows its revision and later changes by somebody else (H2)', () => {
    expect(answered(AFTER).outranking('A-1', WITH_HAND, LATER_MS)).toBeUndefined();
  });

  it('gives way to a read that shows its revision and that somebody undid one of several changes (H2)', () => {
    const config = (labels?: string): Partial<ObservedDeployment> => ({
      sourceConfig: {
        fields: { installCommand: 'npm ci' },
        ...(labels !== undefined && { resourceSpec: { fields: { labels }, unknown: {} } }),
      },
    });
    const answers = answered({ ...AFTER, ...config('theirs') });
    expect(answers.outranking('A-1', { ...AFTER, ...config() }, LATER_MS)).toBeUndefined();
    const older = { ...BEFORE, ...config(), latestRevisionID: 'r1' };
    expect(answers.outranking('A-1', older, LATER_MS), 'the state before the write').toBeDefined();
  });

  it('outranks a read that shows an earlier change by somebody else and not its revision (H31)', () => {
    const stale = { ...WITH_HAND, latestRevisionID: 'r1' };
    expect(answered(AFTER).outranking('A-1', stale, LATER_MS)?.deployment).toEqual(AFTER);
  });

  const SIZED = (cpu: number, memoryMB: number): ObservedDeployment => ({
    ...BEFORE,
    sourceConfig: { fields: {}, resourceSpec: { fields: { cpu, memoryMB }, unknown: {} } },
  });

  it('without a new revision gives way to a read that shows everything the write changed', () => {
    const answers = answered(SIZED(2, 512), ['sourceConfig'], SIZED(1, 512));
    expect(answers.outranking('A-1', SIZED(2, 2048), LATER_MS)).toBeUndefined();
    expect(answers.outranking('A-1', SIZED(1, 2048), LATER_MS)?.deployment).toEqual(SIZED(2, 512));
  });

  it('gives way to any read that began after one that showed the write, unless its revision is older', () => {
    const answers = answered(SIZED(2, 512), ['sourceConfig'], SIZED(1, 512));
    const theirs = SIZED(8, 2048);
    expect(answers.outranking('A-1', theirs, LATER_MS), 'nothing has shown the write').toBeDefined();
    expect(answers.outranking('A-1', SIZED(2, 512), LATER_MS)).toBeUndefined();
    expect(answers.outranking('A-1', theirs, LATER_MS), 'begun no later').toBeDefined();
    expect(answers.outranking('A-1', theirs, LATER_MS + 1)).toBeUndefined();

    const made = answered(AFTER);
    expect(made.outranking('A-1', AFTER, LATER_MS)).toBeUndefined();
    const config = { sourceConfig: { fields: { buildOnPush: true } } };
    const image = { sourceRevisionConfig: { fields: { imageURI: 'agent:3' } } };
    const newer = { ...BEFORE, ...image, ...config, latestRevisionID: 'r3' };
    expect(made.outranking('A-1', newer, LATER_MS + 1)).toBeUndefined();
    expect(made.outranking('A-1', BEFORE, LATER_MS + 1), 'a replica that is behind').toBeDefined();
  });

  it('outranks a lagging replica, even after a read that showed the write (H31)', () => {
    const answers = new Answers(aShare());
    const body = { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 2 }, unknown: {} } } };
    const about = { before: SIZED(1, 512), asked: ['sourceConfig'], body } as const;
    answers.put({ deployment: SIZED(2, 512), endedMs: ENDED_MS, untilMs: UNTIL_MS }, about);
    expect(answers.outranking('A-1', SIZED(2, 512), LATER_MS)).toBeUndefined();
    expect(answers.outranking('A-1', SIZED(1, 512), LATER_MS + 1)?.deployment).toEqual(SIZED(2, 512));
    expect(answers.outranking('A-1', SIZED(8, 512), LATER_MS + 2)).toBeUndefined();
  });

  it('outranks no read if it shows nothing of the write, only keys that the request repeats', () => {
    const spec = (fields: Readonly<Record<string, number>>) => ({
      ...BEFORE,
      sourceConfig: { fields: {}, resourceSpec: { fields, unknown: {} } },
    });
    const before = spec({ memoryMB: 512 });
    const body = {
      sourceConfig: { fields: {}, resourceSpec: { fields: { memoryMB: 512, cpu: 2 }, unknown: {} } },
    };
    const put = (fields: Readonly<Record<string, number>>): Answers => {
      const answers = new Answers(aShare());
      const sourceRevisionConfig = { fields: { imageURI: 'agent:1', graphConfigPath: 'theirs.json' } };
      const answer = { ...spec(fields), sourceRevisionConfig };
      answers.put(
        { deployment: answer, endedMs: ENDED_MS, untilMs: UNTIL_MS },
        { before, asked: ['sourceConfig'], body },
      );
      return answers;
    };
    expect(put({ memoryMB: 512 }).outranking('A-1', before, LATER_MS)).toBeUndefined();
    expect(put({ memoryMB: 512, cpu: 2 }).outranking('A-1', before, LATER_MS)).toBeDefined();
  });

  it('gives way to a read under a new revision with the old values, once another read has shown the write', () => {
    const answers = new Answers(aShare());
    const body = { sourceRevisionConfig: { imageURI: 'agent:2' } };
    const about = { before: BEFORE, asked: ['sourceRevisionConfig'], body } as const;
    answers.put({ deployment: AFTER, endedMs: ENDED_MS, untilMs: UNTIL_MS }, about);
    const wentBack = { ...BEFORE, latestRevisionID: 'r3' };
    expect(answers.outranking('A-1', wentBack, LATER_MS), 'made just before, perhaps').toBeDefined();
    expect(answers.outranking('A-1', AFTER, LATER_MS)).toBeUndefined();
    expect(answers.outranking('A-1', wentBack, LATER_MS + 1)).toBeUndefined();
  });

  it('without a new revision outranks a read under a revision that reads showed before the write', () => {
    const answers = new Answers(aShare());
    const under = (latestRevisionID: string) => ({ ...SIZED(1, 512), latestRevisionID });
    expect(answers.outranking('A-1', under('r0'), 1_000)).toBeUndefined();
    const about = { before: SIZED(1, 512), asked: ['sourceConfig'] } as const;
    answers.put({ deployment: SIZED(2, 512), endedMs: ENDED_MS, untilMs: UNTIL_MS }, about);
    expect(answers.outranking('A-1', under('r0'), LATER_MS), 'a replica behind by two').toBeDefined();
    expect(answers.outranking('A-1', under('r2'), LATER_MS)).toBeUndefined();
  });

  it('outranks a contradicting read after a read that only agreed and may not have shown the write', () => {
    const { sourceConfig: _, ...sparse } = SIZED(2, 512);
    const answers = answered(SIZED(2, 512), ['sourceConfig'], SIZED(1, 512));
    expect(answers.outranking('A-1', sparse, LATER_MS)).toBeUndefined();
    expect(answers.outranking('A-1', SIZED(1, 512), LATER_MS + 1)).toBeDefined();
  });

  it('without a new revision gives way to a read under a new revision, whatever that shows', () => {
    const answers = answered(SIZED(2, 512), ['sourceConfig'], SIZED(1, 512));
    const later = { ...SIZED(1, 512), latestRevisionID: 'r2' };
    expect(answers.outranking('A-1', later, LATER_MS)).toBeUndefined();
    const asBefore = { ...later, latestRevisionID: null };
    expect(answers.outranking('A-1', asBefore, LATER_MS), 'no revision is no new one').toBeDefined();
    const made = answered(AFTER);
    expect(made.outranking('A-1', { ...BEFORE, latestRevisionID: 'r0' }, LATER_MS)).toBeDefined();
  });

  it('that shows no revision is completed with a read under a new one', () => {
    const told = { id: 'A-1', name: 'agent', sourceConfig: { fields: { buildOnPush: true } } };
    const answers = answered(told, ['sourceConfig']);
    const later = { ...AFTER, sourceConfig: { fields: { customURL: 'https://theirs.example.com' } } };
    const { sourceConfig, sourceRevisionConfig } = answers.outranking('A-1', later, LATER_MS)!.deployment;
    expect(sourceConfig?.fields).toEqual({ buildOnPush: true, customURL: 'https://theirs.example.com' });
    expect(sourceRevisionConfig).toEqual(AFTER.sourceRevisionConfig);
    const { deployment } = answers.outranking('A-1', { ...later, latestRevisionID: 'r1' }, LATER_MS)!;
    expect(deployment.sourceRevisionConfig, 'the revision from before').toEqual(BEFORE.sourceRevisionConfig);
  });

  it('gives way to a read that does not show everything and contradicts nothing', () => {
    const { sourceConfig: _, secrets: __, ...sparse } = AFTER;
    expect(answered(AFTER).outranking('A-1', sparse, LATER_MS)).toBeUndefined();
  });

  const DIFFERENT = {
    'another source configuration': { sourceConfig: { fields: { buildOnPush: true } } },
    'other secrets': { secrets: [] },
    'other references': { secretReferences: [{ name: 'a', secretName: 'b', secretKey: 'c' }] },
  } as const;
  const read = (difference: Partial<ObservedDeployment>) => ({
    ...AFTER,
    secretReferences: [],
    ...difference,
  });
  const outranked = (difference: Partial<ObservedDeployment>): boolean =>
    answered({ ...AFTER, secretReferences: [] }).outranking('A-1', read(difference), UNTIL_MS - 1) !==
    undefined;

  it.each(Object.entries(DIFFERENT))(
    'gives way to a read with %s only if that read shows what the write changed',
    (_, difference) => {
      expect(outranked(difference)).toBe(false);
      expect(outranked({ ...difference, latestRevisionID: 'r3' }), 'somebody made a newer one').toBe(false);
      expect(outranked({ ...difference, latestRevisionID: 'r1' }), 'the one before').toBe(true);
      const image = { sourceRevisionConfig: { fields: { imageURI: 'agent:1' } } };
      expect(outranked({ ...difference, ...image }), 'the image before').toBe(true);
    },
  );

  it('does not give way to a read with the old value of a secret if both show values', () => {
    const token = (value: string) => [{ name: 'API_TOKEN', value: new SecretValue(value) }];
    const rotated = { ...AFTER, secrets: token('new') };
    const read = (secrets: ObservedDeployment['secrets']) =>
      answered(rotated).outranking('A-1', { ...AFTER, ...(secrets && { secrets }) }, LATER_MS);
    expect(read(token('old'))).toBeDefined();
    expect(read(token('new'))).toBeUndefined();
    expect(read([{ name: 'API_TOKEN' }]), 'a value that is not shown').toBeUndefined();
  });

  for (const revision of ['r1', 'r2'])
    describe(`under ${revision}, to a write that left out a secret`, () => {
      const sourceConfig = { fields: { customURL: 'https://a.example.com' } };
      const named = (...names: readonly string[]) => names.map((name) => ({ name }));
      const before = { ...BEFORE, secrets: named('BY_HAND') };
      const after = { ...BEFORE, latestRevisionID: revision, sourceConfig };
      const judged = (read: ObservedDeployment, fields: JsonObject, ...sent: readonly string[]) => {
        const secrets = sent.map((name) => ({ name, value: new SecretValue(`value-of-${name}`) }));
        const answers = new Answers(aShare());
        const deployment = { ...after, secrets: named(...sent) };
        const body = { sourceConfig: { fields }, secrets };
        answers.put(
          { deployment, endedMs: ENDED_MS, untilMs: UNTIL_MS },
          { before, asked: ['sourceConfig', 'secrets'], body },
        );
        return answers.outranking('A-1', read, LATER_MS);
      };

      it('gives way to a read that shows the write and still lists that secret', () => {
        const kept = { ...after, secrets: named('BY_HAND', 'API_TOKEN') };
        expect(judged(kept, sourceConfig.fields, 'API_TOKEN')).toBeUndefined();
      });

      it('outranks a read without a requested change', () => {
        const { fields } = sourceConfig;
        const kept = { ...after, secrets: named('BY_HAND') };
        expect(judged(kept, fields, 'API_TOKEN'), 'a secret is missing').toBeDefined();
        const nothing = { ...before, latestRevisionID: revision };
        expect(judged(nothing, fields), 'everything is as before').toBeDefined();
        expect(judged(kept, {}), 'somebody else may have made the change before').toBeDefined();
      });
    });

  it('expires with the first read that began after its window, whatever that shows', () => {
    const answers = answered(AFTER);
    expect(answers.outranking('A-1', BEFORE, UNTIL_MS)).toBeUndefined();
    expect(answers.outranking('A-1', BEFORE, LATER_MS), 'an older read afterwards').toBeUndefined();
  });

  it('is found by the id in any case', () => {
    expect(answered(AFTER).outranking('a-1', BEFORE, LATER_MS)).toBeDefined();
  });

  it('does not affect other deployments', () => {
    expect(answered(AFTER).outranking('B-2', BEFORE, LATER_MS)).toBeUndefined();
  });

  it('gives way to the answer to a later write', () => {
    const answers = answered(AFTER);
    const newest = { ...AFTER, latestRevisionID: 'r3' };
    const stale = { ...BEFORE, sourceRevisionConfig: AFTER.sourceRevisionConfig ?? { fields: {} } };
    answers.put(
      { deployment: newest, endedMs: 15_000, untilMs: 75_000 },
      { before: AFTER, asked: ['sourceRevisionConfig'] },
    );
    expect(answers.outranking('A-1', AFTER, LATER_MS)?.deployment).toEqual(newest);
    expect(answers.outranking('A-1', stale, LATER_MS), 'from before both').toBeDefined();
  });

  it('is forgotten when the deployment is deleted', () => {
    const answers = answered(AFTER);
    answers.forget('a-1');
    expect(answers.outranking('A-1', undefined, LATER_MS)).toBeUndefined();
    expect(answers.idNamed('agent')).toBeUndefined();
  });
});

describe('an answer that is not a whole deployment (N14)', () => {
  it('is completed with the values shown before, except for the fields that the write changed', () => {
    const { sourceConfig: _, secrets: __, tenantID: ___, ...partial } = AFTER;
    const outranking = answered(partial).outranking('A-1', BEFORE, LATER_MS);
    expect(outranking?.deployment).toEqual(AFTER);
  });

  it('keeps a resource_spec that it leaves out of a block that it shows', () => {
    const partial = { ...AFTER, sourceConfig: { fields: { buildOnPush: false } } };
    const outranking = answered(partial).outranking('A-1', BEFORE, LATER_MS);
    expect(outranking?.deployment.sourceConfig).toEqual(BEFORE.sourceConfig);
  });

  it('outranks nothing if it lacks what the write asked for', () => {
    const { sourceRevisionConfig: _, ...partial } = AFTER;
    expect(answered(partial).outranking('A-1', AFTER, LATER_MS)).toBeUndefined();
  });

  it('outranks nothing if it shows the state before the write', () => {
    expect(answered(BEFORE).outranking('A-1', AFTER, LATER_MS)).toBeUndefined();
  });

  it('outranks nothing if it shows the written field as before, even if it shows other fields that lists do not', () => {
    const url = (customURL: string): ObservedDeployment => ({
      ...BEFORE,
      sourceConfig: { fields: { customURL } },
    });
    const fuller = { ...BEFORE, sourceConfig: { fields: { customURL: 'https://a', buildCommand: 'make' } } };
    const answers = new Answers(aShare());
    answers.put(
      { deployment: fuller, endedMs: ENDED_MS, untilMs: UNTIL_MS },
      {
        before: url('https://a'),
        asked: ['sourceConfig'],
        body: { sourceConfig: { fields: { customURL: 'https://b' } } },
      },
    );
    expect(answers.outranking('A-1', url('https://b'), LATER_MS)).toBeUndefined();
  });

  it('outranks nothing if it shows the state before the write under a revision of somebody else', () => {
    const moved = (imageURI: string | undefined): ObservedDeployment => ({
      ...BEFORE,
      latestRevisionID: 'theirs',
      sourceConfig: { fields: { customURL: 'https://a' } },
      sourceRevisionConfig: { fields: imageURI === undefined ? {} : { imageURI } },
    });
    const answers = new Answers(aShare());
    answers.put(
      { deployment: moved(undefined), endedMs: ENDED_MS, untilMs: UNTIL_MS },
      {
        before: { ...BEFORE, sourceConfig: { fields: { customURL: 'https://a' } } },
        asked: ['sourceConfig'],
        body: { sourceConfig: { fields: { customURL: 'https://b' } } },
      },
    );
    const read = { ...moved('agent:3'), latestRevisionID: 'ours' };
    expect(answers.outranking('A-1', read, LATER_MS)).toBeUndefined();
  });

  it('outranks nothing if it lacks the written field, even if it shows other fields that lists do not', () => {
    const config = (fields: object): Pick<ObservedDeployment, 'sourceConfig'> => ({
      sourceConfig: { fields: { ...fields } },
    });
    const answers = new Answers(aShare());
    answers.put(
      {
        deployment: { ...BEFORE, ...config({ buildCommand: 'make' }) },
        endedMs: ENDED_MS,
        untilMs: UNTIL_MS,
      },
      {
        before: { ...BEFORE, ...config({}) },
        asked: ['sourceConfig'],
        body: { sourceConfig: { fields: { customURL: 'https://b' } } },
      },
    );
    const read = { ...BEFORE, ...config({ customURL: 'https://b' }), secrets: [] };
    expect(answers.outranking('A-1', read, LATER_MS)).toBeUndefined();
  });

  it('gives way to a list that hides the revision block and shows all other changes of the write', () => {
    const listed = (cpu: number, buildOnPush: boolean): ObservedDeployment => {
      const { sourceRevisionConfig: _, ...rest } = BEFORE;
      return {
        ...rest,
        sourceConfig: { fields: { buildOnPush }, resourceSpec: { fields: { cpu }, unknown: {} } },
      };
    };
    const sourceRevisionConfig = { fields: { imageURI: 'agent:1' } };
    const deployment = { ...listed(2, false), sourceRevisionConfig };
    const answers = answered(deployment, ['sourceConfig', 'sourceRevisionConfig'], listed(1, false));
    const hand = listed(2, true);
    const empty = { ...hand, sourceRevisionConfig: { fields: {} } };
    expect(answers.outranking('A-1', empty, LATER_MS), 'a block without the change').toBeDefined();
    expect(answers.outranking('A-1', listed(1, true), LATER_MS), 'without any change').toBeDefined();
    expect(answers.outranking('A-1', hand, LATER_MS)).toBeUndefined();
  });

  it('without a revision gives way to a list that shows the write', () => {
    const { latestRevisionID: _, ...partial } = AFTER;
    const edited = {
      ...AFTER,
      latestRevisionID: BEFORE.latestRevisionID ?? null,
      sourceConfig: { fields: {} },
    };
    const answers = answered(partial);
    expect(answers.outranking('A-1', BEFORE, LATER_MS)?.deployment).toMatchObject(partial);
    expect(answers.outranking('A-1', edited, LATER_MS), 'somebody edited it since').toBeUndefined();
  });

  it('counts as it is if nothing was known before', () => {
    const answers = answered({ id: 'A-1', name: 'agent' }, ['sourceConfig'], 'unknown');
    expect(answers.outranking('A-1', undefined, LATER_MS)?.deployment).toEqual({ id: 'A-1', name: 'agent' });
  });
});

describe('the answer to a creation', () => {
  it('provides the id for a name that the list does not show yet', () => {
    const answers = answered(AFTER, [], 'unknown');
    expect(answers.idNamed('agent')?.toLowerCase()).toBe('a-1');
    expect(answers.idNamed('Agent'), 'names are exact').toBeUndefined();
  });
});

describe('values of secrets', () => {
  it('never appear in the text of an answer', () => {
    const secret = new SecretValue('alpha-secret');
    const withValue = { ...AFTER, secrets: [{ name: 'API_TOKEN', value: secret }] };
    const outranking = answered(withValue).outranking('A-1', BEFORE, LATER_MS);
    expect(JSON.stringify(outranking)).not.toContain('alpha-secret');
    expect(outranking?.deployment.secrets?.[0]?.value?.equals(secret)).toBe(true);
  });
});

describe('the memory for answers', () => {
  const put = (answers: Answers, id: string): boolean =>
    answers.put(
      { deployment: { ...AFTER, id }, endedMs: ENDED_MS, untilMs: UNTIL_MS },
      { before: undefined, asked: [] },
    );

  it('is bounded: further answers are not remembered until a read has confirmed an earlier one', () => {
    const answers = new Answers(aShare(5_000));
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
    const kept = ids.filter((id) => put(answers, id));
    const isRemembered = (id: string): boolean => answers.outranking(id, undefined, LATER_MS) !== undefined;
    const remembered = ids.filter(isRemembered);
    expect(remembered.length).toBeGreaterThan(2);
    expect(remembered).toEqual(kept);
    expect(put(answers, 'k')).toBe(false);
    expect(put(answers, remembered[0]!)).toBe(true);
    expect(answers.outranking(remembered[0]!, undefined, UNTIL_MS)).toBeUndefined();
    expect(put(answers, 'k')).toBe(true);
    expect(isRemembered('k')).toBe(true);
  });
});
