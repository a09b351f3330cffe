import { describe, expect } from 'vitest';
import { judgedScenario, scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const X = {
  name: AGENT,
  sourceConfig: {
    build_command: 'make',
    install_command: 'npm ci',
    resource_spec: { memory_mb: 512, service_account_name: 'theirs' },
  },
  revisionConfig: { image_uri: 'r.example.com/agent:0' },
  secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }],
};

/** The first write empties the list of secrets, which the service ignores, so no list ever shows that write. */
const FULL = {
  deployments: [X],
  connection: { patch: { bodies: 'Full' } },
  semantics: { lists: 'empty-ignored' },
} as const;
const UNSEEN = { secrets: [], secretsOwnership: 'Exclusive' } as const;

describe('a field that another client changes after a write that no list shows', () => {
  for (const [path, value] of [
    ['source_config.build_command', null],
    ['source_config.install_command', 'npm ci --theirs'],
    ['source_config.resource_spec.memory_mb', 1536],
  ] as const)
    scenario(`is sent with the value of the newest list: ${path}`, FULL, async (w) => {
      w.apply({});
      await w.pass(60);
      w.apply(UNSEEN);
      await w.pass(30);
      expect(w.patches()).toHaveLength(1);
      w.editAtService(path, value);
      w.apply({ ...UNSEEN, sourceRevisionConfig: { imageURI: 'r.example.com/agent:1' } });
      await w.pass(200);
      expect(w.patches()).toHaveLength(2);
      const [, ...keys] = path.split('.');
      const { sourceConfig } = w.kept().content;
      const found = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], sourceConfig);
      expect(found ?? null).toBe(value);
    });

  scenario('does not count as drift within the window if it is managed', FULL, async (w) => {
    w.apply({ ...UNSEEN, sourceConfig: { buildCommand: 'make' } });
    await w.pass(30);
    w.editAtService('source_config.build_command', 'make theirs');
    await w.pass(20);
    expect(w.patches()).toHaveLength(1);
    await w.pass(200);
    expect(w.kept().content.sourceConfig['build_command']).toBe('make');
  });
});

scenario(
  'a field that a person empties long after a write stays empty, if answers show no revision and lists omit it',
  {
    deployments: [{ ...X, sourceConfig: { custom_url: 'https://agent.example.com' } }],
    semantics: { patchEcho: 'sent-only', listShape: ['no-commands'] },
  },
  async (w) => {
    w.apply({ sourceConfig: { buildCommand: 'make' } });
    await w.pass(150);
    w.editAtService('source_config.custom_url', null);
    w.editAtService('source_revision_config.image_uri', 'r.example.com/agent:1');
    await w.pass(300);
    expect(w.patches()).toHaveLength(1);
    expect(w.kept().content.sourceConfig['custom_url']).toBeUndefined();
  },
);

scenario(
  'fields that two writes empty are restored, although an old list shows what the second one asks for',
  {
    deployments: [X],
    semantics: { topLevelOmit: 'cleared', patchEcho: 'sent-only', listLag: { seconds: 20 } },
  },
  async (w) => {
    const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `r.example.com/agent:${tag}` } });
    w.apply(image(0));
    await w.pass(60);
    w.apply(image(1));
    await w.pass(5);
    w.apply(image(0));
    await w.pass(300);
    expect(w.kept().content.sourceConfig).toEqual(X.sourceConfig);
    expect(w.kept().content.revisionConfig).toEqual(X.revisionConfig);
  },
);

judgedScenario(
  'a branch is sent if lists show no revision block and only the answer showed the branch, as it was before the write',
  {
    deployments: [
      {
        name: AGENT,
        source: 'codehost',
        sourceConfig: { build_command: 'make', resource_spec: { memory_mb: 512 } },
        revisionConfig: { repo_ref: 'main' },
      },
    ],
    semantics: {
      topLevelOmit: 'cleared',
      patchEcho: 'pre',
      trigger: 'never',
      listShape: ['no-revision-block'],
    },
  },
  async (w) => {
    const cpu = { source: 'codehost', sourceConfig: { resourceSpec: { cpu: 2 } } } as const;
    w.apply({ source: 'codehost' });
    await w.pass(60);
    w.apply(cpu);
    await w.pass(5);
    w.apply({ ...cpu, sourceRevisionConfig: { repoRef: 'main' } });
    await w.pass(300);
    expect(w.kept().content.revisionConfig).toEqual({ repo_ref: 'main' });
  },
);

describe('what a person removes between two writes, and a lagging replica shows again after the second one', () => {
  const SPEC = { memory_mb: 512, labels: { tier: 'theirs' } };
  const { labels, memory_mb } = SPEC;
  for (const [path, shown, left] of [
    ['build_command', { build_command: 'make', resource_spec: SPEC }, { resource_spec: SPEC }],
    ['resource_spec', { resource_spec: SPEC }, {}],
    ['resource_spec.memory_mb', { resource_spec: SPEC }, { resource_spec: { labels } }],
    ['resource_spec.gpu', { resource_spec: { memory_mb, gpu: 1 } }, { resource_spec: { memory_mb } }],
  ] as const)
    judgedScenario(
      `stays away, and teaches nothing: ${path}`,
      { deployments: [{ ...X, sourceConfig: shown }], semantics: { trigger: 'on-change' } },
      async (w) => {
        const custom_url = 'https://agent.example.com';
        const image = { sourceRevisionConfig: { imageURI: 'r.example.com/agent:0' } };
        w.apply(image);
        await w.pass(200);
        w.annotate('redeploy', 'now');
        await w.pass(1);
        w.editAtService(`source_config.${path}`, null);
        await w.pass(12);
        w.apply({ ...image, sourceConfig: { customURL: custom_url } });
        while (w.kept().content.sourceConfig['custom_url'] === undefined) await w.pass(0.01);
        w.become({ stale: { every: 1, seconds: 60 } }, { seconds: 5 });
        await w.pass(300);
        expect(w.kept().content.sourceConfig).toEqual({ ...left, custom_url });
        expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Keep');
      },
    );
});

judgedScenario(
  'a field that the answer to the write before shows is put back, although a lagging replica lacked it between two writes',
  {
    deployments: [{ ...X, sourceConfig: {} }],
    semantics: { nested: { sourceConfig: 'replace' }, trigger: 'on-change' },
  },
  async (w) => {
    const lag = (behind: number, seconds: number): void =>
      w.plan({ kind: 'switch', semantics: { stale: { every: 1, seconds: behind } }, seconds });
    w.apply({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:0' } });
    await w.pass(200);
    w.editAtService('source_config.build_command', 'make');
    await w.pass(130);
    lag(160, 13);
    const image = { sourceRevisionConfig: { imageURI: 'r.example.com/agent:1' } };
    w.apply(image);
    await w.pass(12);
    lag(20, 4);
    const custom_url = 'https://agent.example.com';
    w.apply({ ...image, sourceConfig: { customURL: custom_url } });
    await w.pass(300);
    expect(w.kept().content.sourceConfig).toEqual({ build_command: 'make', custom_url });
    expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Replace');
  },
);
