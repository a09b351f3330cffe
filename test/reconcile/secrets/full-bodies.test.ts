import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const HAND_MADE = {
  name: AGENT,
  sourceConfig: { custom_url: 'https://by-hand.example.com' },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const VALUE = 'the-first-token-value';
const OURS = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }];
const spec = (tag: number) =>
  ({
    sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
    secretsOwnership: 'Exclusive',
    secrets: OURS,
  }) as const;
const image = (w: World): unknown => w.kept().content.revisionConfig['image_uri'];

describe('a full body never omits secrets that cannot be resolved', () => {
  const stories = [
    { name: 'learned', connection: {} },
    { name: 'chosen by patch.bodies', connection: { patch: { bodies: 'Full' } } },
  ] as const;
  for (const { name, connection } of stories) {
    for (const secretsEcho of ['stars', 'omitted', 'plain'] as const) {
      scenario(
        `if its source is ${name} and secrets are shown as ${secretsEcho} (H19, H20)`,
        { deployments: [HAND_MADE], connection, semantics: { topLevelOmit: 'cleared', secretsEcho } },
        async (w) => {
          w.putSecret('agent-secrets', { token: VALUE });
          w.apply(spec(2));
          await w.pass(300);
          expect(w.state()).toBe('True/InSync True/Active');
          w.apply(spec(3));
          await w.pass(300);
          w.removeSecret('agent-secrets');
          w.apply(spec(4));
          await w.pass(300);
          expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: VALUE }]);
          expect(w.condition('Synced')).toBe('False/SecretMissing');
          w.putSecret('agent-secrets', { token: VALUE });
          await w.pass(120);
          expect(image(w)).toBe('registry.example.com/agent:4');
          expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: VALUE }]);
          expect(w.state()).toBe('True/InSync True/Active');
        },
      );
    }
  }

  scenario(
    'if a declared one already exists at the service and was never applied',
    {
      deployments: [{ ...HAND_MADE, secrets: [{ name: 'TOKEN', value: 'set-by-hand-value' }] }],
      connection: { patch: { bodies: 'Full' } },
      semantics: { topLevelOmit: 'cleared', secretsEcho: 'stars' },
    },
    async (w) => {
      w.apply(spec(2));
      await w.pass(300);
      expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: 'set-by-hand-value' }]);
      expect(w.bodies()).toEqual([]);
      expect(w.condition('Synced')).toBe('False/SecretMissing');
    },
  );
});

scenario(
  'an emptied field is restored with the image, if lists hide the source that the resource declares (H6)',
  {
    deployments: [HAND_MADE],
    semantics: { topLevelOmit: 'cleared', listShape: ['no-source-status'] },
  },
  async (w) => {
    w.apply({});
    await w.pass(60);
    w.apply({ sourceConfig: { customURL: 'https://ours.example.com' } });
    await w.pass(300);
    expect(w.kept().content.sourceConfig['custom_url']).toBe('https://ours.example.com');
    expect(image(w)).toBe('registry.example.com/agent:1');
  },
);

scenario(
  'the image is restored after two writes that left it out before a list showed either of them (H6)',
  {
    deployments: [HAND_MADE],
    semantics: {
      topLevelOmit: 'cleared',
      patchEcho: 'partial',
      nested: {
        sourceConfig: 'merge-null-clears',
        revisionConfig: 'merge-null-ignored',
        resourceSpec: 'merge-null-clears',
      },
      listShape: ['no-source-status'],
      listLag: { reads: 2 },
    },
  },
  async (w) => {
    const ours = { source: 'external_container' } as const;
    w.apply(ours);
    await w.pass(60);
    const customURL = 'https://ours.example.com';
    w.apply({ ...ours, sourceConfig: { customURL } });
    await w.pass(0.05);
    w.apply({ ...ours, sourceConfig: { customURL, buildOnPush: true } });
    await w.pass(300);
    expect(w.patches().length).toBeGreaterThan(2);
    expect(w.kept().content.sourceConfig).toMatchObject({ custom_url: customURL, build_on_push: true });
    expect(image(w)).toBe('registry.example.com/agent:1');
  },
);

scenario(
  'a repair carries no secrets while a list shows those of somebody else in the place of ours',
  {
    deployments: [
      {
        name: AGENT,
        sourceConfig: { install_command: 'npm ci' },
        revisionConfig: { image_uri: 'r/agent:1' },
      },
      { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] },
    ],
    semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'partial', secretsEcho: 'names-only' },
  },
  async (w) => {
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'token' } };
    const ours = { secrets: [{ name: 'API_TOKEN', valueFrom }] };
    w.apply({ secretsOwnership: 'Exclusive', ...ours });
    await w.pass(300);
    w.apply(ours);
    await w.pass(300);
    w.editAtService('secrets.API_TOKEN', null);
    w.editAtService('secrets.BY_HAND', 'value-set-by-hand');
    w.apply({ ...ours, sourceConfig: { customURL: 'https://agent.example.com' } });
    await w.pass(300);
    expect(w.patches().length).toBeGreaterThan(2);
    expect(w.kept().content.secrets).toEqual([{ name: 'BY_HAND', value: 'value-set-by-hand' }]);
  },
);

scenario(
  'secrets that a full body removed hold no edit back once its window is over, although its answer left them out',
  {
    deployments: [
      {
        ...HAND_MADE,
        sourceConfig: { resource_spec: { memory_mb: 512 } },
        secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }],
      },
    ],
    connection: { patch: { bodies: 'Full' } },
    semantics: {
      topLevelOmit: 'cleared',
      secretsEcho: 'names-only',
      patchEcho: 'partial',
      revisionFor: 'revision-config',
      listShape: ['no-resource-spec'],
    },
  },
  async (w) => {
    w.putSecret('agent-secrets', { token: VALUE });
    const sized = { sourceConfig: { resourceSpec: { cpu: 2 } } };
    w.apply({});
    await w.pass(60);
    w.apply(sized);
    // The window is over, and the look that is due then has not begun.
    await w.pass(60.05);
    expect(w.kept().content.secrets).toEqual([]);
    const lists = w.service.log.count('list');
    w.apply({ ...sized, secrets: OURS });
    await w.pass(1);
    expect(w.service.log.count('list') - lists).toBe(1);
    await w.pass(120);
    expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: VALUE }]);
    expect(w.statusStory().join()).not.toContain('UnmanagedSecretsPresent');
  },
);
