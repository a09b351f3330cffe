import { describe, expect } from 'vitest';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const repository = (name: string, ref: string) => ({
  source: 'codehost' as const,
  sourceConfig: { repoURL: `https://code.example.com/${name}` },
  sourceRevisionConfig: { repoRef: ref },
});
const CODE = {
  name: AGENT,
  source: 'codehost',
  sourceConfig: { repo_url: 'https://code.example.com/one' },
  revisionConfig: { repo_ref: 'main' },
};

describe('a field that the service does not change', () => {
  scenario(
    'and refuses: the rest is sent once, and then there is silence (H23)',
    { deployments: [CODE], semantics: { fieldRules: { 'source_config.repo_url': 'rejected' } } },
    async (w) => {
      w.apply(repository('two', 'next'));
      await w.pass(90);
      expect(w.bodies()).toEqual([
        {
          source_config: { repo_url: 'https://code.example.com/two' },
          source_revision_config: { repo_ref: 'next' },
        },
        { source_revision_config: { repo_ref: 'next' } },
      ]);
      await w.pass(7200);
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('False/ImmutableFieldChanged False/ImmutableFieldChanged');
      expect(w.message()).toContain('sourceConfig.repoURL');
      expect(w.message()).not.toContain('twice');
    },
  );

  scenario(
    'and refuses: the value is not sent again after the spec asked in between for the one that is shown (H23)',
    { deployments: [CODE], semantics: { fieldRules: { 'source_config.repo_url': 'rejected' } } },
    async (w) => {
      w.apply(repository('two', 'main'));
      await w.pass(100);
      w.apply(repository('one', 'main'));
      await w.pass(100);
      expect(w.condition('Synced')).toBe('True/InSync');
      const { sourceConfig, ...more } = repository('one', 'main');
      w.fault({ kind: 'fail-then-apply-late', how: 504, afterMs: 1_000 });
      w.apply({ ...more, sourceConfig: { ...sourceConfig, buildCommand: 'make' } });
      await w.pass(200);
      expect(w.condition('Synced')).toBe('True/InSync');
      w.apply(repository('two', 'main'));
      await w.pass(300);
      expect(w.condition('Synced')).toBe('False/ImmutableFieldChanged');
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'counts as one that it changes if the value from before the write is gone too: somebody removed ours',
    { deployments: [CODE], semantics: { patchEcho: 'pre', trigger: 'never' } },
    async (w) => {
      w.apply(repository('two', 'main'));
      await w.pass(1);
      expect(w.kept().content.sourceConfig).toMatchObject({ repo_url: 'https://code.example.com/two' });
      w.editAtService('source_config.repo_url', null);
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toMatchObject({ repo_url: 'https://code.example.com/two' });
      expect(w.patches()).toHaveLength(2);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'and refuses together with the rest: the reason stays, and the message says so (H23)',
    {
      deployments: [CODE],
      semantics: {
        fieldRules: { 'source_config.repo_url': 'rejected', 'source_revision_config.repo_ref': 'rejected' },
      },
    },
    async (w) => {
      w.apply(repository('two', 'next'));
      await w.pass(60);
      expect(w.state()).toBe('False/ImmutableFieldChanged False/ImmutableFieldChanged');
      expect(w.message()).toContain('sourceConfig.repoURL');
      expect(w.message()).toContain('422');
      w.resync();
      await w.pass(600);
      expect(w.message()).toContain('422');
      expect(w.patches()).toHaveLength(2);
      w.become({ fieldRules: { 'source_revision_config.repo_ref': 'hidden' } });
      await w.pass(1800);
      expect(w.kept().content.revisionConfig).toMatchObject({ repo_ref: 'next' });
      expect(w.state()).toBe('False/ImmutableFieldChanged False/ImmutableFieldChanged');
    },
  );

  scenario(
    'and refuses alone is reported as such (H23)',
    { deployments: [CODE], semantics: { fieldRules: { 'source_config.repo_url': 'rejected' } } },
    async (w) => {
      w.apply(repository('two', 'main'));
      await w.pass(60);
      expect(w.state()).toBe('False/ImmutableFieldChanged False/ImmutableFieldChanged');
      await w.pass(7200);
      expect(w.patches()).toHaveLength(1);
    },
  );

  scenario(
    'and refuses, and does not show, is told as such (H23)',
    {
      deployments: [CODE],
      semantics: { fieldRules: { 'source_config.listener_id': 'rejected' } },
    },
    async (w) => {
      w.apply({
        source: 'codehost',
        sourceConfig: { listenerID: uuidFrom('listener') },
        sourceRevisionConfig: { repoRef: 'next' },
      });
      await w.pass(90);
      expect(w.state()).toBe('False/ImmutableFieldChanged False/ImmutableFieldChanged');
      expect(w.message()).toContain('sourceConfig.listenerID');
      expect(w.kept().content.revisionConfig).toMatchObject({ repo_ref: 'next' });
    },
  );

  scenario(
    'and ignores was sent once, and the message does not contradict that (H23)',
    { deployments: [CODE], semantics: { fieldRules: { 'source_config.repo_url': 'ignored' } } },
    async (w) => {
      w.apply(repository('two', 'next'));
      await w.pass(600);
      expect(w.patches()).toHaveLength(1);
      expect(w.condition('Synced')).toBe('False/ImmutableFieldChanged');
      expect(w.message()).not.toContain('twice');
    },
  );
});

describe('a field that was refused (B9)', () => {
  const asked = (w: World): number =>
    w.bodies().filter((body) => JSON.stringify(body).includes('code.example.com/two')).length;
  const TYPO = { kind: 'status', status: 422, body: '{"detail":"repo_ref maain does not exist"}' } as const;

  scenario(
    'together with others is sent with the next edit of the spec',
    { deployments: [CODE] },
    async (w) => {
      w.apply(repository('one', 'main'));
      await w.pass(100);
      w.fault(TYPO, { times: 2 });
      w.apply(repository('two', 'maain'));
      await w.pass(60);
      expect(w.condition('Synced')).toBe('False/ImmutableFieldChanged');
      expect(w.patches()).toHaveLength(2);
      w.apply(repository('two', 'main'));
      await w.pass(100);
      expect(w.kept().content).toMatchObject({
        sourceConfig: { repo_url: 'https://code.example.com/two' },
        revisionConfig: { repo_ref: 'main' },
      });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'together with others is retried once by an edit, not by time',
    { deployments: [CODE], semantics: { fieldRules: { 'source_config.repo_url': 'rejected' } } },
    async (w) => {
      w.apply(repository('two', 'next'));
      await w.pass(100);
      expect(asked(w)).toBe(1);
      w.apply(repository('two', 'after-next'));
      await w.pass(7200);
      expect(asked(w)).toBe(2);
      expect(w.kept().content.revisionConfig).toMatchObject({ repo_ref: 'after-next' });
      expect(w.condition('Synced')).toBe('False/ImmutableFieldChanged');
    },
  );

  scenario(
    'alone is not retried by an edit of another field, only by an edit of its branch',
    { deployments: [CODE], semantics: { fieldRules: { 'source_config.repo_url': 'rejected' } } },
    async (w) => {
      w.apply(repository('two', 'main'));
      await w.pass(100);
      const custom = { customURL: 'https://a.example.com', repoURL: 'https://code.example.com/two' };
      w.apply({ ...repository('two', 'main'), sourceConfig: custom });
      await w.pass(100);
      expect(w.kept().content.sourceConfig).toMatchObject({ custom_url: 'https://a.example.com' });
      expect(asked(w)).toBe(1);
      w.become({ fieldRules: { 'source_config.repo_url': 'hidden' } });
      w.apply({ ...repository('two', 'trunk'), sourceConfig: custom });
      await w.pass(100);
      // Lists do not show the field any more, as if somebody had removed it, so it is sent once more.
      expect(asked(w)).toBe(3);
      expect(w.kept().content.sourceConfig).toMatchObject({ repo_url: 'https://code.example.com/two' });
      await w.pass(7200);
      expect(asked(w)).toBe(3);
    },
  );

  scenario(
    'is retried once when the connection has another credential',
    { deployments: [CODE], semantics: { fieldRules: { 'source_config.repo_url': 'rejected' } } },
    async (w) => {
      w.apply(repository('two', 'main'));
      await w.pass(100);
      w.restart();
      await w.pass(4000);
      expect(asked(w)).toBe(1);
      w.connect({ headers: [{ name: 'X-Right', value: 'may-do-more' }] });
      await w.pass(4000);
      expect(asked(w)).toBe(2);
      expect(w.condition('Synced')).toBe('False/ImmutableFieldChanged');
    },
  );
});
