import { describe, expect } from 'vitest';
import { judgedScenario, scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const X = {
  name: AGENT,
  sourceConfig: {
    build_command: 'make',
    install_command: 'npm ci',
    resource_spec: { memory_mb: 2048, service_account_name: 'theirs' },
  },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const KEYS = ['sourceConfig.resourceSpec.memoryMB', 'sourceConfig.resourceSpec.serviceAccountName'];

const image = (tag: number) => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
});
const withSpec = { sourceConfig: { resourceSpec: { cpu: 4 } } };
const SPEC = { ...X.sourceConfig.resource_spec, cpu: 4 };

describe('a resource spec that a write emptied beside a text that stays', () => {
  // The service keeps the command that it has, whatever a request says about it.
  const keepsCommand = { 'source_config.build_command': 'pretended' } as const;
  const EMPTIES = { topLevelOmit: 'cleared', fieldRules: keepsCommand } as const;

  scenario(
    'stays reported key by key when a correction has sent a declared key of it again',
    { deployments: [{ ...X, sourceConfig: { ...X.sourceConfig, resource_spec: SPEC } }], semantics: EMPTIES },
    async (w) => {
      w.apply({ ...image(1), ...withSpec });
      await w.pass(100);
      w.apply({ ...image(2), ...withSpec });
      while (w.patches().length < 2) await w.pass(1);
      await w.pass(1);
      const { lost } = w.status();
      await w.pass(300);
      expect(w.kept().content.sourceConfig['resource_spec']).toEqual({ cpu: 4 });
      expect(lost).toEqual(expect.arrayContaining(KEYS));
      expect(w.status().lost).toEqual(lost);
    },
  );

  scenario(
    'is reported, although answers outranked every list until the next write was shown',
    { deployments: [X], semantics: { ...EMPTIES, listShape: ['no-revision-block'] } },
    async (w) => {
      w.apply({});
      await w.pass(100);
      w.apply(image(2));
      await w.pass(45);
      w.apply(image(3));
      await w.pass(300);
      expect(w.status().lost).toEqual(expect.arrayContaining(KEYS));
    },
  );

  scenario(
    'is put back without that text if a person removes it after a list within the window showed it',
    {
      deployments: [{ ...X, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }],
      semantics: { ...EMPTIES, patchEcho: 'sent-only', trigger: 'on-presence' },
    },
    async (w) => {
      w.apply({});
      await w.pass(100);
      w.annotate('redeploy', 'now');
      await w.pass(40);
      expect(w.kept().content.sourceConfig).toEqual({ build_command: 'make' });
      w.editAtService('source_config.build_command', null);
      await w.pass(300);
      const { resource_spec } = X.sourceConfig;
      expect(w.patches()).toHaveLength(2);
      expect(w.patches()[1]?.body).toMatchObject({ source_config: { resource_spec } });
      expect(w.patches()[1]?.body).not.toHaveProperty('source_config.build_command');
    },
  );

  scenario(
    'is not put back as long as lists show that text, since a person may have removed it just before the write',
    {
      deployments: [
        {
          ...X,
          sourceConfig: { build_command: 'make', resource_spec: X.sourceConfig.resource_spec },
          secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }],
        },
      ],
      semantics: { ...EMPTIES, patchEcho: 'sent-only', trigger: 'on-presence' },
    },
    async (w) => {
      w.apply({});
      await w.pass(200);
      w.editAtService('source_config.resource_spec', null);
      w.annotate('redeploy', 'now');
      await w.pass(300);
      expect(w.patches()).toHaveLength(1);
      expect(w.kept().content.sourceConfig).toEqual({ build_command: 'make' });
      expect(w.status().lost).toEqual(expect.arrayContaining(KEYS));
    },
  );

  scenario(
    'is put back with a text that a person spared, who made another revision just before the write',
    {
      deployments: [{ ...X, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }],
      semantics: { topLevelOmit: 'cleared', patchEcho: 'sent-keys', listLag: { seconds: 40 } },
    },
    async (w) => {
      w.apply({});
      await w.pass(200);
      w.editAtService('source_config.install_command', null);
      w.editAtService('secrets.BY_HAND', null);
      await w.pass(20);
      w.apply(image(2));
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toMatchObject({ build_command: 'make' });
    },
  );
});

describe('a resource spec that a write carried and the next one left out, before a list showed it again', () => {
  scenario(
    'is known to the next process',
    { deployments: [X], semantics: { topLevelOmit: 'cleared', listLag: { seconds: 20 } } },
    async (w) => {
      w.apply(image(1));
      await w.pass(100);
      w.apply(image(2));
      await w.pass(15);
      w.apply({ ...image(2), ...withSpec });
      await w.pass(12);
      w.apply({ ...image(1), ...withSpec });
      await w.pass(5);
      w.restart();
      await w.pass(300);
      expect(w.status().lost).toEqual(expect.arrayContaining(KEYS));
    },
  );
});

describe('a resource spec that a person removes before a list shows that a write has restored it', () => {
  scenario(
    'is reported key by key',
    {
      deployments: [{ ...X, sourceConfig: { ...X.sourceConfig, resource_spec: SPEC } }],
      semantics: { topLevelOmit: 'cleared', patchEcho: 'empty-204' },
    },
    async (w) => {
      w.apply({ ...image(1), ...withSpec });
      await w.pass(100);
      w.apply({ ...image(2), ...withSpec });
      while (w.kept().content.sourceConfig['resource_spec'] !== undefined) await w.pass(0.01);
      while (w.kept().content.sourceConfig['resource_spec'] === undefined) await w.pass(0.01);
      w.editAtService('source_config.resource_spec', null);
      await w.pass(10);
      expect(w.status().lost).toEqual(KEYS);
      await w.pass(300);
      expect(w.kept().content.sourceConfig['resource_spec']).toEqual({ cpu: 4 });
      expect(w.status().lost).toEqual(KEYS);
    },
  );
});

