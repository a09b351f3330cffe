import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type Given, type World } from '../support/world.ts';

const LIVE = {
  name: AGENT,
  sourceConfig: {
    resource_spec: {
      sidecars: [{ name: 'proxy', image: 'registry.example.com/proxy:1' }],
      volumes: [{ name: 'cache', emptyDir: {} }],
      image_pull_secrets: [{ name: 'registry' }],
    },
  },
  secretReferences: [{ name: 'A', secret_name: 'cluster-secret', secret_key: 'key' }],
};

const EMPTIED: readonly (readonly [string, Partial<DeploymentSpec>, string])[] = [
  ['secretReferences', { secretReferences: [] }, 'secret_references'],
  ['sidecars', { sourceConfig: { resourceSpec: { sidecars: [] } } }, 'source_config.resource_spec.sidecars'],
  ['volumes', { sourceConfig: { resourceSpec: { volumes: [] } } }, 'source_config.resource_spec.volumes'],
  [
    'imagePullSecrets',
    { sourceConfig: { resourceSpec: { imagePullSecrets: [] } } },
    'source_config.resource_spec.image_pull_secrets',
  ],
];

describe('an explicit empty list', () => {
  for (const [name, spec, rule] of EMPTIED) {
    scenario(
      `of ${name} that the service ignores is sent once and reported as FieldNotClearable (N7)`,
      { deployments: [LIVE], semantics: { lists: 'empty-ignored', fieldRules: { [rule]: 'ignored' } } },
      async (w) => {
        w.apply(spec);
        await w.pass(900);
        expect(w.patches()).toHaveLength(1);
        expect(w.state()).toBe('False/FieldNotClearable False/FieldNotClearable');
        expect(w.message()).toContain(name);
        expect(w.message()).not.toContain('twice');
      },
    );

    scenario(`of ${name} empties it`, { deployments: [LIVE] }, async (w) => {
      w.apply(spec);
      await w.pass(300);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    });
  }
});

describe('a list item', () => {
  scenario(
    'with empty parts equals the same item without them',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: {
            resource_spec: {
              sidecars: [
                { name: 's', image: 'i', resources: {}, securityContext: {}, command: [], workingDir: null },
              ],
            },
          },
        },
      ],
    },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { sidecars: [{ name: 's', image: 'i' }] } } });
      await w.pass(300);
      expect(w.bodies()).toEqual([]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

scenario(
  'whose field must be emptied, and was left out of our last write, waits while its answer replaces the list',
  {
    deployments: [
      {
        name: AGENT,
        sourceConfig: { custom_url: 'https://agent.example.com' },
        revisionConfig: { image_uri: 'registry.example.com/agent:1' },
      },
    ],
    semantics: { topLevelOmit: 'cleared', patchEcho: 'partial', trigger: 'never', listLag: { seconds: 20 } },
  },
  async (w) => {
    const image = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } };
    w.apply({});
    await w.pass(60);
    w.apply(image);
    await w.pass(5);
    w.apply({ ...image, clear: ['sourceConfig.customURL'] });
    await w.pass(300);
    expect(w.bodies()).toEqual([{ source_revision_config: { image_uri: 'registry.example.com/agent:2' } }]);
    expect(w.state()).toBe('True/InSync True/Active');
  },
);

describe('a key of a resource spec that must be emptied, and that our last write left out', () => {
  const URL = 'https://agent.example.com';
  const KEPT = { install_command: 'npm ci' };
  const given = (semantics: Given['semantics']): Given => ({
    deployments: [{ name: AGENT, sourceConfig: { ...KEPT, resource_spec: { cpu: 2, memory_mb: 512 } } }],
    semantics: { trigger: 'never', ...semantics },
  });
  const edits = async (w: World, then?: () => void): Promise<void> => {
    w.apply({});
    await w.pass(60);
    w.apply({ sourceConfig: { customURL: URL } });
    await w.pass(5);
    then?.();
    w.apply({ sourceConfig: { customURL: URL }, clear: ['sourceConfig.resourceSpec.cpu'] });
    await w.pass(20);
  };
  const EMPTIES = {
    nested: { sourceConfig: 'replace' },
    fieldRules: { 'source_config.custom_url': 'ignored' },
  } as const;

  for (const [what, stale, semantics] of [
    ['lists lack it', { every: 0, seconds: 0 }, EMPTIES],
    ['an old list shows it again', { every: 1, seconds: 20 }, { ...EMPTIES, patchEcho: 'partial' }],
  ] as const)
    scenario(
      `waits while ${what} and no list shows that write, which emptied it`,
      given(semantics),
      async (w) => {
        await edits(w, () => w.become({ stale }));
        expect(w.bodies()).toEqual([{ source_config: { custom_url: URL } }]);
        expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
        await w.pass(300);
        expect(w.kept().content.sourceConfig).toEqual({ ...KEPT, resource_spec: { memory_mb: 512 } });
      },
    );

  scenario('does not wait once a list has shown that write', given({}), async (w) => {
    await edits(w);
    expect(w.patches()).toHaveLength(2);
    await w.pass(300);
    expect(w.kept().content.sourceConfig).toMatchObject({ ...KEPT, resource_spec: { memory_mb: 512 } });
  });
});
