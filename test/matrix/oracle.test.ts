import { describe, expect, test } from 'vitest';
import type { SyncedReason } from '../../src/api/condition.ts';
import { normal } from '../../src/model/outcome/event.ts';
import type { WireObject } from '../../src/wire/wire-json.ts';
import { Rogue } from '../support/oracle/rogue.ts';
import { isReadyWithEditedSecrets } from './lesson-stories.ts';
import { listsFor } from './story.ts';

/**
 * Plays a resource that is Ready with a value that the service shows in answers and does not keep, and a second write
 * of it.
 */
async function claimsWhatIsPretended(rogue: Rogue): Promise<void> {
  const declared = { custom_url: 'https://two.example.com' };
  rogue.bind({ sourceConfig: { customURL: declared.custom_url } });
  await rogue.list();
  await rogue.patch({ source_config: declared });
  rogue.claimReady(1);
  await rogue.world.pass(60);
  await rogue.patch({ source_config: { ...declared, install_command: 'npm ci' } });
  await listsFor(rogue, 6);
}

const TOKEN = { name: 'TOKEN', value: 'value-of-the-token' } as const;

describe('the oracle objects, without access to the operator, to', () => {
  test('a request that changes a field outside every spec', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' } });
    await rogue.patch({ source_config: { install_command: 'rm -rf .' } });
    expect(rogue.judged().wrongs.join()).toContain('sets source_config.install_command');
  });

  test('a request that restores a value that a person had removed', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' } });
    rogue.world.editAtService('source_config.install_command', null, 'x');
    await rogue.world.pass(60);
    await rogue.list();
    await rogue.patch({ source_config: { install_command: 'npm ci' } });
    expect(rogue.judged().wrongs.join()).toContain('sets source_config.install_command from absent');
  });

  test('a branch sent as the commit of an old read, unless the newer commit appeared since', async () => {
    for (const isSeen of [true, false]) {
      const rogue = new Rogue({
        deployments: [{ name: 'x', source: 'codehost', revisionConfig: { repo_ref: 'main' } }],
        semantics: { normalise: ['ref-to-sha'] },
      });
      rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
      await rogue.world.pass(60);
      await rogue.list();
      const repo_ref = rogue.world.kept('x').revisions.at(-1)?.commit ?? '';
      rogue.world.service.act({ kind: 'push', deployment: 'x', commit: 'c'.repeat(40), build: true });
      if (isSeen) await rogue.list();
      await rogue.patch({ source_revision_config: { repo_ref } });
      const { wrongs, excused } = rogue.judged();
      expect(wrongs.join().includes('sets source_revision_config.repo_ref')).toBe(isSeen);
      expect(excused['edited after the last look']).toBe(isSeen ? undefined : 1);
    }
  });

  test('a request that puts back what is only reported, unless the spec asked for another value meanwhile', async () => {
    for (const then of ['nothing', 'an edit of the spec', 'Correct'] as const) {
      const rogue = new Rogue();
      const declares = (customURL: string, driftPolicy: 'Report' | 'Correct' = 'Report'): void =>
        rogue.bind({ driftPolicy, sourceConfig: { customURL } });
      declares('https://one.example.com');
      rogue.world.editAtService('source_config.custom_url', 'https://hand.example.com', 'x');
      await rogue.world.pass(60);
      await rogue.list();
      rogue.claimDrift(1);
      await rogue.world.pass(60);
      if (then === 'an edit of the spec') declares('https://two.example.com');
      if (then !== 'nothing') declares('https://one.example.com', then === 'Correct' ? then : 'Report');
      await rogue.patch({ source_config: { custom_url: 'https://one.example.com' } });
      const isWrong = rogue.judged().wrongs.join().includes('puts back source_config.custom_url');
      expect(isWrong, then).toBe(then === 'nothing');
    }
  });

  test('a mask that is sent back as a value', async () => {
    const rogue = new Rogue({ semantics: { secretsEcho: 'stars' } });
    rogue.bind({ secrets: [{ name: 'OTHER', value: 'value-of-the-other' }] });
    await rogue.patch({
      secrets: [
        { name: 'OTHER', value: 'value-of-the-other' },
        { name: 'TOKEN', value: '********' },
      ],
    });
    expect(rogue.judged().wrongs.join()).toContain('sets secrets.TOKEN');
  });

  test('a request without any difference', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:1' } });
    await rogue.list();
    await rogue.patch({ source_revision_config: { image_uri: 'r.example.com/agent:1' } });
    expect(rogue.judged().wrongs.join()).toContain('changes nothing');
  });

  test('a request that is soon repeated after one that may have arrived', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
    rogue.world.fault({ kind: 'apply-then-fail', how: 504 });
    for (let time = 0; time < 2; time += 1)
      await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
    expect(rogue.judged().wrongs.join()).toContain('repeats');
  });

  test.each([
    ['an answer, but not after a missing answer', 1, 0],
    ['two answers that did not come', 2, 0],
    ['two answers that did not come to a process, whatever an earlier one sent', 3, 1],
  ])('masked secrets that go again after %s', async (_, times, restartsAfter) => {
    const rogue = new Rogue({ semantics: { secretsEcho: 'stars' } });
    rogue.bind({ secrets: [{ name: 'TOKEN', value: 'value-of-the-token' }] }, { observedGeneration: 1 });
    rogue.world.fault({ kind: 'apply-then-fail', how: 504 }, { times });
    const sendAgain = async (): Promise<readonly string[]> => {
      await rogue.patch({ secrets: [{ name: 'TOKEN', value: 'value-of-the-token' }] });
      await rogue.world.pass(120);
      return rogue.judged().wrongs;
    };
    for (let sent = 0; sent < restartsAfter; sent += 1) {
      expect(await sendAgain()).toEqual([]);
      rogue.world.chronicle.started();
    }
    expect([await sendAgain(), await sendAgain()]).toEqual([[], []]);
    expect((await sendAgain()).join()).toContain('changes nothing');
  });

  test('a value that a request empties and no request restores', async () => {
    const rogue = new Rogue({ semantics: { nested: { sourceConfig: 'replace' } } });
    rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
    await rogue.list();
    await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
    await rogue.world.pass(600);
    expect(rogue.judged().wrongs.join()).toContain('emptied source_config.install_command');
  });

  test('a value that a request empties, unless another client set it after the last read, perhaps twice', async () => {
    const judged = async (looksAgain: boolean, edits: readonly string[]) => {
      const rogue = new Rogue({ semantics: { nested: { sourceConfig: 'replace' } } });
      rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } }, { observedGeneration: 1 });
      await rogue.list();
      rogue.world.editAtService('source_config.install_command', null, 'x');
      await rogue.world.pass(60);
      await rogue.list();
      for (const [at, edit] of edits.entries()) {
        await rogue.world.pass(1);
        rogue.world.editAtService('source_config.install_command', edit, 'x');
        await rogue.world.pass(1);
        if (looksAgain && at === 0) await rogue.list();
      }
      await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
      await rogue.world.pass(600);
      return rogue.judged();
    };
    for (const edits of [['make theirs'], ['make theirs', 'make theirs again']]) {
      expect((await judged(true, edits)).wrongs.join()).toContain('emptied source_config.install_command');
      const spared = await judged(false, edits);
      expect(spared).toMatchObject({ wrongs: [], excused: { 'edited after the last look': 1 } });
    }
  });

  test('Ready=True for values that the service does not hold', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' } });
    rogue.claimReady(1);
    await rogue.world.pass(60);
    rogue.world.editAtService('source_config.custom_url', 'https://theirs.example.com', 'x');
    for (let minute = 0; minute < 6; minute += 1) {
      await rogue.world.pass(60);
      await rogue.list();
    }
    expect(rogue.judged().wrongs.join()).toContain('claims generation 1');
  });

  test('Ready=True for a value that lists show unchanged, though an answer showed it as kept', async () => {
    const rogue = new Rogue({ semantics: { fieldRules: { 'source_config.custom_url': 'pretended' } } });
    await claimsWhatIsPretended(rogue);
    expect(rogue.judged().wrongs.join()).toContain('claims generation 1');
  });

  test('Ready=True for a resource spec that another client changed after a write without a revision', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { resourceSpec: { cpu: 2 } } });
    await rogue.patch({ source_config: { resource_spec: { cpu: 2 } } });
    rogue.claimReady(1);
    await rogue.world.pass(10);
    rogue.world.editAtService('source_config.resource_spec.cpu', 8, 'x');
    await listsFor(rogue, 6);
    expect(rogue.judged().wrongs.join()).toContain('claims generation 1');
  });

  test('Ready=True for a secret that another client changed, if its value is shown', async () => {
    const rogue = new Rogue();
    rogue.bind({ secrets: [{ name: 'TOKEN', value: 'value-of-the-token' }] });
    await staysReadyAfterAnEdit(rogue);
    expect(rogue.judged().wrongs.join()).toContain('while secrets.TOKEN is "value-by-hand"');
  });

  test('Ready=True for an edited secret that a new process saw as an earlier one sent it', async () => {
    const secrets = [{ name: 'TOKEN', value: 'value-of-the-token' }];
    const rogue = new Rogue();
    rogue.bind({ secrets });
    const { chronicle } = rogue.world;
    chronicle.started();
    await rogue.patch({ secrets: [{ name: 'TOKEN', value: 'value-of-an-earlier-token' }] });
    await rogue.patch({ secrets });
    await rogue.list();
    await rogue.world.pass(120);
    chronicle.started();
    await rogue.list();
    await staysReadyAfterAnEdit(rogue);
    expect(rogue.judged().wrongs.join()).toContain('while secrets.TOKEN is "value-by-hand"');
  });

  test.each(['plain again', 'shown again', 'declared anew'] as const)(
    'Ready=True for secrets that seemed masked and are %s, and that the service does not hold',
    async (then) => {
      const rogue = new Rogue({ semantics: { revisionFor: 'revision-config' } });
      await isReadyWithEditedSecrets(rogue, then);
      expect(rogue.judged().wrongs.join()).toContain('while secrets.TOKEN is "by-hand');
    },
  );

  test('Ready=True for a secret that a new process never sent', async () => {
    const rogue = new Rogue();
    rogue.bind({ secrets: [{ name: 'TOKEN', value: 'value-that-was-declared' }] });
    const { chronicle } = rogue.world;
    chronicle.started();
    await rogue.world.pass(1);
    chronicle.started();
    rogue.claimReady(1);
    for (let minute = 0; minute < 6; minute += 1) {
      await rogue.world.pass(60);
      await rogue.list();
    }
    expect(rogue.judged().wrongs.join()).toContain('while secrets.TOKEN is "value-of-the-token"');
  });

  test('Ready=True that one process left in place before it died and another one started', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' } });
    rogue.claimReady(1);
    rogue.world.editAtService('source_config.custom_url', 'https://theirs.example.com', 'x');
    rogue.world.chronicle.started();
    for (let minute = 0; minute < 6; minute += 1) {
      await rogue.world.pass(60);
      await rogue.list();
    }
    rogue.world.chronicle.died();
    await rogue.world.pass(10);
    rogue.world.chronicle.started();
    await rogue.world.pass(60);
    expect(rogue.judged().wrongs.join()).toContain('claims generation 1');
  });

  test.each<readonly [SyncedReason, string]>([
    ['NotConverging', 'sourceConfig.customURL was sent twice, but the service does not show it'],
    ['NotConverging', 'the same secrets were sent twice, and nothing shows that they arrived'],
    ['NotConverging', 'for some reason'],
    [
      'DriftCorrectionSuspended',
      'sourceConfig.customURL was corrected three times within a day and changed again',
    ],
    ['RevisionBudgetExhausted', '6 writes that may make a revision were sent within the last hour'],
    ['ImmutableFieldChanged', 'the service refused to change sourceConfig.customURL to this value'],
    ['FieldNotClearable', 'sourceConfig.customURL should be emptied, but the service keeps its value'],
    ['UnmanagedSecretsPresent', 'secrets are not sent: the service also lists OTHER; set secretsOwnership'],
    ['SecretVisibilityUnproven', 'the service shows an empty list, and has never listed a secret'],
    ['SemanticsMismatch', 'nothing is sent: the service empties what a request leaves out'],
    ['DriftReported', '1 change by another writer'],
    ['Rejected', 'the service answered 422'],
    ['Paused', 'paused by annotation'],
  ])('%s that is not so: "%s"', async (reason, message) => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
    await rogue.list();
    await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
    rogue.claimStop(reason, message);
    expect(rogue.judged().wrongs.join()).toContain(`says ${reason}, and it is not so`);
  });

  test('drift that only our own write caused', async () => {
    const rogue = new Rogue({ semantics: { topLevelOmit: 'cleared' } });
    rogue.bind({ driftPolicy: 'Report', sourceConfig: { customURL: 'https://one.example.com' } });
    await rogue.list();
    await rogue.patch({ source_revision_config: { image_uri: 'r.example.com/agent:2' } });
    await rogue.world.pass(61);
    await rogue.list();
    rogue.claimStop('DriftReported');
    expect(rogue.judged().wrongs.join()).toContain('says DriftReported');
  });

  test('an edit that no accepted request has carried, and reported drift in its place', async () => {
    for (const isSent of [false, true]) {
      const rogue = new Rogue();
      const declared = { custom_url: 'https://two.example.com' };
      rogue.world.editAtService('source_config.custom_url', 'https://one.example.com', 'x');
      rogue.bind({ driftPolicy: 'Report', sourceConfig: { customURL: declared.custom_url } });
      await rogue.list();
      if (isSent) await rogue.patch({ source_config: declared });
      rogue.world.editAtService('source_config.custom_url', 'https://theirs.example.com', 'x');
      await listsFor(rogue, 25);
      rogue.claimStop('DriftReported');
      const isObjected = rogue.judged().wrongs.join().includes('has carried source_config.custom_url');
      expect(isObjected).toBe(!isSent);
    }
  });

  test('a secret that a write emptied, unless the last declared list of secrets left it out', async () => {
    const wrongsWith = async (isLeftOut: boolean): Promise<string> => {
      const rogue = new Rogue({ semantics: { topLevelOmit: 'cleared' } });
      rogue.bind({ secrets: [TOKEN] });
      await rogue.world.pass(1);
      if (isLeftOut) rogue.bind({ secrets: [] });
      await rogue.world.pass(1);
      rogue.bind({});
      await rogue.list();
      await rogue.patch({
        source_config: { custom_url: 'https://two.example.com', install_command: 'npm ci' },
        source_revision_config: { image_uri: 'r.example.com/agent:1' },
      });
      await rogue.world.pass(600);
      return rogue.judged().wrongs.join();
    };
    expect(await wrongsWith(false)).toContain('emptied secrets.TOKEN');
    expect(await wrongsWith(true)).not.toContain('emptied secrets.TOKEN');
  });

  test('values of secrets that were never shown, unless an earlier process sent them and no status records them', async () => {
    const claims = async (restarts: boolean, isRecorded: boolean): Promise<string> => {
      const rogue = new Rogue({ semantics: { secretsEcho: 'plain' } });
      rogue.bind({ secrets: [TOKEN] });
      await rogue.patch({ secrets: [{ name: 'TOKEN', value: 'another-value-of-the-token' }] });
      if (restarts) rogue.world.chronicle.started();
      await rogue.world.pass(1);
      await rogue.list();
      const message = 'secrets are not sent: TOKEN exist at the service, which has not shown their values';
      const stopped = { status: 'False', reason: 'SecretVisibilityUnproven', message } as const;
      const times = { observedGeneration: 1, lastTransitionTime: '2026-11-20T00:00:00.000Z' };
      const applied = { generation: 1, key: 'k', fields: [], time: '2026-11-20T00:00:00.000Z' };
      rogue.claim({
        observedGeneration: 1,
        conditions: [{ type: 'Synced', ...stopped, ...times }],
        ...(isRecorded ? { applied: { ...applied, secrets: { TOKEN: 'digest' } } } : {}),
      });
      return rogue.judged().wrongs.join();
    };
    expect(await claims(false, false)).toContain('says SecretVisibilityUnproven');
    expect(await claims(true, true)).toContain('says SecretVisibilityUnproven');
    expect(await claims(true, false)).not.toContain('says SecretVisibilityUnproven');
  });

  test('drift that the status attributes to a write, if no write caused it, or only for one value', async () => {
    const lost = ['sourceConfig.customURL', 'sourceConfig.installCommand'];
    const sourceConfig = { customURL: 'https://one.example.com', installCommand: 'npm ci' };
    const claims = async (body: WireObject, paths: readonly string[]): Promise<string> => {
      const rogue = new Rogue({ semantics: { nested: { sourceConfig: 'replace' } } });
      rogue.bind({ driftPolicy: 'Report', sourceConfig });
      await rogue.list();
      await rogue.patch(body);
      await rogue.world.pass(61);
      await rogue.list();
      rogue.claimStop('DriftReported', '', paths);
      return rogue.judged().wrongs.join();
    };
    const setsBuild = { source_config: { build_on_push: true } };
    const keepsURL = { source_config: { custom_url: sourceConfig.customURL } };
    expect(await claims({}, lost.slice(0, 1))).toContain('says DriftReported, and it is not so');
    expect(await claims(keepsURL, lost)).toContain('says DriftReported, and it is not so');
    expect(await claims(setsBuild, lost)).not.toContain('says DriftReported');
    expect(await claims(keepsURL, lost.slice(1))).not.toContain('says DriftReported');
  });

  test('work that is in progress forever', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
    rogue.claimStop('Pending');
    await rogue.world.pass(1_800);
    expect(rogue.judged().wrongs.join()).toContain('ends as Pending');
  });

  test('Ready=True with the generation of a spec that was never applied', () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' } });
    rogue.claimReady(1);
    rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
    rogue.claimReady(2);
    expect(rogue.judged().wrongs.join()).toContain('for generation 2, which was never applied');
  });

  test('Ready=True beside a reported difference that no read showed when a write repeated it', async () => {
    const claims = async (repeated: string): Promise<string> => {
      const rogue = new Rogue();
      rogue.world.editAtService('source_config.custom_url', 'https://by-hand.example.com', 'x');
      await rogue.list();
      rogue.bind({
        driftPolicy: 'Report',
        sourceConfig: { customURL: 'https://two.example.com', installCommand: 'make install' },
      });
      await rogue.patch({ source_config: { custom_url: repeated, install_command: 'make install' } });
      rogue.claimDrift(1);
      rogue.claimDrift(1, 'Paused');
      return rogue.judged().wrongs.join();
    };
    expect(await claims('https://by-hand.example.com')).not.toContain('never applied');
    expect(await claims('https://three.example.com')).toContain('for generation 1, which was never applied');
  });

  test('a reported difference of a generation counts, also if the next one was declared before the status', async () => {
    const claims = async (isEdited: boolean): Promise<string> => {
      const rogue = new Rogue();
      const sourceConfig = { customURL: 'https://two.example.com', installCommand: 'make install' };
      rogue.bind({ driftPolicy: 'Report', sourceConfig });
      if (isEdited) rogue.world.editAtService('source_config.custom_url', 'https://by-hand.example.com', 'x');
      await rogue.list();
      await rogue.patch({ source_config: { install_command: 'make install' } });
      rogue.bind({
        driftPolicy: 'Report',
        sourceConfig: { ...sourceConfig, customURL: 'https://x.example.com' },
      });
      rogue.claimDrift(1);
      return rogue.judged().wrongs.join();
    };
    expect(await claims(true)).not.toContain('never applied');
    expect(await claims(false)).toContain('for generation 1, which was never applied');
  });

  test('a reported difference of a generation counts, also if another status follows at the same moment', async () => {
    const claims = async (isEdited: boolean): Promise<string> => {
      const rogue = new Rogue();
      rogue.bind({
        driftPolicy: 'Report',
        sourceConfig: { customURL: 'https://two.example.com', installCommand: 'make install' },
      });
      if (isEdited) rogue.world.editAtService('source_config.custom_url', 'https://by-hand.example.com', 'x');
      await rogue.list();
      await rogue.patch({ source_config: { install_command: 'make install' } });
      rogue.claimDrift(1);
      rogue.claimSent(1);
      return rogue.judged().wrongs.join();
    };
    expect(await claims(true)).not.toContain('never applied');
    expect(await claims(false)).toContain('for generation 1, which was never applied');
  });

  test('an event about a request that was never sent', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' } });
    const resource = rogue.world.resource('x');
    rogue.world.events.record(resource, normal('PatchSent', 'Patch', 'sent sourceConfig.customURL'));
    rogue.world.events.record(resource, normal('PatchSent', 'Patch', 'sent ; latest revision 1'));
    const wrongs = rogue.judged().wrongs.join();
    expect(wrongs).toContain('no request carries source_config.custom_url');
    expect(wrongs).toContain('which names nothing');
  });

  test('the same body again and again', async () => {
    const rogue = new Rogue({ semantics: { fieldRules: { 'source_config.custom_url': 'ignored' } } });
    rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
    for (let time = 0; time < 3; time += 1) {
      await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
      await rogue.world.pass(120);
    }
    expect(rogue.judged().wrongs.join()).toContain('is the 3th of the same body');
  });

  test('a list that is read constantly', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' } });
    await rogue.world.pass(400);
    for (let time = 0; time < 20; time += 1) {
      await rogue.list();
      await rogue.world.pass(5);
    }
    const { wrongs, worstPasses } = rogue.judged();
    expect(wrongs.join()).toContain('passes over the list within a poll interval');
    expect(worstPasses).toBeGreaterThan(8);
  });

  test('a verdict that the service contradicts', () => {
    const rogue = new Rogue();
    const { connections } = rogue.world;
    const key = { kind: 'Connection', namespace: 'team-a', name: 'default' };
    const connection = connections.peek(key);
    if (connection === undefined) throw new Error('there is no connection');
    const learned = { omittedFields: { verdict: 'Replace', count: 1, time: '2026-11-20T00:00:00.000Z' } };
    void connections.saveStatus(connection, { learned });
    return rogue.world.pass(1).then(() => {
      expect(rogue.judged().wrongs.join()).toContain('learned omittedFields Replace, which is not so');
    });
  });
});

