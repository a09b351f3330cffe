import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type Given, type World } from '../support/world.ts';

const TOKEN = [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }];
const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };
const SIZED = { name: AGENT, sourceConfig: { resource_spec: { cpu: 1, memory_mb: 512 } } };

const OLD_COMMIT = '0123456789abcdef0123456789abcdef01234567';
const NEW_COMMIT = '89abcdef0123456789abcdef0123456789abcdef';

const cpu = (w: World, n: number): void => w.apply({ sourceConfig: { resourceSpec: { cpu: n } } });

scenario(
  'a whole body after a restart does not take back the last write of a field that the spec released since',
  {
    deployments: [{ ...SIZED, source: 'codehost', revisionConfig: { repo_ref: 'main' } }],
    connection: { patch: { bodies: 'Full' } },
    semantics: { listLag: { seconds: 40 } },
  },
  async (w) => {
    w.apply({ source: 'codehost' });
    await w.pass(60);
    w.apply({ source: 'codehost', sourceRevisionConfig: { repoRef: 'release' } });
    await w.pass(5);
    expect(w.kept().content.revisionConfig).toEqual({ repo_ref: 'release' });
    w.apply({ source: 'codehost' });
    w.restart();
    w.apply({ source: 'codehost', sourceConfig: { customURL: 'https://agent.example.com' } });
    await w.pass(40);
    expect(w.patches()).toHaveLength(1);
    expect(w.condition('Synced')).toBe('Unknown/Pending');
    await w.pass(200);
    expect(w.kept().content.revisionConfig).toEqual({ repo_ref: 'release' });
    expect(w.kept().content.sourceConfig['custom_url']).toBe('https://agent.example.com');
    expect(w.patches()).toHaveLength(2);
  },
);

scenario(
  'a label that a person set and our whole body took away is sent once the spec declares it, despite an old list',
  {
    deployments: [{ name: AGENT, sourceConfig: { resource_spec: { labels: { team: 'theirs' } } } }],
    connection: { patch: { bodies: 'Full' } },
    semantics: { listLag: { seconds: 20 } },
  },
  async (w) => {
    const custom = (customURL: string) => ({ customURL });
    const tier = { resourceSpec: { labels: { tier: 'two' } } };
    w.apply({ sourceConfig: custom('https://one.example.com') });
    await w.pass(200);
    w.editAtService('source_config.resource_spec.labels.tier', 'two');
    await w.pass(5);
    w.apply({ sourceConfig: custom('https://two.example.com') });
    await w.pass(3);
    expect(w.kept().content.sourceConfig['resource_spec']).toEqual({ labels: { team: 'theirs' } });
    await w.pass(13);
    w.apply({ sourceConfig: { ...custom('https://two.example.com'), ...tier } });
    await w.pass(2);
    expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
    await w.pass(200);
    expect(w.kept().content.sourceConfig['resource_spec']).toEqual({
      labels: { team: 'theirs', tier: 'two' },
    });
    expect(w.state()).toBe('True/InSync True/Active');
  },
);

