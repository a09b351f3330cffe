import { describe, expect } from 'vitest';
import { SWITCHES } from '../../../src/simulator/switches/switches.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const HAND_MADE = {
  name: AGENT,
  sourceConfig: { custom_url: 'https://by-hand.example.com', resource_spec: { cpu: 1, memory_mb: 512 } },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const image = (tag: number) => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
});
const LAGS = [{ seconds: 20 }, { reads: 2 }] as const;

const config = (w: World): unknown => w.kept().content.sourceConfig;

describe('a service that empties fields left out of a request, behind a list that lags', () => {
  for (const patchEcho of SWITCHES.patchEcho.values) {
    for (const listLag of LAGS) {
      scenario(
        `is detected and repaired with answers of ${patchEcho} and a lag of ${JSON.stringify(listLag)} (N1, H31)`,
        { deployments: [HAND_MADE], semantics: { topLevelOmit: 'cleared', patchEcho, listLag } },
        async (w) => {
          w.apply(image(2));
          await w.pass(400);
          expect(config(w)).toEqual(HAND_MADE.sourceConfig);
          expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:2' });
          expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Replace');
          expect(w.events.reasons()).toContain('SemanticsMismatch');
          expect(w.state()).toBe('True/InSync True/Active');
        },
      );
    }

    scenario(
      `keeps the secrets of a resource through a rotation if a PATCH answers with ${patchEcho} (N1)`,
      {
        deployments: [HAND_MADE],
        semantics: { topLevelOmit: 'cleared', patchEcho, listLag: { seconds: 20 }, secretsEcho: 'stars' },
      },
      async (w) => {
        w.putSecret('agent-secrets', { token: 'the-first-token-value' });
        const secrets = [
          { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } },
        ];
        w.apply({ ...image(2), secretsOwnership: 'Exclusive', secrets });
        await w.pass(400);
        w.putSecret('agent-secrets', { token: 'the-second-token-value' });
        await w.pass(400);
        expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: 'the-second-token-value' }]);
        expect(config(w)).toEqual(HAND_MADE.sourceConfig);
        expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:2' });
        expect(w.patches().length).toBeLessThanOrEqual(4);
      },
    );
  }
});

describe('a service that keeps fields left out of a request, behind a list that lags', () => {
  for (const patchEcho of SWITCHES.patchEcho.values) {
    scenario(
      `is known as such once a list shows the write, if a PATCH answers with ${patchEcho} (N30)`,
      { deployments: [HAND_MADE], semantics: { patchEcho, listLag: { seconds: 20 } } },
      async (w) => {
        w.apply(image(2));
        await w.pass(15);
        expect(w.connectionStatus().learned?.omittedFields).toBeUndefined();
        await w.pass(120);
        expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Keep');
        expect(w.patches()).toHaveLength(1);
      },
    );
  }
});

scenario(
  'a field that a write emptied is restored if the list lags longer than the window (N1, N30)',
  {
    deployments: [HAND_MADE],
    semantics: { topLevelOmit: 'cleared', patchEcho: 'post', listLag: { seconds: 100 } },
  },
  async (w) => {
    w.apply({ ...image(2), driftPolicy: 'Report' });
    await w.pass(600);
    expect(config(w)).toEqual(HAND_MADE.sourceConfig);
    expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:2' });
    expect(w.resource().status?.lost, 'nothing stays told as lost').toBeUndefined();
  },
);

