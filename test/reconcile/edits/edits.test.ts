import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import type { WireJson } from '../../../src/wire/wire-json.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const SPEC = {
  revisionSource: 'internal_container',
  sourceConfig: {
    customURL: 'https://a.example.com',
    buildOnPush: false,
    installCommand: 'npm ci',
    resourceSpec: { cpu: 1, labels: { tier: 'one' } },
  },
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1', graphConfigPath: 'graph.json' },
  secrets: [{ name: 'API_TOKEN', value: 'token-number-one' }],
  secretReferences: [{ name: 'DATABASE_URI', secretName: 'agent-db', secretKey: 'uri' }],
} as const satisfies Partial<DeploymentSpec>;

const LIVE = {
  name: AGENT,
  sourceConfig: {
    custom_url: 'https://a.example.com',
    build_on_push: false,
    install_command: 'npm ci',
    resource_spec: { cpu: 1, memory_mb: 512, labels: { tier: 'one', team: 'theirs' } },
  },
  revisionConfig: { image_uri: 'registry.example.com/agent:1', graph_config_path: 'graph.json' },
  secrets: [{ name: 'API_TOKEN', value: 'token-number-one' }],
  secretReferences: [{ name: 'DATABASE_URI', secret_name: 'agent-db', secret_key: 'uri' }],
};

interface Edit {
  readonly what: string;
  readonly change: Partial<DeploymentSpec>;
  readonly sent: WireJson;
  readonly revisions: number;
}

const EDITS: readonly Edit[] = [
  {
    what: 'a key of sourceConfig sends that key',
    change: { sourceConfig: { ...SPEC.sourceConfig, customURL: 'https://b.example.com' } },
    sent: { source_config: { custom_url: 'https://b.example.com' } },
    revisions: 0,
  },
  {
    what: 'a key of resourceSpec sends the whole resource_spec and nothing else',
    change: { sourceConfig: { ...SPEC.sourceConfig, resourceSpec: { cpu: 2, labels: { tier: 'two' } } } },
    sent: {
      source_config: { resource_spec: { cpu: 2, memory_mb: 512, labels: { tier: 'two', team: 'theirs' } } },
    },
    revisions: 0,
  },
  {
    what: 'a key of sourceRevisionConfig sends all managed keys of it, and the directive with them (H8)',
    change: {
      sourceRevisionConfig: { ...SPEC.sourceRevisionConfig, imageURI: 'registry.example.com/agent:2' },
    },
    sent: {
      revision_source: 'internal_container',
      source_revision_config: { image_uri: 'registry.example.com/agent:2', graph_config_path: 'graph.json' },
    },
    revisions: 1,
  },
  {
    what: 'one secret sends the whole set',
    change: { secrets: [...SPEC.secrets, { name: 'ANOTHER', value: 'another-token-here' }] },
    sent: {
      secrets: [
        { name: 'ANOTHER', value: 'another-token-here' },
        { name: 'API_TOKEN', value: 'token-number-one' },
      ],
    },
    revisions: 1,
  },
  {
    what: 'the list of references sends that list',
    change: { secretReferences: [] },
    sent: { secret_references: [] },
    revisions: 1,
  },
  {
    what: 'two blocks sends both in one PATCH (H51)',
    change: {
      sourceConfig: { ...SPEC.sourceConfig, buildOnPush: true },
      sourceRevisionConfig: { ...SPEC.sourceRevisionConfig, graphConfigPath: 'other.json' },
    },
    sent: {
      revision_source: 'internal_container',
      source_config: { build_on_push: true },
      source_revision_config: { image_uri: 'registry.example.com/agent:1', graph_config_path: 'other.json' },
    },
    revisions: 1,
  },
];

