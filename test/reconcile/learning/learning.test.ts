import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const HAND_MADE = {
  name: AGENT,
  sourceConfig: { custom_url: 'https://by-hand.example.com', resource_spec: { cpu: 1, memory_mb: 512 } },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};

const REPLACES = {
  topLevelOmit: 'cleared',
  nested: { sourceConfig: 'replace', revisionConfig: 'replace', resourceSpec: 'replace' },
} as const;

const config = (w: World) => w.kept().content.sourceConfig;

describe('a service that empties what a request leaves out', () => {
  scenario(
    'is detected at the first answer, repaired at once, and gets full bodies from then on (N1, N2)',
    { deployments: [HAND_MADE], semantics: REPLACES },
    async (w) => {
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(120);
      expect(config(w)).toMatchObject({
        custom_url: 'https://by-hand.example.com',
        resource_spec: { cpu: 1, memory_mb: 512 },
      });
      expect(w.bodies()).toHaveLength(2);
      expect(w.events.reasons()).toContain('SemanticsMismatch');
      expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Replace');

      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:3' } });
      await w.pass(120);
      expect(w.bodies()).toHaveLength(3);
      expect(w.bodies()[2]).toEqual({
        source_config: {
          custom_url: 'https://by-hand.example.com',
          resource_spec: { cpu: 1, memory_mb: 512 },
        },
        source_revision_config: { image_uri: 'registry.example.com/agent:3' },
      });
    },
  );

  scenario(
    'is not believed to keep values because a list shows them under the revision of a push just before the write',
    {
      deployments: [
        {
          ...HAND_MADE,
          source: 'codehost',
          revisionConfig: { repo_ref: 'main', graph_config_path: 'theirs.json' },
        },
      ],
      semantics: {
        ...{ topLevelOmit: 'cleared', trigger: 'never', listShape: ['empty-source-config'] },
        ...{ patchEcho: 'some-blocks', listLag: { seconds: 10 } },
      },
    },
    async (w) => {
      w.apply({ source: 'codehost', driftPolicy: 'Report' });
      await w.pass(100);
      w.service.act({ kind: 'push', deployment: AGENT, commit: 'c'.repeat(40), build: true });
      await w.pass(8);
      w.apply({ source: 'codehost', sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(2);
      expect(w.kept().content.revisionConfig).toEqual({});
      await w.pass(9);
      expect(w.connectionStatus().learned?.omittedFields).toBeUndefined();
      await w.pass(300);
      expect(w.kept().content.revisionConfig).toMatchObject({ graph_config_path: 'theirs.json' });
    },
  );

  scenario(
    'is not believed to keep values that a person puts back while the answer outranks the list without them',
    {
      deployments: [HAND_MADE],
      semantics: { topLevelOmit: 'cleared', listShape: ['no-commands'], patchEcho: 'partial' },
    },
    async (w) => {
      w.apply({ driftPolicy: 'Report' });
      await w.pass(60);
      w.apply({ sourceConfig: { customURL: 'https://two.example.com', buildCommand: 'make' } });
      await w.pass(2);
      expect(w.kept().content.revisionConfig).toEqual({});
      expect(w.patches()).toHaveLength(1);
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:1');
      await w.pass(300);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Keep');
    },
  );

  scenario(
    'is not believed to keep values because a person sets what a write asked for that a login page answered',
    { deployments: [HAND_MADE], semantics: REPLACES },
    async (w) => {
      w.apply({ driftPolicy: 'Report' });
      await w.pass(60);
      w.fault({ kind: 'wrong-type' }, { match: { operation: 'patch' } });
      w.apply({ sourceConfig: { customURL: 'https://two.example.com' } });
      await w.pass(1);
      expect(w.patches()).toHaveLength(1);
      w.editAtService('source_config.custom_url', 'https://two.example.com');
      await w.pass(300);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.connectionStatus().learned?.omittedFields).toBeUndefined();
      w.apply({ sourceConfig: { customURL: 'https://three.example.com' } });
      await w.pass(300);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Replace');
      expect(config(w)).toMatchObject({ resource_spec: { cpu: 1, memory_mb: 512 } });
    },
  );

  scenario(
    'gets back what the first of two quick writes emptied, although a list shows the state between the two',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: {
            install_command: 'npm ci',
            build_command: 'make',
            resource_spec: { memory_mb: 512, service_account_name: 'theirs' },
          },
          revisionConfig: { image_uri: 'registry.example.com/agent:1' },
        },
      ],
      semantics: {
        nested: { sourceConfig: 'replace' },
        trigger: 'always',
        patchEcho: 'partial',
        listLag: { seconds: 20 },
      },
    },
    async (w) => {
      const resourceSpec = { cpu: 2 };
      w.apply({ driftPolicy: 'Report' });
      await w.pass(60);
      w.apply({ sourceConfig: { buildCommand: 'make two', resourceSpec } });
      await w.pass(15);
      expect(w.kept().content.sourceConfig).not.toHaveProperty('install_command');
      w.apply({
        sourceConfig: { buildCommand: 'make two', resourceSpec, customURL: 'https://two.example.com' },
      });
      await w.pass(4);
      expect(w.patches()).toHaveLength(2);
      await w.pass(400);
      expect(w.kept().content.sourceConfig).toMatchObject({
        install_command: 'npm ci',
        build_command: 'make two',
        custom_url: 'https://two.example.com',
        resource_spec: { memory_mb: 512, service_account_name: 'theirs', cpu: 2 },
      });
    },
  );

  scenario(
    'gets no write that would lose unrecoverable secrets, until a person decides',
    {
      deployments: [
        { ...HAND_MADE, name: 'first' },
        { ...HAND_MADE, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] },
      ],
      semantics: { ...REPLACES, secretsEcho: 'stars' },
    },
    async (w) => {
      const spec = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } };
      w.apply(spec, 'first');
      await w.pass(120);
      const learnedFrom = w.bodies().length;
      w.apply(spec);
      await w.pass(120);
      expect(w.bodies()).toHaveLength(learnedFrom);
      expect(w.state()).toBe('False/SemanticsMismatch False/SemanticsMismatch');
      expect(w.message()).toContain('BY_HAND');
      w.connect({ patch: { bodies: 'Partial' } });
      await w.pass(120);
      expect(w.bodies()).toHaveLength(learnedFrom + 1);
    },
  );
});

