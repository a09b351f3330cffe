import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const SIZE = { sourceConfig: { resourceSpec: { cpu: 1 } } };
const LIVE = {
  name: AGENT,
  sourceConfig: { resource_spec: { cpu: 1 } },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const CODE = { ...LIVE, source: 'codehost', revisionConfig: { repo_ref: 'main' } };
const image = (tag: number | string) => ({ image_uri: `registry.example.com/agent:${tag}` });
const BETWEEN = {
  topLevelOmit: 'cleared',
  trigger: 'always',
  patchEcho: 'pre',
  listLag: { seconds: 20 },
} as const;
const warnings = (w: World): number =>
  w.events.all.filter(({ event }) => event.reason === 'SpecWarning' && event.message.includes('redeploy'))
    .length;

describe('a redeploy without a managed field in the revision block (B13)', () => {
  const SHOWN = { deployments: [LIVE], semantics: { trigger: 'on-presence' } } as const;

  scenario('sends the shown fields of the block, once', SHOWN, async (w) => {
    w.apply(SIZE);
    await w.pass(100);
    w.annotate('redeploy', 'once');
    await w.pass(300);
    expect(w.bodies()).toEqual([{ source_revision_config: image(1) }]);
    expect(w.revisionsMade()).toBe(1);
    expect(w.status().lastHandledRedeploy).toBe('once');
    expect(w.events.reasons()).toContain('Redeployed');
    expect(w.state()).toBe('True/InSync True/Active');
    w.apply({ ...SIZE, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } });
    await w.pass(300);
    expect(w.patches()).toHaveLength(1);
  });

  scenario('reverts nothing that another client set just before', SHOWN, async (w) => {
    w.apply(SIZE);
    await w.pass(100);
    w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:hotfix');
    await w.pass(7);
    w.annotate('redeploy', 'once');
    await w.pass(300);
    expect(w.kept().content.revisionConfig).toEqual(image('hotfix'));
    expect(w.bodies()).toEqual([{ source_revision_config: image('hotfix') }]);
  });

  const IDLE = [
    [
      'a branch that is shown as its commit',
      { deployments: [CODE], semantics: { normalise: ['ref-to-sha'] } },
    ],
    ['nothing', { deployments: [{ ...CODE, revisionConfig: {} }] }],
  ] as const;
  for (const [what, given] of IDLE) {
    scenario(`counts as handled, with a warning, if the block shows ${what}`, given, async (w) => {
      w.apply({ ...SIZE, source: 'codehost' });
      await w.pass(100);
      w.annotate('redeploy', 'once');
      await w.pass(300);
      expect(w.bodies()).toEqual([]);
      expect(w.status().lastHandledRedeploy).toBe('once');
      expect(warnings(w)).toBe(1);
      expect(w.state()).toBe('True/InSync True/Active');
      w.restart();
      await w.pass(300);
      expect(warnings(w)).toBe(1);
      // It does not follow later, when there would be something to send.
      w.editAtService('source_revision_config.repo_ref', 'release');
      await w.pass(100);
      w.apply({ ...SIZE, source: 'codehost', sourceRevisionConfig: { repoRef: 'release' } });
      await w.pass(300);
      expect(w.events.reasons()).not.toContain('Redeployed');
    });
  }
});

scenario(
  'a redeploy just after an edit restores what it empties, although its answer shows the revision of that edit',
  {
    deployments: [
      { ...LIVE, sourceConfig: { install_command: 'npm ci', resource_spec: { memory_mb: 512 } } },
    ],
    semantics: BETWEEN,
  },
  async (w) => {
    w.apply({ driftPolicy: 'Report' });
    await w.pass(60);
    w.apply(SIZE);
    await w.pass(5);
    expect(w.kept().content.revisionConfig).toEqual({});
    w.annotate('redeploy', 'once');
    await w.pass(5);
    expect(w.kept().content.sourceConfig).toEqual({});
    await w.pass(300);
    expect(w.kept().content).toMatchObject({
      sourceConfig: { install_command: 'npm ci', resource_spec: { cpu: 1, memory_mb: 512 } },
      revisionConfig: image(1),
    });
    expect(w.state()).toBe('True/InSync True/Active');
  },
);