describe('an edit of', () => {
  for (const { what, change, sent, revisions } of EDITS) {
    scenario(what, { deployments: [LIVE] }, async (w) => {
      w.apply(SPEC);
      await w.pass(90);
      const before = { patches: w.patches().length, revisions: w.revisionsMade() };
      w.apply({ ...SPEC, ...change });
      await w.pass(60);
      expect(w.bodies().slice(before.patches)).toEqual([sent]);
      expect(w.revisionsMade() - before.revisions).toBe(revisions);
      expect(w.state()).toBe('True/InSync True/Active');
    });
  }

  scenario(
    'a value back and forth sends each once; the same manifest again sends nothing',
    { deployments: [LIVE] },
    async (w) => {
      const at = (url: string) => ({ sourceConfig: { customURL: `https://${url}.example.com` } });
      for (const url of ['a', 'b', 'b', 'a', 'a']) {
        w.apply(at(url));
        await w.pass(60);
      }
      expect(w.bodies()).toEqual([
        { source_config: { custom_url: 'https://b.example.com' } },
        { source_config: { custom_url: 'https://a.example.com' } },
      ]);
    },
  );

  scenario(
    'the resource spec keeps every unmanaged key, including nested and unknown ones (H2)',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: {
            resource_spec: {
              ...{ cpu: 1, memory_mb: 4096, queue_cpu: 4, gpu_kind: 'of another version' },
              ...{ sidecars: [{ name: 'proxy', image: 'proxy:1', securityContext: { a_b: [1], aB: {} } }] },
              ...{ annotations: { a: '1' }, db_storage_gi: null },
            },
          },
        },
      ],
    },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2, annotations: { b: '2' } } } });
      await w.pass(60);
      const kept = {
        ...{ cpu: 2, memory_mb: 4096, queue_cpu: 4, gpu_kind: 'of another version' },
        ...{ annotations: { a: '1', b: '2' } },
      };
      expect(w.patches()).toHaveLength(1);
      expect(w.patches()[0]?.body).toMatchObject({ source_config: { resource_spec: kept } });
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({
        ...kept,
        sidecars: [{ name: 'proxy', image: 'proxy:1', securityContext: { a_b: [1], aB: {} } }],
      });
    },
  );

  scenario(
    'the resource spec just after another client changed another key of it keeps that change (H2)',
    { deployments: [{ name: AGENT, sourceConfig: { resource_spec: { cpu: 1, memory_mb: 512 } } }] },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 1 } } });
      await w.pass(100);
      w.editAtService('source_config.resource_spec.memory_mb', 2048);
      await w.pass(1);
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(60);
      expect(w.bodies()).toEqual([{ source_config: { resource_spec: { cpu: 2, memory_mb: 2048 } } }]);
    },
  );

  scenario(
    'a managed list replaces the whole list, regardless of the order at the service (N9)',
    {
      deployments: [
        { name: AGENT, sourceConfig: { resource_spec: { image_pull_secrets: [{ name: 'old' }] } } },
      ],
      semantics: { normalise: ['reorder'] },
    },
    async (w) => {
      const pull = (...names: string[]) => ({
        sourceConfig: { resourceSpec: { imagePullSecrets: names.map((name) => ({ name })) } },
      });
      w.apply(pull('one', 'two', 'three'));
      await w.pass(90);
      w.apply(pull('three', 'two', 'one'));
      await w.pass(90);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'the manifest that removes a field releases it: nothing is sent, and it may change afterwards',
    { deployments: [LIVE] },
    async (w) => {
      w.apply({ sourceConfig: { customURL: 'https://a.example.com', installCommand: 'npm ci' } });
      await w.pass(30);
      w.apply({ sourceConfig: { installCommand: 'npm ci' } });
      await w.pass(30);
      w.editAtService('source_config.custom_url', 'https://theirs.example.com');
      await w.pass(120);
      expect(w.bodies()).toEqual([]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario('spec.clear empties a field with one explicit null (N5)', { deployments: [LIVE] }, async (w) => {
    w.apply({ clear: ['sourceConfig.customURL'] });
    await w.pass(60);
    expect(w.bodies()).toEqual([{ source_config: { custom_url: null } }]);
    expect(w.kept().content.sourceConfig).not.toHaveProperty('custom_url');
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    'spec.clear on a service that ignores null ends with FieldNotClearable, not with a loop (N5)',
    {
      deployments: [LIVE],
      semantics: {
        nested: {
          sourceConfig: 'merge-null-ignored',
          revisionConfig: 'merge-null-ignored',
          resourceSpec: 'merge-null-ignored',
        },
      },
    },
    async (w) => {
      w.apply({ clear: ['sourceConfig.customURL'] });
      await w.pass(400);
      expect(w.state()).toBe('False/FieldNotClearable False/FieldNotClearable');
      expect(w.patches().length).toBeLessThanOrEqual(2);
    },
  );

  scenario(
    'fields that may be immutable sends them with the rest, and reports it if the service keeps the old value (H23)',
    {
      deployments: [
        {
          name: AGENT,
          source: 'codehost',
          sourceConfig: { repo_url: 'https://code.example.com/one' },
          revisionConfig: { repo_ref: 'main' },
        },
      ],
      semantics: { fieldRules: { 'source_config.repo_url': 'ignored' } },
    },
    async (w) => {
      w.apply({
        source: 'codehost',
        sourceConfig: { repoURL: 'https://code.example.com/two' },
        sourceRevisionConfig: { repoRef: 'next' },
      });
      await w.pass(400);
      expect(w.bodies()[0]).toEqual({
        source_config: { repo_url: 'https://code.example.com/two' },
        source_revision_config: { repo_ref: 'next' },
      });
      expect(w.state()).toBe('False/ImmutableFieldChanged False/ImmutableFieldChanged');
      expect(w.message()).toContain('sourceConfig.repoURL');
      expect(w.patches().length).toBeLessThanOrEqual(2);
    },
  );
});