describe('a service that keeps fields left out of a request', () => {
  scenario(
    'is known as such after the first write, for which the others waited',
    { deployments: ['a', 'b', 'c'].map((name) => ({ ...HAND_MADE, name })) },
    async (w) => {
      for (const name of ['a', 'b', 'c']) {
        w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } }, name);
      }
      await w.pass(5);
      const calls = w.service.log.requests().map(({ operation }) => operation);
      const first = calls.indexOf('patch');
      expect(calls.slice(first), 'a look comes before the others').toEqual([
        'patch',
        'list',
        'patch',
        'patch',
      ]);
      await w.pass(60);
      expect(w.bodies()).toHaveLength(3);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Keep');
    },
  );

  for (const patchEcho of ['empty-202', 'empty-204'] as const)
    scenario(
      `is known as such even if its answers show nothing (${patchEcho})`,
      { deployments: [HAND_MADE], semantics: { patchEcho } },
      async (w) => {
        w.apply({ sourceConfig: { customURL: 'https://two.example.com' } });
        await w.pass(120);
        expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Keep');
      },
    );
});

describe('unmanaged secrets', () => {
  scenario(
    'are not believed to be shown as they are before a value of ours came back (H3)',
    {
      deployments: [{ name: AGENT, secrets: [{ name: 'THEIRS', value: 'value-of-theirs' }] }],
      semantics: { secretsEcho: 'plain' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'value-of-ours' });
      const OURS = [{ name: 'OURS', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }];
      w.apply({ secretsOwnership: 'Merge', secrets: OURS });
      await w.pass(60);
      expect(w.state()).toContain('SecretVisibilityUnproven');
    },
  );
});

describe('the learned behaviour of a service', () => {
  const OURS = '11111111-1111-4111-8111-111111111111';
  const THEIRS = '22222222-2222-4222-8222-222222222222';
  const tenantHeader = (value: string) => ({ headers: [{ name: 'X-Tenant-Id', value }] });

  scenario(
    'is discarded when the tenant changes, and stays so after a restart',
    {
      deployments: [
        { ...HAND_MADE, tenantID: OURS },
        { ...HAND_MADE, name: 'theirs', tenantID: THEIRS },
      ],
      semantics: { ...REPLACES, auth: { kind: 'tenant-header', name: 'X-Tenant-Id' } },
      connection: tenantHeader(OURS),
    },
    async (w) => {
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(120);
      expect(w.connectionStatus().learned).toMatchObject({
        tenantID: OURS,
        omittedFields: { verdict: 'Replace' },
      });
      // The resource bound in the first tenant keeps the connection from using another tenant (R14).
      w.store.remove(keyOf(AGENT));
      await w.pass(10);
      w.connect(tenantHeader(THEIRS));
      await w.pass(120);
      expect(w.connectionStatus().learned).toEqual({ tenantID: THEIRS });
      w.restart();
      await w.pass(120);
      expect(w.connectionStatus().learned).toEqual({ tenantID: THEIRS });
    },
  );
});

describe('a service that rejects nulls', () => {
  scenario(
    'is known as such by the refusal of a request that only empties (N5)',
    { deployments: [HAND_MADE], semantics: { nested: { sourceConfig: 'merge-null-rejected' } } },
    async (w) => {
      w.apply({ clear: ['sourceConfig.customURL'] });
      await w.pass(120);
      expect(w.connectionStatus().learned?.nulls?.verdict).toBe('Rejected');
      expect(w.condition('Synced')).toBe('False/Rejected');
    },
  );
});

describe('a key of a resource spec that is sent unchanged', () => {
  scenario('and is missing afterwards is reported by name (N4)', { deployments: [HAND_MADE] }, async (w) => {
    w.moments.leaving = ({ method }) => {
      if (method !== 'PATCH') return;
      w.become({ fieldRules: { 'source_config.resource_spec.memory_mb': 'hidden' } });
    };
    w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
    await w.pass(180);
    expect(w.patches()).toHaveLength(1);
    const told = w.events.all.find(({ event }) => event.reason === 'SemanticsMismatch');
    expect(told?.event.message).toContain('sourceConfig.resourceSpec.memoryMB');
  });
});