/** Plays this scenario: another client gives the secret another value, and the status reports Ready for six minutes. */
async function staysReadyAfterAnEdit(rogue: Rogue): Promise<void> {
  rogue.claimReady(1);
  await rogue.world.pass(60);
  rogue.world.editAtService('secrets.TOKEN', 'value-by-hand', 'x');
  for (let minute = 0; minute < 6; minute += 1) {
    await rogue.world.pass(60);
    await rogue.list();
  }
}

describe('the oracle accepts', () => {
  test('Ready=True for a value that another client changed while no process ran', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' } });
    rogue.world.chronicle.started();
    rogue.claimReady(1);
    await rogue.world.pass(60);
    rogue.world.editAtService('source_config.custom_url', 'https://theirs.example.com', 'x');
    await rogue.list();
    rogue.world.chronicle.died();
    await rogue.world.pass(600);
    rogue.world.chronicle.started();
    await rogue.world.pass(60);
    expect(rogue.judged().wrongs).toEqual([]);
  });

  test('a creation whose spec names another deployment during the request', async () => {
    const rogue = new Rogue();
    rogue.world.apply({ creation: { policy: 'IfMissing' }, deploymentRef: { name: 'y' } }, 'z');
    await rogue.world.pass(60);
    const made = rogue.create('y');
    rogue.world.apply({ creation: { policy: 'IfMissing' }, deploymentRef: { name: 'other' } }, 'z');
    await made;
    expect(rogue.judged().wrongs).toEqual([]);
  });

  test('a secret that another client changed, if a new process has sent none yet, which it counts', async () => {
    const rogue = new Rogue();
    rogue.bind({ secrets: [{ name: 'TOKEN', value: 'value-of-the-token' }] });
    rogue.world.chronicle.started();
    await rogue.world.pass(1);
    rogue.world.chronicle.started();
    await staysReadyAfterAnEdit(rogue);
    expect(rogue.judged()).toMatchObject({ wrongs: [], excused: { 'values are not compared yet': 1 } });
  });

  test('a secret that another client changed, if a new process has sent only the existing values', async () => {
    const secrets = [{ name: 'TOKEN', value: 'value-of-the-token' }];
    const rogue = new Rogue();
    rogue.bind({ secrets });
    await rogue.patch({ secrets });
    rogue.world.chronicle.started();
    await rogue.world.pass(1);
    rogue.world.chronicle.started();
    await rogue.patch({ secrets });
    await staysReadyAfterAnEdit(rogue);
    expect(rogue.judged()).toMatchObject({ wrongs: [], excused: { 'values are not compared yet': 1 } });
  });

  test.each([
    [', also if a new process has sent its first one just now', false, true],
    [' only if a new process has sent no new one before', true, false],
  ] as const)('a secret that another client changed%s', async (_, hasSent, isSpared) => {
    const token = { name: 'TOKEN', value: 'the-new-value' };
    const secrets = hasSent ? [token, { name: 'ANOTHER', value: 'value-of-another' }] : [token];
    const rogue = new Rogue({ semantics: { revisionFor: 'revision-config' } });
    rogue.world.chronicle.started();
    rogue.bind({ secrets });
    await rogue.patch({ secrets: [token] });
    await rogue.list();
    await rogue.world.pass(200);
    rogue.world.editAtService('secrets.TOKEN', 'value-by-hand', 'x');
    rogue.world.chronicle.started();
    rogue.claimReady(1);
    if (hasSent) await rogue.patch({ secrets: [{ ...token, value: 'value-by-hand' }, ...secrets.slice(1)] });
    await listsFor(rogue, 3);
    rogue.world.editAtService('secrets.TOKEN', null, 'x');
    await rogue.world.pass(25);
    await rogue.patch({ secrets });
    const { wrongs, excused } = rogue.judged();
    expect([wrongs.length === 0, excused['values are not compared yet'] === 1]).toEqual([isSpared, isSpared]);
  });

  test.each([
    ['before the first pass over the list of a new process ends, which it counts', 'within the pass', true],
    ['only if no pass over the list of a new process has shown the sent value', 'after it', false],
  ] as const)('a secret that another client changed %s', async (_, when, isSpared) => {
    const secrets = [{ name: 'TOKEN', value: 'the-new-value' }];
    const rogue = new Rogue();
    rogue.world.chronicle.started();
    rogue.bind({ secrets }, { budget: { sends: ['2026-11-20T00:00:00.000Z'], drift: [], same: [] } });
    await rogue.patch({ secrets });
    await rogue.list();
    await rogue.world.pass(200);
    rogue.world.chronicle.started();
    rogue.claimReady(1);
    await rogue.page(0);
    await rogue.world.pass(1);
    if (when === 'after it') await rogue.page(2);
    await rogue.world.pass(1);
    rogue.world.editAtService('secrets.TOKEN', 'value-by-hand', 'x');
    await rogue.world.pass(1);
    await rogue.page(when === 'after it' ? 0 : 2);
    await listsFor(rogue, 6);
    const { wrongs, excused } = rogue.judged();
    expect([wrongs.length === 0, excused['values are not compared yet'] === 1]).toEqual([isSpared, isSpared]);
  });

  test('a secret that another client changed, if values are masked, which it counts', async () => {
    const rogue = new Rogue({ semantics: { secretsEcho: 'stars' } });
    rogue.bind({ secrets: [{ name: 'TOKEN', value: 'value-of-the-token' }] });
    await staysReadyAfterAnEdit(rogue);
    expect(rogue.judged()).toMatchObject({ wrongs: [], excused: { 'secrets are masked': 1 } });
  });

  test('a value that answers show as kept and no list shows, which it counts', async () => {
    const rogue = new Rogue({
      semantics: {
        fieldRules: { 'source_config.custom_url': 'pretended' },
        listShape: ['empty-source-config'],
      },
    });
    await claimsWhatIsPretended(rogue);
    expect(rogue.judged()).toMatchObject({ wrongs: [], excused: { 'the answer shows it as kept': 1 } });
  });

  test('drift that our write caused, if a list after its window still showed the value, which it counts', async () => {
    const rogue = new Rogue({ semantics: { topLevelOmit: 'cleared' } });
    rogue.bind({ driftPolicy: 'Report', sourceConfig: { customURL: 'https://one.example.com' } });
    await rogue.list();
    await rogue.patch({ source_revision_config: { image_uri: 'r.example.com/agent:2' } });
    await rogue.world.pass(61);
    rogue.world.become({ stale: { every: 1, seconds: 90 } });
    await rogue.list();
    rogue.world.become({ stale: { every: 1, seconds: 0 } });
    await rogue.list();
    rogue.claimStop('DriftReported');
    expect(rogue.judged().excused).toMatchObject({ 'a list lags beyond the window': 1 });
  });

  test('drift in a list older than the window, which it counts, but not if the list is current', async () => {
    for (const seconds of [300, 0]) {
      const rogue = new Rogue();
      rogue.bind({ driftPolicy: 'Report', sourceConfig: { customURL: 'https://two.example.com' } });
      await rogue.world.pass(200);
      await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
      await rogue.world.pass(200);
      rogue.world.become({ stale: { every: 1, seconds } });
      await rogue.list();
      rogue.claimStop('DriftReported');
      const { wrongs, excused } = rogue.judged();
      expect(wrongs.join().includes('says DriftReported')).toBe(seconds === 0);
      expect(excused['a list lags beyond the window']).toBe(seconds === 0 ? undefined : 1);
    }
  });

  test('drift that our request repeated as a list showed it, which it counts if the list is older than the window', async () => {
    for (const seconds of [300, 0]) {
      const rogue = new Rogue();
      rogue.bind({ driftPolicy: 'Report', sourceConfig: { customURL: 'https://two.example.com' } });
      await rogue.world.pass(200);
      await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
      await rogue.world.pass(200);
      rogue.world.become({ stale: { every: 1, seconds } });
      await rogue.list();
      rogue.world.become({ stale: { every: 1, seconds: 0 } });
      await rogue.patch({ source_config: { custom_url: 'https://one.example.com' } });
      await rogue.world.pass(100);
      await rogue.list();
      rogue.claimStop('DriftReported');
      const { wrongs, excused } = rogue.judged();
      expect(wrongs.join().includes('says DriftReported')).toBe(seconds === 0);
      // The request itself counts too.
      expect(excused['a list lags beyond the window']).toBe(seconds === 0 ? undefined : 2);
    }
  });

  test('drift of secrets that holds a request back, which it counts if the list is older than the window', async () => {
    for (const seconds of [300, 0]) {
      const rogue = new Rogue();
      const next = { name: 'NEXT', value: 'value-of-the-next' };
      rogue.bind({ driftPolicy: 'Report', secrets: [next] });
      await rogue.world.pass(200);
      await rogue.patch({ secrets: [next] });
      await rogue.world.pass(200);
      rogue.world.become({ stale: { every: 1, seconds } });
      await rogue.list();
      const reported = 'secrets were changed by another writer, which is only reported (spec.driftPolicy)';
      rogue.claimStop('SemanticsMismatch', `nothing is sent: ${reported}`);
      const { wrongs, excused } = rogue.judged();
      expect(wrongs.join().includes('says SemanticsMismatch')).toBe(seconds === 0);
      expect(excused['a list lags beyond the window']).toBe(seconds === 0 ? undefined : 1);
    }
  });

  test('drift in a list before a write, which it counts if the window of the announcement is over', async () => {
    for (const seconds of [57, 53]) {
      const rogue = new Rogue();
      rogue.bind({ driftPolicy: 'Report', sourceConfig: { customURL: 'https://two.example.com' } });
      await rogue.world.pass(200);
      rogue.world.fault({ kind: 'apply-then-fail', how: 'reset' }, { match: { operation: 'patch' } });
      await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
      await rogue.world.pass(seconds);
      rogue.world.become({ stale: { every: 1, seconds: 70 } });
      await rogue.list();
      rogue.claimStop('DriftReported');
      const { wrongs, excused } = rogue.judged();
      expect(wrongs.join().includes('says DriftReported')).toBe(seconds === 53);
      expect(excused['a list lags beyond the window']).toBe(seconds === 53 ? undefined : 1);
    }
  });

  test('drift in a list before a write with a late effect, which it counts if the window is over', async () => {
    for (const seconds of [80, 40]) {
      const rogue = new Rogue();
      rogue.bind({ driftPolicy: 'Report', sourceConfig: { customURL: 'https://two.example.com' } });
      rogue.world.fault(
        { kind: 'fail-then-apply-late', how: 504, afterMs: 25_000 },
        { match: { operation: 'patch' } },
      );
      await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
      await rogue.world.pass(seconds);
      rogue.world.become({ stale: { every: 1, seconds: 70 } });
      await rogue.list();
      rogue.claimStop('DriftReported');
      const { wrongs, excused } = rogue.judged();
      expect(wrongs.join().includes('says DriftReported')).toBe(seconds === 40);
      expect(excused['a list lags beyond the window']).toBe(seconds === 40 ? undefined : 1);
    }
  });

  test('a field that was sent twice and is kept', async () => {
    const rogue = new Rogue({ semantics: { fieldRules: { 'source_config.custom_url': 'ignored' } } });
    rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } }, { observedGeneration: 1 });
    for (let time = 0; time < 2; time += 1) {
      await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
      await rogue.world.pass(120);
    }
    await rogue.list();
    rogue.claimStop(
      'NotConverging',
      'sourceConfig.customURL was sent twice, but the service does not show it',
    );
    expect(rogue.judged().wrongs).toEqual([]);
  });

  test('a request that a spec requires', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
    await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
    expect(rogue.judged().wrongs).toEqual([]);
  });

  test('a request that is soon repeated, since it was refused before its answer could be truncated', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
    rogue.world.fault({ kind: 'status', status: 401 });
    rogue.world.fault({ kind: 'truncate' });
    for (let time = 0; time < 2; time += 1)
      await rogue.patch({ source_config: { custom_url: 'https://two.example.com' } });
    expect(rogue.judged().wrongs).toEqual([]);
  });

  test('an edit that came just before the request, which it counts', async () => {
    const rogue = new Rogue();
    rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
    rogue.world.editAtService('source_config.install_command', 'npm ci --theirs', 'x');
    await rogue.patch({
      source_config: { custom_url: 'https://two.example.com', install_command: 'npm ci' },
    });
    expect(rogue.judged()).toMatchObject({ wrongs: [], excused: { 'edited after the last look': 1 } });
  });
});
