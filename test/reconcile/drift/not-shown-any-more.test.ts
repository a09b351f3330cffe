import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const SPEC = { cpu: 2, max_scale: 7, sidecars: [{ name: 'proxy', image: 'registry.example.com/proxy:1' }] };

const FULL = {
  name: AGENT,
  sourceConfig: { build_command: 'make', install_command: 'npm ci', resource_spec: { memory_mb: 512 } },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};

describe('what the list stops showing', () => {
  scenario(
    'is not overwritten by the part of it that we manage (H2, N31)',
    { deployments: [{ name: AGENT, sourceConfig: { resource_spec: { ...SPEC, cpu: 1 } } }] },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(300);
      w.become({ fieldRules: { 'source_config.resource_spec': 'hidden' } });
      await w.pass(900);
      expect(w.patches()).toHaveLength(1);
      expect(w.kept().content.sourceConfig).toEqual({ resource_spec: SPEC });
    },
  );

  scenario(
    'was emptied with its block by our own next write, and is sent again although something beside the block stays',
    {
      deployments: [FULL],
      semantics: {
        topLevelOmit: 'cleared',
        listShape: ['no-secrets', 'no-revision-block'],
        fieldRules: { 'source_config.build_command': 'pretended' },
      },
    },
    async (w) => {
      const volumes = { sourceConfig: { resourceSpec: { volumes: [{ name: 'a' }] } } };
      w.apply(volumes);
      await w.pass(1);
      w.apply({ ...volumes, clear: ['sourceRevisionConfig.imageURI'] });
      await w.pass(600);
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ volumes: [{ name: 'a' }] });
    },
  );

  scenario(
    'are two declared values that our writes empty in turn: the second time both go together',
    {
      deployments: [FULL],
      semantics: {
        nested: {
          sourceConfig: 'replace',
          revisionConfig: 'merge-null-ignored',
          resourceSpec: 'merge-null-ignored',
        },
        fieldRules: { 'source_config.build_command': 'pretended' },
      },
    },
    async (w) => {
      const url = { customURL: 'https://agent.example.com' };
      w.apply({});
      await w.pass(60);
      w.apply({ sourceConfig: url });
      await w.pass(1);
      w.editAtService('source_config.install_command', 'npm ci');
      await w.pass(100);
      w.apply({ sourceConfig: { ...url, resourceSpec: { labels: { tier: 'one' } } } });
      await w.pass(900);
      expect(w.kept().content.sourceConfig).toMatchObject({
        custom_url: 'https://agent.example.com',
        resource_spec: { labels: { tier: 'one' } },
      });
      expect(w.patches().length).toBeLessThanOrEqual(6);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'are two declared values that our writes empty in turn, beside a secret that no request can carry: what is gone is named',
    {
      deployments: [{ ...FULL, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }],
      semantics: {
        nested: {
          sourceConfig: 'replace',
          revisionConfig: 'merge-null-ignored',
          resourceSpec: 'merge-null-ignored',
        },
        fieldRules: { 'source_config.build_command': 'pretended' },
      },
    },
    async (w) => {
      const cpu = { resourceSpec: { cpu: 2 } };
      w.apply({ sourceConfig: cpu });
      await w.pass(1);
      w.apply({ sourceConfig: { ...cpu, customURL: 'https://agent.example.com' } });
      await w.pass(900);
      expect(w.condition('Synced')).toBe('False/SemanticsMismatch');
      expect(w.kept().content.sourceConfig).not.toHaveProperty('resource_spec');
      expect(w.message()).toContain('sourceConfig.resourceSpec.cpu');
    },
  );

  scenario(
    'was taken away between a list and our next write, beside a text that the write left out as well: that teaches nothing',
    {
      deployments: [
        { ...FULL, sourceConfig: { resource_spec: { memory_mb: 512, service_account_name: 'theirs' } } },
      ],
      semantics: { patchEcho: 'empty-204' },
    },
    async (w) => {
      const cpu = { resourceSpec: { cpu: 2 } };
      w.apply({ sourceConfig: cpu });
      await w.pass(180);
      w.editAtService('source_config.resource_spec.cpu', 1);
      await w.pass(300);
      w.editAtService('source_config.resource_spec.cpu', null);
      w.apply({ sourceConfig: { ...cpu, customURL: 'https://agent.example.com' } });
      await w.pass(300);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
    },
  );

  scenario(
    'was taken away after a list that had to show our write showed it: that teaches nothing of the service',
    { deployments: [FULL], semantics: { patchEcho: 'pre', trigger: 'on-change' } },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(180);
      w.editAtService('source_config.resource_spec.cpu', null);
      await w.pass(300);
      w.annotate('redeploy', 'one');
      await w.pass(64);
      w.editAtService('source_config.resource_spec.cpu', null);
      await w.pass(300);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
    },
  );

  scenario(
    'was shown by reads of this deployment alone, and is put back',
    {
      deployments: [FULL, { name: 'neighbour' }, { name: 'another' }, { name: 'a-third' }],
      connection: { list: { pageSize: 2 } },
      semantics: { patchEcho: 'empty-202' },
    },
    async (w) => {
      w.apply({});
      await w.pass(66);
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(45);
      w.editAtService('source_config.resource_spec.cpu', null);
      await w.pass(300);
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
    },
  );

  scenario(
    'was emptied by somebody where a revision came with it, and is put back',
    { deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }] },
    async (w) => {
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(600);
      w.editAtService('source_revision_config.image_uri', null);
      await w.pass(300);
      expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:2' });
      expect(w.events.reasons()).toContain('DriftCorrected');
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'was never shown, where the list always shows a resource spec as null: nothing is corrected',
    { semantics: { listShape: ['resource-spec-null'] } },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { volumes: [{ name: 'a' }] } } });
      await w.pass(900);
      expect(w.patches()).toHaveLength(1);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'is empty where lists show it when it is set, and is not emptied again',
    {
      deployments: [{ name: AGENT, sourceConfig: { build_command: 'make' } }],
      semantics: { patchEcho: 'empty-202' },
    },
    async (w) => {
      w.apply({ clear: ['sourceConfig.buildCommand'] });
      await w.pass(900);
      expect(w.patches()).toHaveLength(1);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'was emptied by our write, as its answer shows, and filled by somebody since where no list shows it',
    {
      deployments: [{ name: AGENT, source: 'codehost', revisionConfig: { repo_ref: 'main' } }],
      semantics: { listShape: ['no-revision-block'], listLag: { seconds: 20 } },
      connection: { patch: { bodies: 'Full' } },
    },
    async (w) => {
      const clear = { source: 'codehost', clear: ['sourceRevisionConfig.repoRef'] } as const;
      w.apply({ source: 'codehost' });
      await w.pass(60);
      w.apply(clear);
      await w.pass(200);
      expect(w.patches()).toHaveLength(1);
      w.editAtService('source_revision_config.repo_ref', 'main');
      await w.pass(200);
      w.apply({ ...clear, sourceConfig: { customURL: 'https://agent.example.com' } });
      await w.pass(300);
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});
