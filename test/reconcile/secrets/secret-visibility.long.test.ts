import { describe, expect } from 'vitest';
import type { SecretsEcho } from '../../../src/simulator/switches/semantics.ts';
import { SWITCHES } from '../../../src/simulator/switches/switches.ts';
import { scenario } from '../support/scenario.ts';
import { listsShow } from '../support/shaped-answers.ts';
import { AGENT, type World } from '../support/world.ts';

const FIRST = 'the-first-token-value';
const SECOND = 'the-second-token-value';
const token = (name: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } },
});
const TOKEN = [token('API_TOKEN')];
const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };
const API_B = { name: 'API_B', value: 'set-by-hand-value' };
const WITH_B = { name: AGENT, secrets: [API_B] };

const kept = (w: World): unknown => w.kept().content.secrets;

/** Answers to a PATCH show secrets in another form than lists do. */
function answersShow(w: World, inAnswers: SecretsEcho, inLists: SecretsEcho): void {
  w.moments.leaving = ({ method }) => {
    if (method === 'PATCH') w.become({ secretsEcho: inAnswers });
  };
  w.moments.arriving = ({ method }) => {
    if (method === 'PATCH') w.become({ secretsEcho: inLists });
  };
}

/** Gives another deployment of the connection a secret, which reveals the form in which values come back. */
async function proven(w: World): Promise<void> {
  w.putSecret('agent-secrets', { token: FIRST });
  w.apply({ secretsOwnership: 'Exclusive', secrets: TOKEN }, 'first');
  await w.pass(180);
}

describe('the form in which secrets are shown', () => {
  const verdicts = { plain: 'Plain', 'names-only': 'NamesOnly', omitted: 'Omitted' };
  for (const secretsEcho of SWITCHES.secretsEcho.values) {
    scenario(
      `is learned if it is ${secretsEcho} (H14, N37)`,
      { deployments: [{ name: AGENT }, SEEN], semantics: { secretsEcho } },
      async (w) => {
        w.putSecret('agent-secrets', { token: FIRST });
        w.apply({ secretsOwnership: 'Exclusive', secrets: TOKEN });
        await w.pass(180);
        const verdict = secretsEcho in verdicts ? verdicts[secretsEcho as keyof typeof verdicts] : 'Masked';
        expect(w.connectionStatus().learned?.secretsVisibility?.verdict).toBe(verdict);
      },
    );
  }

  scenario(
    'is not derived from a list that is older than the write, if lists show secrets of any deployment',
    {
      deployments: [{ name: AGENT }, SEEN],
      semantics: { listLag: { seconds: 20 }, revisionFor: 'revision-config' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      w.apply({});
      await w.pass(60);
      // The answer to the write shows the revision of this edit, and so does the first list.
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:2');
      await w.pass(12);
      w.apply({ secretsOwnership: 'Exclusive', secrets: TOKEN });
      await w.pass(50);
      expect(w.connectionStatus().learned?.secretsVisibility?.verdict).not.toBe('Omitted');
      await w.pass(180);
      expect(w.connectionStatus().learned?.secretsVisibility?.verdict).not.toBe('Omitted');
      w.putSecret('agent-secrets', { token: SECOND });
      await w.pass(180);
      expect(w.connectionStatus().learned?.secretsVisibility?.verdict).toBe('Plain');
    },
  );

  scenario(
    'is learned after the window if lists show secrets of another deployment and none of this one',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      listsShow(w, (shown) => {
        if (shown.name === AGENT) shown.secrets = [];
      });
      w.putSecret('agent-secrets', { token: FIRST });
      w.apply({ secretsOwnership: 'Exclusive', secrets: TOKEN });
      await w.pass(240);
      expect(w.connectionStatus().learned?.secretsVisibility?.verdict).toBe('Omitted');
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is not derived from lists after somebody removed the secret, if lists show secrets of another deployment',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      w.apply({ driftPolicy: 'Report' });
      await w.pass(60);
      w.apply({ driftPolicy: 'Report', secrets: TOKEN });
      while (w.patches().length < 1) await w.pass(1);
      w.editAtService('secrets.API_TOKEN', null);
      await w.pass(300);
      expect(w.connectionStatus().learned?.secretsVisibility).toBeUndefined();
      expect(w.state()).toBe('False/DriftReported True/Active');
      expect(w.patches()).toHaveLength(1);
    },
  );

  scenario(
    'is learned from the next value if lists show no secrets of this deployment, and somebody made a revision after the first',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      listsShow(w, (shown) => {
        if (shown.name === AGENT) shown.secrets = [];
      });
      w.putSecret('agent-secrets', { token: FIRST });
      w.apply({ secretsOwnership: 'Exclusive', secrets: TOKEN });
      w.moments.arriving = ({ method }) => {
        if (method !== 'PATCH' || w.patches().length > 1) return;
        w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:2');
      };
      await w.pass(300);
      expect(w.connectionStatus().learned?.secretsVisibility).toBeUndefined();
      expect(w.patches()).toHaveLength(2);
      w.putSecret('agent-secrets', { token: SECOND });
      await w.pass(300);
      expect(w.connectionStatus().learned?.secretsVisibility?.verdict).toBe('Omitted');
      expect(w.patches()).toHaveLength(3);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is learned from the second value if lists show no secrets of this deployment and each revision late',
    { deployments: [{ name: AGENT }, SEEN], semantics: { trigger: 'delayed', triggerDelaySeconds: 10 } },
    async (w) => {
      listsShow(w, (shown) => {
        if (shown.name === AGENT) shown.secrets = [];
      });
      w.putSecret('agent-secrets', { token: FIRST });
      w.apply({ driftPolicy: 'Report', secrets: TOKEN });
      await w.pass(400);
      expect(w.connectionStatus().learned?.secretsVisibility).toBeUndefined();
      w.putSecret('agent-secrets', { token: SECOND });
      await w.pass(600);
      expect(w.connectionStatus().learned?.secretsVisibility?.verdict).toBe('Omitted');
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  for (const inLists of ['stars', 'partial', 'digest', 'empty', 'null'] as const) {
    scenario(
      `is not derived from an answer if lists show ${inLists} (H13)`,
      { deployments: [{ name: AGENT }, SEEN], semantics: { secretsEcho: inLists } },
      async (w) => {
        answersShow(w, 'plain', inLists);
        w.putSecret('agent-secrets', { token: FIRST });
        w.apply({ secretsOwnership: 'Exclusive', secrets: TOKEN });
        await w.pass(600);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.patches()).toHaveLength(1);
      },
    );
  }
});

describe('a service that begins to mask', () => {
  for (const secretsEcho of ['stars', 'partial', 'digest', 'empty', 'null', 'omitted'] as const) {
    scenario(
      `by ${secretsEcho} causes no request, on any deployment (H13)`,
      { deployments: [{ name: AGENT }, { name: 'first' }, SEEN] },
      async (w) => {
        await proven(w);
        w.apply({ secretsOwnership: 'Exclusive', secrets: [...TOKEN, token('SAME_VALUE')] });
        await w.pass(180);
        expect(w.patches()).toHaveLength(2);
        w.become({ secretsEcho });
        await w.pass(900);
        expect(w.patches().length).toBeLessThanOrEqual(secretsEcho === 'omitted' ? 4 : 2);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.state('first')).toBe('True/InSync True/Active');
      },
    );
  }
});

