import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const REPO = 'https://code.example.com/agent';
const CPU = 'source_config.resource_spec.cpu';
const GIVEN = {
  deployments: [{ name: AGENT, sourceConfig: { resource_spec: { cpu: 2, service_account_name: 'theirs' } } }],
  semantics: { normalise: ['add-defaults'], nested: { resourceSpec: 'merge-null-clears' } },
} as const;

const withTier = (tier: string) =>
  ({
    driftPolicy: 'Report',
    clear: ['sourceConfig.resourceSpec.cpu'],
    sourceConfig: { resourceSpec: { labels: { tier } } },
  }) as const;
const kept = (w: World): unknown => w.kept().content.sourceConfig['resource_spec'];
const TWO = { service_account_name: 'theirs', labels: { tier: 'two' } };

describe('an emptied field for which the service shows a default', () => {
  scenario('stays empty when another key of the resource spec changes', GIVEN, async (w) => {
    w.apply(withTier('one'));
    await w.pass(200);
    w.apply(withTier('two'));
    await w.pass(200);
    expect(kept(w)).toMatchObject(TWO);
    expect(kept(w)).not.toHaveProperty('cpu');
  });

  scenario(
    'stays empty after a write in between, if only answers show it',
    {
      deployments: [{ name: AGENT, sourceConfig: { resource_spec: { service_account_name: 'theirs' } } }],
      semantics: { ...GIVEN.semantics, listShape: ['empty-source-config'], patchEcho: 'sent-only' },
    },
    async (w) => {
      const clear = ['sourceConfig.resourceSpec.cpu'] as const;
      const customURL = 'https://a.example.com';
      w.apply({ driftPolicy: 'Report', clear });
      await w.pass(20);
      w.apply({ driftPolicy: 'Report', clear, sourceConfig: { customURL } });
      await w.pass(20);
      w.apply({ ...withTier('two'), sourceConfig: { customURL, resourceSpec: { labels: { tier: 'two' } } } });
      await w.pass(200);
      expect(kept(w)).toMatchObject({ labels: { tier: 'two' } });
      expect(kept(w)).not.toHaveProperty('cpu');
      expect(w.message()).not.toContain('cpu');
    },
  );

  scenario('keeps the value of another client that fills it again', GIVEN, async (w) => {
    w.apply(withTier('one'));
    await w.pass(200);
    w.editAtService(CPU, 4);
    await w.pass(100);
    w.apply(withTier('two'));
    await w.pass(200);
    expect(kept(w)).toMatchObject({ ...TWO, cpu: 4 });
  });

  scenario(
    'keeps the value of another client that fills it again within the window',
    {
      deployments: [{ name: AGENT, sourceConfig: { resource_spec: { cpu: 2, memory_mb: 512 } } }],
      semantics: { nested: { resourceSpec: 'replace' }, trigger: 'always' },
    },
    async (w) => {
      const memory = (memoryMB: number) =>
        ({ clear: ['sourceConfig.resourceSpec.cpu'], sourceConfig: { resourceSpec: { memoryMB } } }) as const;
      w.apply(memory(512));
      await w.pass(5);
      expect(kept(w)).toEqual({ memory_mb: 512 });
      w.editAtService(CPU, 4);
      await w.pass(40);
      w.apply(memory(1024));
      await w.pass(250);
      expect(kept(w)).toEqual({ cpu: 4, memory_mb: 1024 });
    },
  );
});

scenario(
  'a key that spec.clear names is not sent after our own write emptied the whole resource spec, as a list shows',
  {
    deployments: [
      {
        name: AGENT,
        sourceConfig: { build_command: 'make', resource_spec: { cpu: 2, service_account_name: 'theirs' } },
        revisionConfig: { image_uri: 'r.example.com/agent:1' },
      },
    ],
    semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'partial', listLag: { seconds: 20 } },
  },
  async (w) => {
    const built = { sourceConfig: { buildCommand: 'make one' } };
    w.apply({});
    await w.pass(100);
    w.apply(built);
    await w.pass(10);
    w.apply({
      ...built,
      sourceRevisionConfig: { imageURI: 'r.example.com/agent:2' },
      clear: ['sourceConfig.resourceSpec.cpu'],
    });
    await w.pass(200);
    expect(JSON.stringify(w.bodies())).not.toContain('null');
  },
);

describe('a declared flag in whose place the service sets its default', () => {
  for (const patchEcho of ['post', 'pre'] as const)
    scenario(
      `because our write emptied its block goes back as declared under Report (${patchEcho})`,
      {
        deployments: [
          { name: AGENT, source: 'codehost', sourceConfig: { repo_url: REPO, build_on_push: true } },
        ],
        semantics: { patchEcho, nested: { sourceConfig: 'replace' }, normalise: ['add-defaults'] },
      },
      async (w) => {
        const wants = { source: 'codehost', driftPolicy: 'Report' } as const;
        w.apply({ ...wants, sourceConfig: { buildOnPush: true } });
        await w.pass(200);
        w.apply({ ...wants, sourceConfig: { buildOnPush: true, customURL: 'https://a.example.com' } });
        await w.pass(300);
        expect(w.kept().content.sourceConfig).toMatchObject({ repo_url: REPO, build_on_push: true });
        expect(w.condition('Synced')).toBe('True/InSync');
      },
    );
});