describe('a label of others that a write emptied, once the spec has declared another label', () => {
  const LABELLED = {
    ...X,
    sourceConfig: {
      ...X.sourceConfig,
      resource_spec: { ...X.sourceConfig.resource_spec, labels: { 'example.com/team': 'theirs' } },
    },
  };
  const TEAM = 'sourceConfig.resourceSpec.labels.example.com/team';
  const declares = (labels: Readonly<Record<string, string>>) => ({
    sourceConfig: { resourceSpec: { labels } },
  });

  /** Empties the spec with a redeploy, and declares labels to a process that did not make it. */
  async function declareAfterLoss(w: World, labels: Readonly<Record<string, string>>): Promise<void> {
    w.apply({});
    await w.pass(100);
    w.annotate('redeploy', 'now');
    await w.pass(10);
    w.restart();
    w.apply(declares(labels));
    await w.pass(300);
  }

  scenario(
    'is reported by name, since the declared label hides that the map was gone',
    { deployments: [LABELLED], semantics: { topLevelOmit: 'cleared' } },
    async (w) => {
      await declareAfterLoss(w, { tier: 'one' });
      expect(w.kept().content.sourceConfig['resource_spec']).toEqual({ labels: { tier: 'one' } });
      expect(w.status().lost).toContain(TEAM);
      expect(w.message()).toContain(TEAM);
      w.editAtService('source_config.resource_spec.labels', { tier: 'one', 'example.com/team': 'again' });
      await w.pass(100);
      expect(w.status().lost).not.toContain(TEAM);
    },
  );

  scenario(
    'is reported after everything else that the write emptied, however many labels there are',
    {
      deployments: [
        {
          ...LABELLED,
          sourceConfig: {
            ...X.sourceConfig,
            resource_spec: {
              ...X.sourceConfig.resource_spec,
              labels: Object.fromEntries(
                Array.from({ length: 15 }, (_, n) => [`example.com/label-${n}`, 'theirs']),
              ),
            },
          },
          secrets: ['A', 'B', 'C', 'D'].map((name) => ({ name, value: `value-of-${name}-set-by-hand` })),
        },
      ],
      semantics: { topLevelOmit: 'cleared', secretsEcho: 'stars' },
    },
    async (w) => {
      w.apply({});
      await w.pass(100);
      w.annotate('redeploy', 'now');
      while (w.patches().length === 0) await w.pass(0.01);
      w.restart();
      w.apply(declares({ tier: 'one' }));
      await w.pass(300);
      expect(w.status().lost).toHaveLength(20);
      expect(w.status().lost).toEqual(
        expect.arrayContaining(['A', 'B', 'C', 'D'].map((name) => `secrets.${name}`)),
      );
      expect(w.message()).toContain('secrets.D');
    },
  );

  scenario(
    'is not reported if the spec declares it too',
    { deployments: [LABELLED], semantics: { topLevelOmit: 'cleared' } },
    async (w) => {
      await declareAfterLoss(w, { 'example.com/team': 'ours' });
      expect(w.status().lost).toEqual(expect.arrayContaining(KEYS));
      expect(w.status().lost).not.toContain(TEAM);
    },
  );

  scenario(
    'is not reported beside the map, if the map is gone as a whole',
    { deployments: [LABELLED], semantics: { topLevelOmit: 'cleared' } },
    async (w) => {
      w.apply({});
      await w.pass(100);
      w.annotate('redeploy', 'now');
      await w.pass(10);
      w.restart();
      await w.pass(300);
      expect(w.status().lost).toContain('sourceConfig.resourceSpec.labels');
      expect(w.status().lost).not.toContain(TEAM);
    },
  );
});

judgedScenario(
  'keys that the first of two quick writes emptied are reported, although a lagging replica shows them after the repair',
  {
    deployments: [
      {
        name: AGENT,
        source: 'codehost',
        sourceConfig: X.sourceConfig,
        revisionConfig: { repo_ref: 'main' },
      },
    ],
    semantics: {
      topLevelOmit: 'cleared',
      nested: { sourceConfig: 'replace', resourceSpec: 'merge-null-clears' },
      normalise: ['add-defaults'],
      listLag: { seconds: 20 },
    },
  },
  async (w) => {
    const customURL = 'https://agent.example.com';
    const apply = (sourceConfig: object): void => {
      w.apply({ source: 'codehost', sourceConfig });
    };
    apply({});
    await w.pass(60);
    apply({ customURL });
    while (w.patches().length < 1) await w.pass(0.1);
    // The second body carries the block of the answer, which shows defaults in place of what the first write emptied.
    apply({ customURL, ...withSpec.sourceConfig });
    await w.pass(45);
    expect(w.patches(), 'two edits and a repair').toHaveLength(3);
    w.become({ stale: { every: 1, seconds: 60 } }, { seconds: 15 });
    await w.pass(300);
    expect(w.status().lost).toEqual(['sourceConfig.resourceSpec.serviceAccountName']);
  },
);
