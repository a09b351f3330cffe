import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const COMMIT = 'c'.repeat(40);
const CODE = {
  name: AGENT,
  source: 'codehost',
  sourceConfig: { repo_url: 'https://code.example.com/agent' },
  revisionConfig: { repo_ref: 'main' },
};
const cpu = (value: number): Partial<DeploymentSpec> => ({ sourceConfig: { resourceSpec: { cpu: value } } });

describe('a value that the service shows in another form', () => {
  scenario(
    'because it rounds is sent once and then accepted (H36)',
    { semantics: { normalise: ['round1'] } },
    async (w) => {
      w.apply(cpu(0.25));
      await w.pass(300);
      expect(w.shown()['source_config']).toEqual({ resource_spec: { cpu: 0.3 } });
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
      w.restart();
      await w.pass(120);
      w.apply(cpu(0.5));
      await w.pass(120);
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'because it rounds is accepted if the answer shows the previous resource spec, without it',
    {
      deployments: [{ name: AGENT, sourceConfig: { resource_spec: { memory_mb: 512 } } }],
      semantics: { normalise: ['round1'], patchEcho: 'pre', revisionFor: 'and-resource-spec' },
    },
    async (w) => {
      w.apply(cpu(0.25));
      await w.pass(400);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'because it rounds some time after the write is accepted too',
    { semantics: { normalise: ['round1'], normaliseAfterSeconds: 45, revisionFor: 'and-resource-spec' } },
    async (w) => {
      w.apply(cpu(0.25));
      await w.pass(400);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'and that later drifts from that form is corrected',
    { semantics: { normalise: ['round1'] } },
    async (w) => {
      w.apply(cpu(0.25));
      await w.pass(400);
      w.editAtService('source_config.resource_spec.cpu', 4);
      await w.pass(150);
      expect(w.patches()).toHaveLength(2);
      expect(w.bodies()[1]).toEqual(w.bodies()[0]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'because it fills in defaults for undeclared fields is not drift (H37)',
    { semantics: { normalise: ['add-defaults'] } },
    async (w) => {
      w.apply(cpu(2));
      await w.pass(300);
      expect(w.bodies()).toEqual([
        {
          source_config: {
            resource_spec: {
              ...{ cpu: 2, min_scale: 1, max_scale: 1, memory_mb: 1024, queue_min_scale: 1 },
              ...{ queue_max_scale: 1, db_cpu: 0.5, db_memory_mb: 1024, db_storage_gi: 8 },
            },
          },
        },
      ]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'because it resolves a branch to a commit is not drift, and a new branch is sent once (H5)',
    { deployments: [CODE], semantics: { normalise: ['ref-to-sha'] } },
    async (w) => {
      const ref = (repoRef: string): void =>
        w.apply({ source: 'codehost', sourceRevisionConfig: { repoRef } });
      w.service.act({ kind: 'push', deployment: AGENT, commit: COMMIT, build: true });
      await w.pass(60);
      ref('main');
      await w.pass(120);
      const first = w.patches().length;
      expect(first, 'a shown commit proves nothing about a branch on first sight').toBeLessThanOrEqual(1);
      w.service.act({ kind: 'push', deployment: AGENT, commit: 'd'.repeat(40), build: true });
      await w.pass(150);
      expect(w.patches()).toHaveLength(first);
      ref('release');
      await w.pass(150);
      expect(w.bodies().slice(first)).toEqual([{ source_revision_config: { repo_ref: 'release' } }]);
      expect(w.kept().content.revisionConfig).toEqual({ repo_ref: 'release' });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  for (const normalise of ['trailing-slash', 'lower-case'] as const) {
    scenario(
      `because it normalizes addresses (${normalise}) is sent once`,
      { semantics: { normalise: [normalise] } },
      async (w) => {
        w.apply({
          sourceConfig: { customURL: 'https://A.example.com/Path' },
          sourceRevisionConfig: { imageURI: 'Registry.example.com/Agent:1' },
        });
        await w.pass(300);
        expect(w.patches()).toHaveLength(1);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }

  scenario('as null where nothing is set counts as unset', { semantics: { unset: 'null' } }, async (w) => {
    w.apply({ sourceConfig: { customURL: 'https://a.example.com' }, secretReferences: [] });
    await w.pass(120);
    expect(w.bodies()).toEqual([{ source_config: { custom_url: 'https://a.example.com' } }]);
  });

  scenario(
    'or never is sent when it changes and at no other time (H35)',
    {
      semantics: {
        fieldRules: {
          'source_config.build_command': 'hidden',
          'source_config.listener_config': 'hidden',
          'source_revision_config.image_uri': 'hidden',
        },
      },
    },
    async (w) => {
      const spec = (command: string): void =>
        w.apply({
          sourceConfig: { buildCommand: command, listenerConfig: { k8sNamespace: 'agents' } },
          sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
        });
      spec('make one');
      await w.pass(200);
      w.restart();
      await w.pass(200);
      spec('make two');
      await w.pass(200);
      expect(w.bodies()).toEqual([
        {
          source_config: { build_command: 'make one', listener_config: { k8s_namespace: 'agents' } },
          source_revision_config: { image_uri: 'registry.example.com/agent:1' },
        },
        { source_config: { build_command: 'make two' } },
      ]);
    },
  );

  scenario(
    'because it sorts lists is not drift',
    {
      semantics: { normalise: ['reorder'] },
      deployments: [{ name: AGENT, sourceConfig: { resource_spec: { cpu: 1 } } }],
    },
    async (w) => {
      w.apply({
        sourceConfig: {
          resourceSpec: {
            volumes: [{ name: 'a' }, { name: 'b' }],
            volumeMounts: [
              { name: 'a', mountPath: '/a' },
              { name: 'b', mountPath: '/b' },
            ],
            sidecars: [
              {
                name: 'one',
                env: [
                  { name: 'X', value: '1' },
                  { name: 'Y', value: '2' },
                ],
              },
              { name: 'two', command: ['sh', '-c'] },
            ],
            initContainers: [{ name: 'first' }, { name: 'second' }],
          },
        },
      });
      await w.pass(300);
      expect(w.patches()).toHaveLength(1);
    },
  );
});

describe('an answer to a PATCH', () => {
  for (const patchEcho of ['post', 'pre', 'partial', 'empty-204', 'empty-202'] as const) {
    scenario(
      `of the kind ${patchEcho} leads to one PATCH and to InSync (N14, N15)`,
      {
        deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
        semantics: { patchEcho, secretsEcho: 'stars' },
      },
      async (w) => {
        w.apply({
          secretsOwnership: 'Exclusive',
          sourceConfig: { customURL: 'https://a.example.com', resourceSpec: { cpu: 2 } },
          sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
          secrets: [{ name: 'API_TOKEN', value: 'a-token-of-our-own' }],
        });
        await w.pass(300);
        expect(w.patches()).toHaveLength(1);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.revisionsMade()).toBe(1);
      },
    );
  }

  for (const listLag of [{ seconds: 20 }, { reads: 3 }] as const) {
    scenario(
      `takes precedence over a list that lags behind it by ${JSON.stringify(listLag)} (H31)`,
      {
        deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
        semantics: { listLag },
      },
      async (w) => {
        w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
        await w.pass(30);
        for (let n = 0; n < 10; n += 1) {
          w.resync();
          await w.pass(6);
        }
        await w.pass(120);
        expect(w.patches()).toHaveLength(1);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }

  scenario(
    'is remembered over a restart: the state in a lagging list is not drift (N30)',
    {
      deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
      semantics: { listLag: { seconds: 25 }, rollout: { kind: 'after', seconds: 1 } },
    },
    async (w) => {
      await w.pass(60);
      w.apply({
        sourceConfig: { customURL: 'https://a.example.com' },
        sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
      });
      await w.pass(3);
      w.restart();
      await w.pass(180);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is sufficient if the list shows neither secrets nor status',
    { semantics: { listShape: ['no-source-status', 'no-secrets', 'extra-fields'] } },
    async (w) => {
      w.apply({
        secretsOwnership: 'Exclusive',
        secrets: [{ name: 'API_TOKEN', value: 'a-token-of-our-own' }],
      });
      await w.pass(300);
      expect(w.patches()).toHaveLength(1);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );
});
