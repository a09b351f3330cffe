import { describe, expect } from 'vitest';
import { AGENT, type World } from '../support/world.ts';
import { scenario } from '../support/scenario.ts';

const X = {
  name: AGENT,
  sourceConfig: { install_command: 'npm ci', build_command: 'make' },
  revisionConfig: { image_uri: 'r.example.com/agent:0', graph_config_path: 'theirs.json' },
};

/** Lists lag, and the answer to a write shows only what was sent. */
const REPLACES = {
  deployments: [X],
  semantics: {
    topLevelOmit: 'cleared',
    nested: { sourceConfig: 'replace' },
    listLag: { seconds: 20 },
    patchEcho: 'sent-only',
  },
} as const;

const TOKEN = [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }];

const url = (name: string) => ({ sourceConfig: { customURL: `https://${name}.example.com` } });
const graph = (w: World): unknown => w.kept().content.revisionConfig['graph_config_path'];

describe('a value that another client removes within the window of the write that restored it', () => {
  for (const laterS of [25, 40, 55])
    scenario(`stays removed by an edit ${laterS} s later`, REPLACES, async (w) => {
      w.apply({});
      await w.pass(60);
      w.apply(url('a'));
      while (w.patches().length < 2) await w.pass(1);
      expect(graph(w)).toBe('theirs.json');
      await w.pass(1);
      w.service.act({ kind: 'redeploy', deployment: AGENT, revision: 1 });
      expect(graph(w)).toBeUndefined();
      await w.pass(laterS);
      w.apply(url('b'));
      await w.pass(200);
      expect(w.kept().content.sourceConfig['custom_url']).toBe('https://b.example.com');
      expect(graph(w)).toBeUndefined();
    });
});

describe('a value that another client changes within the window of the write that restored it', () => {
  for (const trigger of ['never', 'on-change'] as const)
    for (const laterS of [25, 40, 55])
      scenario(
        `stays as that client left it after an edit ${laterS} s later, with revisions ${trigger}`,
        { ...REPLACES, semantics: { ...REPLACES.semantics, trigger } },
        async (w) => {
          w.apply({});
          await w.pass(60);
          w.apply(url('a'));
          while (w.patches().length < 2) await w.pass(1);
          expect(w.kept().content.sourceConfig['build_command']).toBe('make');
          await w.pass(1);
          const path = 'source_config.build_command';
          w.service.act({ kind: 'edit', deployment: AGENT, path, value: 'make one' });
          await w.pass(laterS);
          w.apply(url('b'));
          await w.pass(200);
          expect(w.kept().content.sourceConfig['custom_url']).toBe('https://b.example.com');
          expect(w.kept().content.sourceConfig['build_command']).toBe('make one');
        },
      );
});

scenario(
  'a whole body does not take over from a late list what a default replaced when an earlier write lost it',
  {
    deployments: [{ ...X, sourceConfig: { resource_spec: { memory_mb: 512, labels: { team: 'theirs' } } } }],
    connection: { poll: { intervalSeconds: 10 } },
    semantics: {
      nested: { sourceConfig: 'replace' },
      normalise: ['add-defaults'],
      patchEcho: 'partial',
      listLag: { seconds: 20 },
      listShape: ['no-secrets'],
      trigger: 'never',
    },
  },
  async (w) => {
    w.putSecret('agent-secrets', { token: 'first-token' });
    w.apply({});
    await w.pass(60);
    w.apply(url('a'));
    await w.pass(1);
    w.apply({ ...url('a'), secretsOwnership: 'Exclusive', secrets: TOKEN });
    for (let n = 0; w.patches().length < 3 && n < 40; n += 1) await w.pass(1);
    const spec = { memory_mb: 1024, labels: { team: 'theirs' } };
    expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject(spec);
    await w.pass(10);
    w.become({ listLag: { seconds: 50 } });
    await w.pass(11);
    w.apply({ ...url('a'), secretsOwnership: 'Exclusive', secrets: [] });
    await w.pass(200);
    expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject(spec);
  },
);