describe('a change by another client right after our own write', () => {
  for (const patchEcho of ['post', 'sent-only'] as const) {
    scenario(
      `that removed a value is not reverted by a whole body, if lists hide the revision block (${patchEcho})`,
      {
        deployments: [
          { name: AGENT, sourceConfig: { build_command: 'make', resource_spec: { memory_mb: 512 } } },
        ],
        connection: { patch: { bodies: 'Full' } },
        semantics: { listShape: ['no-revision-block'], patchEcho },
      },
      async (w) => {
        const declared = (n: number): void =>
          w.apply({
            sourceConfig: { resourceSpec: { cpu: n } },
            sourceRevisionConfig: { imageURI: 'agent:1' },
          });
        w.apply({ sourceRevisionConfig: { imageURI: 'agent:1' } });
        await w.pass(200);
        declared(1);
        await w.pass(15);
        w.editAtService('source_config.build_command', null);
        await w.pass(5);
        declared(2);
        await w.pass(200);
        expect(w.kept().content.sourceConfig).toEqual({ resource_spec: { cpu: 2, memory_mb: 512 } });
      },
    );
  }

  for (const seconds of [0, 5]) {
    scenario(
      `in a block that we send whole is not reverted by the next write, behind a lag of ${seconds} s (H2)`,
      { deployments: [SIZED] },
      async (w) => {
        await w.pass(20);
        w.become({ listLag: { seconds } });
        cpu(w, 2);
        await w.pass(10);
        expect(w.patches()).toHaveLength(1);
        w.editAtService('source_config.resource_spec.memory_mb', 2048);
        await w.pass(15);
        cpu(w, 3);
        await w.pass(120);
        expect(w.kept().content.sourceConfig['resource_spec']).toEqual({ cpu: 3, memory_mb: 2048 });
        expect(w.patches()).toHaveLength(2);
      },
    );
  }

  for (const trigger of ['on-change', 'never'] as const) {
    scenario(
      `is not reverted by a whole body, if the service keeps a secret that its answer lacks, with trigger ${trigger} (H2)`,
      {
        deployments: [{ ...SIZED, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }],
        connection: { patch: { bodies: 'Full' } },
        semantics: { trigger, lists: 'append', patchEcho: 'sent-keys', secretsEcho: 'stars' },
      },
      async (w) => {
        const declared = (n: number): void =>
          w.apply({
            secretsOwnership: 'Exclusive',
            secrets: TOKEN,
            sourceConfig: { resourceSpec: { cpu: n } },
          });
        w.putSecret('agent-secrets', { token: 'the-first-token-value' });
        await w.pass(20);
        declared(2);
        await w.pass(1);
        expect(w.patches()).toHaveLength(1);
        w.editAtService('source_config.resource_spec.volumes', [{ name: 'theirs' }]);
        await w.pass(30);
        declared(3);
        await w.pass(200);
        expect(w.patches()).toHaveLength(2);
        expect(w.kept().content.sourceConfig['resource_spec']).toEqual({
          cpu: 3,
          memory_mb: 512,
          volumes: [{ name: 'theirs' }],
        });
      },
    );
  }

  scenario(
    'of the field that we wrote is not reverted by the next write, once a list has shown ours (H2, N30)',
    { deployments: [SIZED] },
    async (w) => {
      await w.pass(20);
      cpu(w, 2);
      await w.pass(20);
      expect(w.patches()).toHaveLength(1);
      w.editAtService('source_config.resource_spec.memory_mb', 2048);
      w.editAtService('source_config.resource_spec.cpu', 8);
      await w.pass(10);
      cpu(w, 3);
      await w.pass(120);
      expect(w.kept().content.sourceConfig['resource_spec']).toEqual({ cpu: 3, memory_mb: 2048 });
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'in a block that we send whole is not reverted while the list does not show the deployment (H2)',
    { deployments: [{ name: 'another' }, SIZED] },
    async (w) => {
      await w.pass(20);
      cpu(w, 2);
      await w.pass(5);
      expect(w.patches()).toHaveLength(1);
      w.service.act({ kind: 'switch', semantics: { listShows: 'half' }, seconds: 30 });
      w.editAtService('source_config.resource_spec.memory_mb', 2048);
      await w.pass(5);
      cpu(w, 3);
      await w.pass(15);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('Unknown/Pending Unknown/Pending');
      await w.pass(120);
      expect(w.kept().content.sourceConfig['resource_spec']).toEqual({ cpu: 3, memory_mb: 2048 });
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  for (const patchEcho of ['post', 'sent-only'] as const) {
    scenario(
      `with a new revision is not reverted if no list shows ours and the answer is ${patchEcho} (H2, N30)`,
      {
        deployments: [{ ...SIZED, revisionConfig: { graph_config_path: 'one.json' } }],
        semantics: { patchEcho },
      },
      async (w) => {
        const url = 'https://agent.example.com';
        await w.pass(60);
        w.apply({ sourceConfig: { customURL: url } });
        await w.pass(0.05);
        expect(w.patches()).toHaveLength(1);
        w.editAtService('source_config.custom_url', 'https://theirs.example.com');
        w.editAtService('source_config.resource_spec.memory_mb', 2048);
        w.editAtService('source_revision_config.graph_config_path', 'two.json');
        await w.pass(10);
        w.apply({ sourceConfig: { customURL: url, resourceSpec: { cpu: 3 } } });
        await w.pass(10);
        expect(w.patches()).toHaveLength(2);
        expect(w.kept().content.sourceConfig['resource_spec']).toEqual({ cpu: 3, memory_mb: 2048 });
        await w.pass(400);
      },
    );
  }

  scenario(
    'of a key in a map that we share is not reverted by the next write (H2)',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: { resource_spec: { cpu: 1, labels: { team: 'a', stage: 'x', zone: 'z' } } },
        },
      ],
      semantics: { trigger: 'never' },
    },
    async (w) => {
      await w.pass(60);
      w.apply({ sourceConfig: { resourceSpec: { labels: { tier: 'one' } } } });
      await w.pass(0.05);
      w.editAtService('source_config.resource_spec.labels', { tier: 'one', stage: 'y', zone: 'z' });
      await w.pass(10);
      w.apply({ sourceConfig: { resourceSpec: { labels: { tier: 'two' } } } });
      await w.pass(10);
      expect(w.patches()).toHaveLength(2);
      expect(w.kept().content.sourceConfig['resource_spec']).toEqual({
        cpu: 1,
        labels: { tier: 'two', stage: 'y', zone: 'z' },
      });
      await w.pass(400);
    },
  );

  scenario(
    'is detected within the window, once a list has shown ours, and corrected after it (H31)',
    {
      deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
      semantics: { rollout: { kind: 'after', seconds: 20 } },
    },
    async (w) => {
      await w.pass(30);
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(25);
      expect(w.state()).toBe('True/InSync True/Active');
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand');
      await w.pass(15);
      expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
      expect(w.events.reasons().at(-1)).toBe('ExternalRevision');
      expect(w.patches()).toHaveLength(1);
      await w.pass(60);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:2' });
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'that adds a secret is guarded (H3)',
    { deployments: [{ name: AGENT }, SEEN], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply({ secrets: TOKEN });
      await w.pass(10);
      w.editAtService('secrets.API_B', 'added-by-hand-just-now');
      w.secretTexts.add('added-by-hand-just-now');
      await w.pass(15);
      w.putSecret('agent-secrets', { token: 'the-second-token-value' });
      await w.pass(120);
      expect(w.kept().content.secrets.map(({ name }) => name)).toContain('API_B');
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
    },
  );
});

describe('a map that we share', () => {
  const declared = (w: World, labels: Readonly<Record<string, string>>): void =>
    w.apply({ sourceConfig: { resourceSpec: { labels } } });
  const labelled = (labels: Readonly<Record<string, string>>): Given => ({
    deployments: [{ name: AGENT, sourceConfig: { resource_spec: { cpu: 1, labels } } }],
    semantics: { trigger: 'never' },
  });
  const specOf = (w: World): unknown => w.kept().content.sourceConfig['resource_spec'];

  for (const seconds of [30, 60])
    scenario(
      `keeps the keys of others behind a replica that is ${seconds} s late (H2)`,
      labelled({ team: 'a' }),
      async (w) => {
        await w.pass(100);
        w.editAtService('source_config.resource_spec.labels', { team: 'a', zone: 'z' });
        await w.pass(15);
        declared(w, { tier: 'one' });
        await w.pass(0.05);
        w.become({ stale: { every: 1, seconds } }, { seconds: 12 });
        await w.pass(10);
        declared(w, { tier: 'two' });
        await w.pass(10);
        expect(specOf(w)).toEqual({ cpu: 1, labels: { tier: 'two', team: 'a', zone: 'z' } });
      },
    );

  scenario('keeps the keys of others while lists hide it (H2)', labelled({ team: 'a' }), async (w) => {
    await w.pass(60);
    declared(w, { tier: 'one' });
    await w.pass(0.05);
    w.become({ fieldRules: { 'source_config.resource_spec.labels': 'hidden' } }, { seconds: 15 });
    await w.pass(10);
    declared(w, { tier: 'two' });
    await w.pass(400);
    expect(specOf(w)).toEqual({ cpu: 1, labels: { tier: 'two', team: 'a' } });
  });

  scenario(
    'keeps a commit that another client set as the value of a key (H2)',
    labelled({ commit: OLD_COMMIT }),
    async (w) => {
      await w.pass(60);
      declared(w, { tier: 'one' });
      await w.pass(0.05);
      w.editAtService('source_config.resource_spec.labels', { tier: 'one', commit: NEW_COMMIT });
      await w.pass(10);
      declared(w, { tier: 'two' });
      await w.pass(10);
      expect(specOf(w)).toEqual({ cpu: 1, labels: { tier: 'two', commit: NEW_COMMIT } });
    },
  );

  for (const driftPolicy of ['Correct', 'Report'] as const)
    scenario(
      `gets a key that an edit declares, although others just changed it, under ${driftPolicy}`,
      labelled({ stage: 'x' }),
      async (w) => {
        const declare = (labels: Readonly<Record<string, string>>): void =>
          w.apply({ sourceConfig: { resourceSpec: { labels } }, driftPolicy });
        await w.pass(60);
        declare({ tier: 'one' });
        await w.pass(0.05);
        w.editAtService('source_config.resource_spec.labels', { tier: 'one', stage: 'y' });
        await w.pass(10);
        declare({ tier: 'one', stage: 'x' });
        await w.pass(200);
        expect(specOf(w)).toEqual({ cpu: 1, labels: { tier: 'one', stage: 'x' } });
        expect(w.state()).toMatch(/^True\/InSync/);
      },
    );
});

scenario(
  'an empty list of secrets that is there already counts as applied only by a read that began after the edit',
  {
    deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
    semantics: { latencyMs: 500 },
  },
  async (w) => {
    const sourceRevisionConfig = { imageURI: 'registry.example.com/agent:2' };
    const spec = { secretsOwnership: 'Exclusive', sourceRevisionConfig } as const;
    w.apply(spec);
    await w.pass(200);
    w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:9');
    w.apply({ ...spec, secrets: [] });
    await w.pass(0.2);
    expect(w.status().conditions?.map(({ observedGeneration }) => observedGeneration)).not.toContain(2);
    await w.pass(300);
    expect(w.patches()).toHaveLength(2);
    expect(w.state()).toBe('True/InSync True/Active');
  },
);
