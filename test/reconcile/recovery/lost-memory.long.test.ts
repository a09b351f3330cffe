import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const GIVEN = {
  deployments: [
    {
      name: AGENT,
      sourceConfig: { custom_url: 'https://a.example.com' },
      revisionConfig: { image_uri: 'registry.example.com/agent:1' },
    },
    { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] },
  ],
  semantics: { secretsEcho: 'stars' },
} as const;

const SPEC = {
  sourceConfig: { customURL: 'https://a.example.com', buildCommand: 'make' },
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
  secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }],
};

async function rest(w: World): Promise<void> {
  w.putSecret('agent-secrets', { token: 'the-first-token-value' });
  w.apply(SPEC);
  await w.pass(90);
  expect(w.state()).toBe('True/InSync True/Active');
}

describe('a conflict', () => {
  scenario(
    'with a client that edits labels between announcement and record loses no record (H54)',
    GIVEN,
    async (w) => {
      let edits = 0;
      w.moments.arriving = ({ method }) => {
        if (method !== 'PATCH') return;
        edits += 1;
        w.store.edit(keyOf(AGENT), (resource) => ({
          ...resource,
          metadata: { ...resource.metadata, labels: { edited: String(edits) } },
        }));
      };
      await rest(w);
      expect(edits).toBe(1);
      expect(w.patches()).toHaveLength(1);
      expect(w.status().lastPatch?.outcome).toBe('Applied');
    },
  );

  scenario(
    'with a client that writes the status meanwhile loses no record either (H54)',
    GIVEN,
    async (w) => {
      w.moments.arriving = ({ method }) => {
        if (method === 'PATCH') w.store.overwriteStatus(keyOf(AGENT), { imageVersion: 'by another' });
      };
      await rest(w);
      expect(w.patches()).toHaveLength(1);
      expect(w.status().lastPatch?.outcome).toBe('Applied');
      expect(w.status().pendingWrite).toBeUndefined();
    },
  );

  scenario(
    'with an edit of the spec during the PATCH sends the edit next, and nothing twice',
    GIVEN,
    async (w) => {
      let once = true;
      w.moments.arriving = ({ method }) => {
        if (method !== 'PATCH' || !once) return;
        once = false;
        w.apply({ ...SPEC, sourceConfig: { ...SPEC.sourceConfig, buildCommand: 'make all' } });
      };
      await rest(w);
      expect(w.bodies()).toHaveLength(2);
      expect(w.bodies()[1]).toEqual({ source_config: { build_command: 'make all' } });
    },
  );

  scenario('before the announcement sends nothing: the plan is made again', GIVEN, async (w) => {
    let once = true;
    w.hooks.before = ({ operation }) => {
      if (operation !== 'announce' || !once) return;
      once = false;
      w.apply({ ...SPEC, sourceConfig: { ...SPEC.sourceConfig, buildCommand: 'make all' } });
    };
    await rest(w);
    expect(w.bodies()).toHaveLength(1);
    expect(w.bodies()[0]).toMatchObject({ source_config: { build_command: 'make all' } });
  });

  scenario('of two processes that both believe they are the leader makes one PATCH', GIVEN, async (w) => {
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    w.start();
    await w.pass(5);
    w.apply(SPEC);
    await w.pass(120);
    expect(w.patches()).toHaveLength(1);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});

describe('a lost status', () => {
  scenario(
    'binds again and adopts equal values; masked secrets and hidden fields are sent once (H45)',
    GIVEN,
    async (w) => {
      await rest(w);
      w.become({ fieldRules: { 'source_config.build_command': 'hidden' } });
      w.store.overwriteStatus(keyOf(AGENT), undefined);
      w.restart();
      await w.pass(120);
      expect(w.bodies().slice(1)).toEqual([
        {
          source_config: { build_command: 'make' },
          secrets: [{ name: 'API_TOKEN', value: 'the-first-token-value' }],
        },
      ]);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.revisionsMade(), 'nothing changed, so nothing was built').toBe(1);
    },
  );

  scenario('does not repeat an earlier redeploy (H57)', GIVEN, async (w) => {
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    w.apply(SPEC, AGENT, { 'dms-operator.dev/redeploy': 'long ago' });
    await w.pass(120);
    expect(w.patches()).toHaveLength(1);
    w.store.overwriteStatus(keyOf(AGENT), undefined);
    w.restart();
    await w.pass(120);
    expect(w.bodies().slice(1)).toEqual([
      { secrets: [{ name: 'API_TOKEN', value: 'the-first-token-value' }] },
    ]);
    expect(w.status().lastHandledRedeploy).toBe('long ago');
  });

  scenario('with only its conditions left binds again', GIVEN, async (w) => {
    await rest(w);
    const { conditions = [] } = w.status();
    w.store.overwriteStatus(keyOf(AGENT), { conditions });
    w.restart();
    await w.pass(120);
    expect(w.status()).toMatchObject({ deploymentID: w.kept().id, observedGeneration: 1 });
    expect(w.state()).toBe('True/InSync True/Active');
  });
});

describe('a lost digest key', () => {
  scenario('sends nothing, and digests everything again (H56)', GIVEN, async (w) => {
    await rest(w);
    w.kill();
    w.loseDigestKey();
    const [writes, key] = [w.statusWrites.length, w.status().applied?.key];
    w.start();
    await w.pass(120);
    expect(w.patches()).toHaveLength(1);
    expect(w.statusStory(writes)).toEqual(['saveStatus InSync Active']);
    expect(w.status().applied?.key).not.toBe(key);
    w.putSecret('agent-secrets', { token: 'the-second-token-value' });
    w.apply({ ...SPEC, sourceConfig: { customURL: 'https://b.example.com', buildCommand: 'make' } });
    await w.pass(120);
    expect(w.kept().content).toMatchObject({
      sourceConfig: { custom_url: 'https://b.example.com' },
      secrets: [{ name: 'API_TOKEN', value: 'the-second-token-value' }],
    });
  });

  for (const [what, spec, reason] of [
    ['is only watched', { managementPolicy: 'Observe' }, 'Differs'],
    ['waits for approval', { approval: 'Manual' }, 'AwaitingApproval'],
  ] as const) {
    scenario(`does not count an edit as applied that ${what} (H56)`, GIVEN, async (w) => {
      await rest(w);
      w.apply({
        ...SPEC,
        ...spec,
        sourceConfig: { customURL: 'https://b.example.com', buildCommand: 'make' },
      });
      await w.pass(90);
      expect(w.condition('Synced')).toBe(`False/${reason}`);
      w.kill();
      w.loseDigestKey();
      w.start();
      await w.pass(120);
      expect(w.condition('Synced')).toBe(`False/${reason}`);
    });
  }

  scenario('with a rotation at the same time sends the secrets', GIVEN, async (w) => {
    await rest(w);
    w.kill();
    w.loseDigestKey();
    w.putSecret('agent-secrets', { token: 'the-second-token-value' });
    w.start();
    await w.pass(120);
    expect(w.bodies().slice(1)).toEqual([
      { secrets: [{ name: 'API_TOKEN', value: 'the-second-token-value' }] },
    ]);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('with drift at the service at the same time keeps the current state', GIVEN, async (w) => {
    await rest(w);
    w.kill();
    w.loseDigestKey();
    w.start();
    await w.pass(60);
    w.editAtService('source_config.custom_url', 'https://theirs.example.com');
    await w.pass(150);
    expect(w.kept().content.sourceConfig['custom_url']).toBe('https://a.example.com');
    expect(w.patches()).toHaveLength(2);
  });
});