scenario(
  'a redeploy just after an edit restores the only field that both left out',
  {
    deployments: [
      { ...LIVE, sourceConfig: { custom_url: 'https://theirs.example.com' } },
      { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-other' }] },
    ],
    semantics: BETWEEN,
  },
  async (w) => {
    w.apply({});
    await w.pass(60);
    w.apply({ secrets: [{ name: 'TOKEN', value: 'value-of-the-token' }], secretsOwnership: 'Exclusive' });
    await w.pass(1);
    w.annotate('redeploy', 'once');
    await w.pass(300);
    expect(w.kept().content.sourceConfig).toEqual({ custom_url: 'https://theirs.example.com' });
    expect(w.kept().content.secrets).toHaveLength(1);
  },
);

scenario(
  'a redeploy just after another client set the image restores what it empties',
  {
    deployments: [{ ...LIVE, sourceConfig: { install_command: 'npm ci', resource_spec: { cpu: 1 } } }],
    semantics: BETWEEN,
  },
  async (w) => {
    w.apply({ ...SIZE, driftPolicy: 'Report' });
    await w.pass(60);
    w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:hotfix');
    await w.pass(5);
    w.annotate('redeploy', 'once');
    await w.pass(5);
    expect(w.kept().content.sourceConfig).toEqual({});
    await w.pass(300);
    expect(w.kept().content.sourceConfig).toMatchObject({
      install_command: 'npm ci',
      resource_spec: { cpu: 1 },
    });
  },
);

describe('a redeploy whose only managed field may not be sent', () => {
  const HIDDEN = {
    deployments: [CODE],
    semantics: { trigger: 'never', listShape: ['no-revision-block'], patchEcho: 'empty-202' },
  } as const;

  scenario('counts as handled, and the field is still reported', HIDDEN, async (w) => {
    w.apply({ source: 'codehost' });
    await w.pass(100);
    w.apply({ source: 'codehost', sourceRevisionConfig: { repoRef: 'release' } });
    await w.pass(300);
    expect(w.state()).toBe('False/NotConverging False/NotConverging');
    w.annotate('redeploy', 'once');
    await w.pass(300);
    expect(w.state()).toBe('False/NotConverging False/NotConverging');
    expect(w.status().lastHandledRedeploy).toBe('once');
    expect(warnings(w)).toBe(1);
    expect(w.bodies()).toHaveLength(2);
  });
});

scenario(
  'an edit of another client after a redeploy that did not carry the field is reported',
  { deployments: [CODE], semantics: { trigger: 'never' } },
  async (w) => {
    w.apply({ source: 'codehost', driftPolicy: 'Report', sourceRevisionConfig: { repoRef: 'release' } });
    await w.pass(200);
    w.editAtService('source_revision_config.graph_config_path', 'graph.json');
    w.editAtService('source_revision_config.repo_ref', null);
    await w.pass(200);
    expect(w.condition('Synced')).toBe('False/DriftReported');
    w.annotate('redeploy', 'once');
    await w.pass(2);
    expect(w.bodies().at(-1)).toEqual({ source_revision_config: { graph_config_path: 'graph.json' } });
    w.editAtService('source_revision_config.repo_ref', 'hotfix');
    await w.pass(200);
    expect(w.condition('Synced')).toBe('False/DriftReported');
  },
);

scenario(
  'a redeploy sends a field that is only reported as the service shows it',
  { deployments: [CODE], semantics: { normalise: ['ref-to-sha'] } },
  async (w) => {
    w.apply({
      source: 'codehost',
      driftPolicy: 'Report',
      sourceRevisionConfig: { graphConfigPath: 'g.json' },
    });
    await w.pass(200);
    w.editAtService('source_revision_config.graph_config_path', 'by-hand.json');
    await w.pass(200);
    w.annotate('redeploy', 'once');
    await w.pass(200);
    expect(w.bodies().at(-1)).toEqual({ source_revision_config: { graph_config_path: 'by-hand.json' } });
    expect(w.condition('Synced')).toBe('False/DriftReported');
  },
);

describe('an edit right after a redeploy of values that only lagging lists still showed', () => {
  const BLOCK = { repo_ref: 'main', graph_config_path: 'theirs.json' };
  const LAGS = {
    deployments: [{ name: AGENT, source: 'codehost', revisionConfig: BLOCK }],
    semantics: { topLevelOmit: 'cleared', trigger: 'never', listLag: { seconds: 20 } },
  } as const;
  const URL = { source: 'codehost', sourceConfig: { customURL: 'https://agent.example.com' } } as const;
  const remove = (w: World): void => {
    for (const key of Object.keys(BLOCK)) w.editAtService(`source_revision_config.${key}`, null);
  };

  scenario('waits for a list that shows them, and what it empties is restored', LAGS, async (w) => {
    w.apply({ source: 'codehost' });
    await w.pass(60);
    remove(w);
    await w.pass(5);
    w.annotate('redeploy', 'once');
    await w.pass(17);
    expect(w.bodies()).toEqual([{ source_revision_config: BLOCK }]);
    w.apply(URL);
    await w.pass(1);
    expect(w.condition('Synced')).toBe('Unknown/Pending');
    await w.pass(200);
    expect(w.kept().content.revisionConfig).toEqual(BLOCK);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    'goes out when the window is over if somebody removed them, and they stay away',
    LAGS,
    async (w) => {
      w.apply({ source: 'codehost' });
      await w.pass(60);
      w.annotate('redeploy', 'once');
      await w.pass(2);
      remove(w);
      await w.pass(25);
      w.apply(URL);
      await w.pass(20);
      expect(w.bodies()).toEqual([{ source_revision_config: BLOCK }]);
      await w.pass(200);
      expect(w.kept().content.sourceConfig['custom_url']).toBe('https://agent.example.com');
      expect(w.kept().content.revisionConfig).toEqual({});
      expect(w.status().lost).toBeUndefined();
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'does not wait for values that somebody removed, after a list with another value of the last write',
    { deployments: LAGS.deployments, connection: { patch: { bodies: 'Full' } } },
    async (w) => {
      const url = (n: number): void =>
        w.apply({ source: 'codehost', sourceConfig: { customURL: `https://${n}.example.com` } });
      url(0);
      await w.pass(100);
      url(1);
      await w.pass(2);
      w.editAtService('source_revision_config.graph_config_path', null);
      await w.pass(10);
      url(2);
      await w.pass(8);
      expect(w.patches()).toHaveLength(3);
      await w.pass(200);
      expect(w.kept().content.revisionConfig).toEqual({ repo_ref: 'main' });
    },
  );
});

describe('a redeploy that no read proves', () => {
  const PRESENCE = { deployments: [LIVE], semantics: { trigger: 'on-presence' } } as const;
  const asks = async (w: World): Promise<void> => {
    w.apply(SIZE);
    await w.pass(150);
    w.annotate('redeploy', 'once');
  };

  for (const status of [429, 409, 404, 302])
    scenario(
      `is still due after a repeated request that was refused for a moment (${status})`,
      PRESENCE,
      async (w) => {
        w.fault({ kind: 'status', status: 500 }, { match: { operation: 'patch' } });
        w.fault({ kind: 'status', status }, { match: { operation: 'patch', nth: 2 } });
        await asks(w);
        await w.pass(1_200);
        expect(w.revisionsMade()).toBe(1);
        expect(w.condition('Synced')).toBe('True/InSync');
      },
    );

  for (const [status, reason] of [
    [422, 'Rejected'],
    [403, 'Forbidden'],
  ] as const)
    scenario(
      `is held after a final refusal, and sent again after half an hour (${status})`,
      PRESENCE,
      async (w) => {
        w.fault({ kind: 'status', status }, { match: { operation: 'patch' } });
        await asks(w);
        await w.pass(300);
        expect(w.patches()).toHaveLength(1);
        expect(w.condition('Synced')).toBe(`False/${reason}`);
        w.restart();
        await w.pass(300);
        expect(w.condition('Synced'), 'after a restart').toBe(`False/${reason}`);
        await w.pass(1_800);
        expect(w.patches()).toHaveLength(2);
        expect(w.revisionsMade()).toBe(1);
        expect(w.condition('Synced')).toBe('True/InSync');
      },
    );

  scenario(
    'is still due if only its repeated request left, and was refused for a moment',
    PRESENCE,
    async (w) => {
      w.hooks.after = ({ operation }) => {
        if (operation !== 'announce') return;
        w.disarm();
        w.kill();
      };
      await asks(w);
      await w.pass(3);
      w.fault({ kind: 'status', status: 429 }, { match: { operation: 'patch' } });
      w.start();
      await w.pass(1_200);
      expect(w.revisionsMade()).toBe(1);
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario('is reported once after its second request', PRESENCE, async (w) => {
    w.fault({ kind: 'status', status: 500 }, { match: { operation: 'patch' }, times: 2 });
    await asks(w);
    await w.pass(1_200);
    expect(w.patches()).toHaveLength(2);
    const told = w.events.all.filter(({ event }) => event.reason === 'NotConverging');
    expect(told.map(({ event }) => event.message)).toEqual([expect.stringContaining('set another text')]);
    w.annotate('redeploy', 'twice');
    await w.pass(300);
    expect(w.revisionsMade()).toBe(1);
  });
});
