import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { listsShow, patchesAnswer, type ShownDeployment } from '../support/shaped-answers.ts';
import { AGENT, type World } from '../support/world.ts';

const CODE = {
  name: AGENT,
  source: 'codehost',
  sourceConfig: { repo_url: 'https://code.example.com/agent' },
};
const POLICIES = ['Correct', 'Report'] as const;

const atRef = (repoRef: string): object => ({ source: 'codehost', sourceRevisionConfig: { repoRef } });

describe('a branch that answers show as its commit', () => {
  for (const listShape of ['empty-revision-config', 'no-revision-block'] as const)
    scenario(
      `and that lists hide (${listShape}) is sent once, also after a creation and by a new process (H5)`,
      {
        deployments: [CODE],
        semantics: { listShape: [listShape], normalise: ['ref-to-sha'], trigger: 'on-presence' },
      },
      async (w) => {
        w.apply(atRef('main'));
        w.apply({ ...atRef('main'), creation: { policy: 'IfMissing' } }, 'created');
        await w.pass(400);
        w.apply(atRef('release'));
        await w.pass(30);
        w.restart();
        await w.pass(400);
        expect(w.bodies()).toEqual(
          ['main', 'release'].map((repo_ref) => ({ source_revision_config: { repo_ref } })),
        );
        for (const name of [AGENT, 'created']) expect(w.state(name)).toBe('True/InSync True/Active');
      },
    );

  for (const driftPolicy of POLICIES)
    scenario(
      `and that lists show so too, without telling that it is one, is in sync (${driftPolicy})`,
      { deployments: [CODE], semantics: { normalise: ['ref-to-sha'], patchEcho: 'partial' } },
      async (w) => {
        listsShow(w, ({ source_revision_config: block }) => void delete block['repo_commit_sha']);
        w.apply({ driftPolicy, ...atRef('main') });
        await w.pass(300);
        expect(w.bodies()).toHaveLength(1);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );

  for (const driftPolicy of POLICIES)
    scenario(
      `and that lists hide is ${driftPolicy === 'Correct' ? 'sent once more' : 'reported under Report'} if a later answer shows another branch`,
      {
        deployments: [CODE],
        semantics: { listShape: ['empty-revision-config'], normalise: ['ref-to-sha'] },
      },
      async (w) => {
        w.apply({ driftPolicy, ...atRef('main') });
        await w.pass(200);
        w.editAtService('source_revision_config.repo_ref', 'release');
        w.become({ normalise: [] });
        w.apply({ driftPolicy, ...atRef('main'), sourceConfig: { installCommand: 'npm ci' } });
        await w.pass(300);
        const isCorrected = driftPolicy === 'Correct';
        expect(w.kept().content.revisionConfig).toEqual({ repo_ref: isCorrected ? 'main' : 'release' });
        expect(w.condition('Synced')).toBe(isCorrected ? 'True/InSync' : 'False/DriftReported');
        expect(w.patches()).toHaveLength(isCorrected ? 3 : 2);
      },
    );
});

scenario(
  'a branch of others that goes back as a commit is named in the event of the repair',
  {
    deployments: [{ ...CODE, revisionConfig: { repo_ref: 'main' } }],
    semantics: { topLevelOmit: 'cleared', normalise: ['ref-to-sha'] },
  },
  async (w) => {
    w.apply({ source: 'codehost' });
    await w.pass(200);
    w.apply({ source: 'codehost', sourceConfig: { customURL: 'https://a.example.com' } });
    await w.pass(200);
    const { repo_ref: commit } = w.kept().content.revisionConfig;
    if (typeof commit !== 'string') throw new Error('there is no branch');
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    const told = w.events.all.filter(({ event }) => event.reason === 'SemanticsMismatch');
    expect(told.map(({ event }) => event.message)).toEqual([
      expect.stringContaining(`the branch goes back as commit ${commit}`),
    ]);
  },
);

for (const next of ['hotfix', 'main'])
  scenario(
    `a branch that somebody emptied and then set to ${next} stays reported while only its commit is shown`,
    { deployments: [CODE], semantics: { normalise: ['ref-to-sha'], trigger: 'always' } },
    async (w) => {
      w.apply({ driftPolicy: 'Report', ...atRef('main') });
      await w.pass(200);
      w.editAtService('source_revision_config.repo_ref', null);
      await w.pass(200);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      w.editAtService('source_revision_config.repo_ref', next);
      await w.pass(200);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      w.become({ normalise: [] });
      await w.pass(200);
      expect(w.condition('Synced')).toBe(next === 'main' ? 'True/InSync' : 'False/DriftReported');
    },
  );

for (const restarts of [false, true])
  scenario(
    `a branch that somebody emptied stays reported beside a redeploy${restarts ? ' by a new process' : ''}, which loses other values`,
    {
      deployments: [
        {
          ...CODE,
          sourceConfig: { ...CODE.sourceConfig, install_command: 'npm ci' },
          revisionConfig: { repo_ref: 'main', graph_config_path: 'a.json' },
        },
      ],
      semantics: {
        topLevelOmit: 'cleared',
        nested: { revisionConfig: 'replace' },
        patchEcho: 'some-blocks',
        listLag: { reads: 2 },
      },
    },
    async (w) => {
      w.apply({ driftPolicy: 'Report', ...atRef('main') });
      await w.pass(200);
      w.editAtService('source_revision_config.repo_ref', null);
      await w.pass(200);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      if (restarts) w.restart();
      w.annotate('redeploy', 'one');
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toMatchObject(CODE.sourceConfig);
      expect(w.kept().content.revisionConfig).toEqual({ graph_config_path: 'a.json' });
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );

for (const next of ['hotfix', 'main'])
  scenario(
    `a branch that somebody emptied, and set to ${next} while no process ran, stays reported after the loss of the key (H56)`,
    { deployments: [CODE], semantics: { normalise: ['ref-to-sha'], trigger: 'always' } },
    async (w) => {
      w.apply({ driftPolicy: 'Report', ...atRef('main') });
      await w.pass(200);
      w.editAtService('source_revision_config.repo_ref', null);
      await w.pass(200);
      w.kill();
      w.loseDigestKey();
      w.editAtService('source_revision_config.repo_ref', next);
      w.start();
      await w.pass(300);
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );

scenario(
  'a branch that somebody emptied stays reported by a process that has lost the key of its digests (H56)',
  { deployments: [CODE], semantics: { normalise: ['ref-to-sha'] } },
  async (w) => {
    w.apply({ driftPolicy: 'Report', ...atRef('main') });
    await w.pass(200);
    w.editAtService('source_revision_config.repo_ref', null);
    await w.pass(200);
    expect(w.condition('Synced')).toBe('False/DriftReported');
    w.loseDigestKey();
    w.restart();
    await w.pass(300);
    expect(w.condition('Synced')).toBe('False/DriftReported');
    w.editAtService('source_revision_config.repo_ref', 'main');
    w.become({ normalise: [] });
    await w.pass(300);
    expect(w.condition('Synced')).toBe('True/InSync');
  },
);

describe('a declared commit', () => {
  const [OURS, THEIRS] = ['a'.repeat(40), 'b'.repeat(40)];

  /** Makes the service build the commit to which a deployment is pinned. */
  const buildsCommits = (w: World): void => {
    const pinned = ({ source_revision_config: block }: ShownDeployment): void => {
      block['repo_commit_sha'] = block['repo_ref'];
    };
    listsShow(w, pinned);
    patchesAnswer(w, pinned);
  };

  for (const driftPolicy of POLICIES)
    scenario(
      `in whose place somebody sets another one is ${driftPolicy === 'Correct' ? 'corrected' : 'reported under Report'}`,
      { deployments: [CODE] },
      async (w) => {
        buildsCommits(w);
        w.apply({ driftPolicy, ...atRef(OURS) });
        await w.pass(200);
        w.editAtService('source_revision_config.repo_ref', THEIRS);
        await w.pass(300);
        const isCorrected = driftPolicy === 'Correct';
        expect(w.kept().content.revisionConfig).toEqual({ repo_ref: isCorrected ? OURS : THEIRS });
        expect(w.condition('Synced')).toBe(isCorrected ? 'True/InSync' : 'False/DriftReported');
      },
    );

  scenario(
    'that the service ignores is not in sync',
    {
      deployments: [{ ...CODE, revisionConfig: { repo_ref: THEIRS } }],
      semantics: { fieldRules: { 'source_revision_config.repo_ref': 'ignored' } },
    },
    async (w) => {
      buildsCommits(w);
      w.apply(atRef(OURS));
      await w.pass(300);
      expect(w.patches()).toHaveLength(2);
      expect(w.condition('Synced')).toBe('False/NotConverging');
    },
  );
});