scenario(
  'a field that a write emptied is restored if a list shows only the revision of an earlier push (N30)',
  {
    deployments: [
      {
        name: AGENT,
        source: 'codehost',
        sourceConfig: {
          repo_url: 'https://code.example.com/agent',
          install_command: 'npm ci',
          resource_spec: { memory_mb: 512 },
        },
        revisionConfig: { repo_ref: 'main' },
      },
    ],
    semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'some-blocks', listLag: { reads: 2 } },
  },
  async (w) => {
    w.apply({ source: 'codehost' });
    await w.pass(120);
    w.service.act({ kind: 'push', deployment: AGENT, commit: 'c'.repeat(40), build: true });
    w.apply({ source: 'codehost', sourceConfig: { resourceSpec: { cpu: 2 } } });
    await w.pass(300);
    expect(config(w)).toMatchObject({
      repo_url: 'https://code.example.com/agent',
      install_command: 'npm ci',
      resource_spec: { cpu: 2, memory_mb: 512 },
    });
    expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Replace');
  },
);

scenario(
  'a late list with the revision of an earlier edit does not prove a later one of a resource spec that lists hide (N30)',
  {
    deployments: [
      {
        name: AGENT,
        sourceConfig: { resource_spec: { cpu: 1 } },
        revisionConfig: { image_uri: 'r.example.com/agent:1' },
      },
    ],
    semantics: {
      trigger: 'always',
      patchEcho: 'partial',
      listShape: ['resource-spec-null'],
      listLag: { seconds: 25 },
    },
  },
  async (w) => {
    const cpu = (value: number) => ({ sourceConfig: { resourceSpec: { cpu: value } } });
    w.apply({});
    await w.pass(100);
    w.apply(cpu(2));
    await w.pass(20);
    w.fault({ kind: 'hang' }, { match: { operation: 'patch' } });
    w.apply(cpu(3));
    await w.pass(300);
    expect(w.kept().content.sourceConfig).toMatchObject({ resource_spec: { cpu: 3 } });
    expect(w.condition('Synced')).toBe('True/InSync');
  },
);

for (const kind of ['hang', 'reset-before'] as const)
  scenario(
    `a late list with the revision of an earlier edit does not prove secrets that it masks, after a request that was lost (${kind}, N30)`,
    {
      deployments: [HAND_MADE],
      semantics: {
        trigger: 'always',
        patchEcho: 'partial',
        secretsEcho: 'stars',
        listLag: { seconds: 25 },
      },
    },
    async (w) => {
      const token = (value: string) => ({
        secretsOwnership: 'Exclusive' as const,
        secrets: [{ name: 'TOKEN', value }],
      });
      w.apply(token('first-value-of-the-token'));
      await w.pass(200);
      const sourceConfig = { customURL: 'https://ours.example.com' };
      w.apply({ ...token('first-value-of-the-token'), sourceConfig });
      await w.pass(20);
      w.fault({ kind }, { match: { operation: 'patch' } });
      w.apply({ ...token('second-value-of-the-token'), sourceConfig });
      await w.pass(400);
      expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: 'second-value-of-the-token' }]);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

describe('behind lists that lag by two reads instead of a time', () => {
  const given = {
    deployments: [HAND_MADE],
    semantics: { trigger: 'always', listLag: { reads: 2 } },
  } as const;

  for (const patchEcho of ['partial', 'sent-only'] as const)
    scenario(
      `an edit whose answer is ${patchEcho} is sent once, since the window has a read in its middle (N30)`,
      { ...given, semantics: { ...given.semantics, patchEcho } },
      async (w) => {
        w.apply(image(1));
        await w.pass(200);
        w.apply(image(2));
        await w.pass(600);
        expect(w.patches()).toHaveLength(1);
        expect(w.condition('Synced')).toBe('True/InSync');
      },
    );

  for (const how of ['reset', 504] as const)
    scenario(
      `a redeploy that the service carries out after its answer (${how}) is sent once (N30)`,
      given,
      async (w) => {
        w.apply(image(1));
        await w.pass(200);
        w.fault({ kind: 'fail-then-apply-late', how, afterMs: 25_000 }, { match: { operation: 'patch' } });
        w.annotate('redeploy', 'one');
        await w.pass(600);
        expect(w.revisionsMade()).toBe(1);
        expect(w.condition('Synced')).toBe('True/InSync');
      },
    );
});