describe('a shown value that differs from the sent one', () => {
  scenario('is drift, and corrected once (H16)', { deployments: [{ name: AGENT }, SEEN] }, async (w) => {
    w.putSecret('agent-secrets', { token: FIRST });
    w.apply({ secretsOwnership: 'Exclusive', secrets: TOKEN });
    await w.pass(120);
    w.secretTexts.add('changed-by-hand-there');
    w.editAtService('secrets.API_TOKEN', 'changed-by-hand-there');
    await w.pass(180);
    expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: FIRST }]);
    expect(w.patches()).toHaveLength(2);
    expect(w.events.reasons()).toContain('DriftCorrected');
  });
});

describe('unmanaged secrets under Merge', () => {
  scenario(
    'go back with ours once values were seen to be shown as they are (H3)',
    { deployments: [{ name: 'first' }, WITH_B] },
    async (w) => {
      await proven(w);
      w.apply({ secretsOwnership: 'Merge', secrets: TOKEN });
      await w.pass(120);
      expect(w.bodies()[1]).toEqual({ secrets: [API_B, { name: 'API_TOKEN', value: FIRST }] });
      expect(w.state()).toBe('True/InSync True/Active');
      w.putSecret('agent-secrets', { token: SECOND });
      await w.pass(120);
      expect(kept(w)).toEqual([API_B, { name: 'API_TOKEN', value: SECOND }]);
    },
  );

  for (const inLists of ['stars', 'partial', 'names-only'] as const) {
    scenario(
      `are never sent back as ${inLists}, even if answers show them (H3)`,
      { deployments: [{ name: 'first' }, WITH_B], semantics: { secretsEcho: inLists } },
      async (w) => {
        answersShow(w, 'plain', inLists);
        await proven(w);
        w.apply({ secretsOwnership: 'Merge', secrets: TOKEN });
        await w.pass(180);
        expect(kept(w)).toEqual([API_B]);
        expect(w.condition('Synced'), 'they are known to be masked').toBe('False/UnmanagedSecretsPresent');
      },
    );
  }

  scenario(
    'are not sent back as a mask by a rotation after the service began to mask (H3)',
    { deployments: [{ name: 'first' }, WITH_B] },
    async (w) => {
      await proven(w);
      w.apply({ secretsOwnership: 'Merge', secrets: TOKEN });
      await w.pass(180);
      w.become({ secretsEcho: 'partial' });
      w.putSecret('agent-secrets', { token: SECOND });
      await w.pass(180);
      expect(kept(w)).toEqual([API_B, { name: 'API_TOKEN', value: FIRST }]);
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
    },
  );
});

describe('a rotation', () => {
  scenario(
    'that is shown in plain text is proven, if its answer shows nothing and secrets make no revision',
    {
      deployments: [{ name: AGENT }, SEEN],
      semantics: { patchEcho: 'empty-204', revisionFor: 'revision-config' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      w.apply({ secretsOwnership: 'Exclusive', secrets: TOKEN });
      await w.pass(180);
      expect(w.state()).toBe('True/InSync True/Active');
      w.putSecret('agent-secrets', { token: SECOND });
      await w.pass(180);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(2);
    },
  );
});
