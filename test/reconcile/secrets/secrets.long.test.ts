import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { SWITCHES } from '../../../src/simulator/switches/switches.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const from = (key: string, optional?: boolean) => ({
  valueFrom: {
    secretKeyRef: { name: 'agent-secrets', key, ...(optional === undefined ? {} : { optional }) },
  },
});
const TOKEN = [{ name: 'API_TOKEN', ...from('token') }];
const FIRST = 'the-first-token-value';
const SECOND = 'the-second-token-value';

/** A deployment with one unmanaged secret, which proves that lists show secrets. */
const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };

const managed = (w: World, spec: Partial<DeploymentSpec> = {}): void => {
  w.apply({ secretsOwnership: 'Exclusive', secrets: TOKEN, ...spec });
};

const kept = (w: World): unknown => w.kept().content.secrets;

describe('secrets', () => {
  for (const echo of SWITCHES.secretsEcho.values) {
    scenario(
      `shown as ${echo} are sent once, once more after a rotation, and not again by a restart (H13-H16)`,
      { deployments: [{ name: AGENT }, SEEN], semantics: { secretsEcho: echo } },
      async (w) => {
        w.putSecret('agent-secrets', { token: FIRST });
        managed(w);
        await w.pass(90);
        expect(w.state()).toBe('True/InSync True/Active');
        w.putSecret('agent-secrets', { token: FIRST, unrelated: 'some-other-entry' });
        await w.pass(90);
        expect(w.bodies()).toEqual([{ secrets: [{ name: 'API_TOKEN', value: FIRST }] }]);
        w.putSecret('agent-secrets', { token: SECOND });
        await w.pass(90);
        w.restart();
        await w.pass(90);
        expect(w.bodies().slice(1)).toEqual([{ secrets: [{ name: 'API_TOKEN', value: SECOND }] }]);
        expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: SECOND }]);
        expect(w.revisionsMade()).toBe(2);
        expect(w.events.reasons()).toContain('SecretsRotated');
        expect(w.metrics.count('patched Connection/team-a/default secret applied')).toBe(1);
      },
    );
  }

  scenario('are sent as a whole set, sorted by name', { deployments: [{ name: AGENT }, SEEN] }, async (w) => {
    w.putSecret('agent-secrets', { token: FIRST, zebra: 'stripes-and-stripes' });
    w.putSecret('agent-env', { REGION: 'eu-central-number-1', token: 'another-token-there' });
    managed(w, {
      secrets: [{ name: 'ZEBRA', ...from('zebra') }, ...TOKEN],
      secretsFrom: [{ secretRef: { name: 'agent-env' }, prefix: 'ENV_' }],
    });
    await w.pass(60);
    const set = [
      { name: 'API_TOKEN', value: FIRST },
      { name: 'ENV_REGION', value: 'eu-central-number-1' },
      { name: 'ENV_token', value: 'another-token-there' },
      { name: 'ZEBRA', value: 'stripes-and-stripes' },
    ];
    expect(w.bodies()).toEqual([{ secrets: set }]);
    w.putSecret('agent-env', { REGION: 'eu-central-number-2', token: 'another-token-there' });
    await w.pass(60);
    expect(w.bodies()[1]).toEqual({
      secrets: set.with(1, { name: 'ENV_REGION', value: 'eu-central-number-2' }),
    });
  });

  scenario(
    'that nobody here manages guard the list; other blocks continue, and Exclusive is the way out (H3)',
    { deployments: [{ name: AGENT, secrets: [{ name: 'API_B', value: 'set-by-hand-value' }] }] },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      const spec = { secrets: TOKEN, sourceConfig: { customURL: 'https://a.example.com' } };
      w.apply(spec);
      await w.pass(60);
      expect(w.state()).toBe('False/UnmanagedSecretsPresent False/UnmanagedSecretsPresent');
      expect(w.message()).toContain('API_B');
      expect(w.bodies()).toEqual([{ source_config: { custom_url: 'https://a.example.com' } }]);
      w.apply({ ...spec, secretsOwnership: 'Exclusive' });
      await w.pass(60);
      expect(w.bodies()[1]).toEqual({ secrets: [{ name: 'API_TOKEN', value: FIRST }] });
      expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: FIRST }]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'added at the service just before are detected by the guard (H3)',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      w.apply({ secrets: TOKEN });
      await w.pass(100);
      w.editAtService('secrets.ADDED', 'added-by-hand-just-now');
      w.secretTexts.add('added-by-hand-just-now');
      await w.pass(1);
      w.putSecret('agent-secrets', { token: SECOND });
      await w.pass(60);
      expect(w.patches()).toHaveLength(1);
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
      expect(kept(w)).toEqual([
        { name: 'API_TOKEN', value: FIRST },
        { name: 'ADDED', value: 'added-by-hand-just-now' },
      ]);
    },
  );

  scenario('in a first list that is empty are not proven before a list has shown any (H3)', {}, async (w) => {
    w.putSecret('agent-secrets', { token: FIRST });
    w.apply({ secrets: TOKEN });
    await w.pass(60);
    expect(w.state()).toBe('False/SecretVisibilityUnproven False/SecretVisibilityUnproven');
    expect(w.bodies()).toEqual([]);
  });

  scenario(
    'held in Merge are never written back as the mask they are shown as (H3)',
    {
      deployments: [{ name: AGENT, secrets: [{ name: 'API_B', value: 'set-by-hand-value' }] }],
      semantics: { secretsEcho: 'stars' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      w.apply({ secrets: TOKEN, secretsOwnership: 'Merge' });
      await w.pass(60);
      expect(w.state()).toBe('False/SecretVisibilityUnproven False/SecretVisibilityUnproven');
      expect(w.bodies()).toEqual([]);
    },
  );

  scenario(
    'with a missing source send nothing at all, other blocks continue, and one PATCH follows within a second (H19)',
    { deployments: [{ name: AGENT, secrets: [{ name: 'API_TOKEN', value: 'set-by-hand-value' }] }] },
    async (w) => {
      w.putSecret('agent-other', { key: 'value-that-is-there' });
      w.apply({
        secrets: [
          ...TOKEN,
          { name: 'HERE', valueFrom: { secretKeyRef: { name: 'agent-other', key: 'key' } } },
        ],
        sourceConfig: { customURL: 'https://a.example.com' },
      });
      await w.pass(60);
      expect(w.state()).toBe('False/SecretMissing False/SecretMissing');
      expect(w.message()).toContain('Secret agent-secrets');
      expect(w.bodies()).toEqual([{ source_config: { custom_url: 'https://a.example.com' } }]);
      w.putSecret('agent-secrets', { 'another-key': 'of-no-interest' });
      await w.pass(5);
      expect(w.message()).toContain('key token of Secret agent-secrets');
      w.putSecret('agent-secrets', { token: FIRST });
      await w.pass(1);
      expect(w.bodies().slice(1)).toEqual([
        {
          secrets: [
            { name: 'API_TOKEN', value: FIRST },
            { name: 'HERE', value: 'value-that-is-there' },
          ],
        },
      ]);
      await w.pass(60);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'whose Secret is deleted later stay at the service (H20)',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      managed(w);
      await w.pass(60);
      w.removeSecret('agent-secrets');
      await w.pass(60);
      expect(w.state()).toBe('False/SecretMissing False/SecretMissing');
      expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: FIRST }]);
      w.putSecret('agent-secrets', { token: FIRST });
      await w.pass(60);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'that are optional and absent are omitted, and are added when they appear',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      managed(w, { secrets: [...TOKEN, { name: 'MAYBE', ...from('maybe', true) }] });
      await w.pass(60);
      w.putSecret('agent-secrets', { token: FIRST, maybe: 'now-it-is-there' });
      await w.pass(60);
      expect(w.bodies()).toEqual([
        { secrets: [{ name: 'API_TOKEN', value: FIRST }] },
        {
          secrets: [
            { name: 'API_TOKEN', value: FIRST },
            { name: 'MAYBE', value: 'now-it-is-there' },
          ],
        },
      ]);
    },
  );

  scenario(
    'with a managed name that disappears are sent once more, if names are shown (H15)',
    { deployments: [{ name: AGENT }, SEEN], semantics: { secretsEcho: 'names-only' } },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST, second: SECOND });
      managed(w, { secrets: [...TOKEN, { name: 'SECOND', ...from('second') }] });
      await w.pass(90);
      w.editAtService('secrets.SECOND', null);
      await w.pass(120);
      expect(w.patches()).toHaveLength(2);
      expect(w.bodies()[1]).toEqual(w.bodies()[0]);
      expect(w.events.reasons()).toContain('DriftCorrected');
      expect(kept(w)).toHaveLength(2);
    },
  );

  scenario(
    'whose last one is removed under Exclusive are emptied with one empty list (H17)',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      managed(w);
      await w.pass(60);
      managed(w, { secrets: [] });
      await w.pass(60);
      expect(w.bodies()[1]).toEqual({ secrets: [] });
      expect(kept(w)).toEqual([]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'whose key leaves the manifest are released: nothing is sent',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      managed(w);
      await w.pass(60);
      w.apply({});
      await w.pass(60);
      expect(w.patches()).toHaveLength(1);
      expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: FIRST }]);
    },
  );

  scenario(
    'that rotate within ten seconds in five Secrets make one PATCH and one revision (H12)',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      const names = ['a', 'b', 'c', 'd', 'e'];
      const rotate = (name: string, round: string): void =>
        w.putSecret(`secret-${name}`, { key: `${round}-value-of-${name}` });
      for (const name of names) rotate(name, 'first');
      managed(w, {
        secrets: names.map((name) => ({
          name: name.toUpperCase(),
          valueFrom: { secretKeyRef: { name: `secret-${name}`, key: 'key' } },
        })),
      });
      await w.pass(90);
      for (const name of names) {
        rotate(name, 'second');
        await w.pass(1.5);
      }
      await w.pass(90);
      expect(w.bodies().slice(1)).toEqual([
        { secrets: names.map((name) => ({ name: name.toUpperCase(), value: `second-value-of-${name}` })) },
      ]);
      expect(w.revisionsMade()).toBe(2);
    },
  );

  scenario(
    'that answers mask and lists omit are sent once, even if a list must show them',
    { semantics: { secretsEcho: 'partial', listShape: ['empty-secrets'], patchEcho: 'sent-only' } },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      managed(w);
      await w.pass(600);
      expect(w.patches()).toHaveLength(1);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'that are not text are refused before anything is sent',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      w.secrets.put(
        { kind: 'Secret', namespace: 'team-a', name: 'agent-secrets' },
        { token: Uint8Array.of(0xc3, 0x28) },
      );
      managed(w);
      await w.pass(60);
      expect(w.state()).toBe('False/InvalidSpec False/InvalidSpec');
      expect(w.bodies()).toEqual([]);
    },
  );
});
