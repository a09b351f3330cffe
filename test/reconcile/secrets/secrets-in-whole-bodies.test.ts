import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const THERE = 'the-value-that-is-there';
const DECLARED = 'the-value-that-is-declared';
const BY_HAND = 'the-value-set-by-hand';
const OTHER = 'the-value-of-another-name';
const STAYS = { name: 'STAYS', value: 'the-value-that-never-moves' };

const LIVE = {
  name: AGENT,
  sourceConfig: { build_on_push: true },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const PROVER = { name: 'prover', secrets: [{ name: 'PROVEN', value: 'the-first-proving-value' }] };
const FULL = { patch: { bodies: 'Full' } } as const;

const spec = (buildOnPush: boolean, more: Partial<DeploymentSpec> = {}): Partial<DeploymentSpec> => ({
  sourceConfig: { buildOnPush },
  secrets: [{ name: 'API_A', value: DECLARED }, STAYS],
  ...more,
});
const kept = (w: World): unknown => w.kept().content.secrets;
const builds = (w: World): unknown => w.kept().content.sourceConfig['build_on_push'];

/** Proves with another deployment that values come back unchanged. */
async function provenPlain(w: World): Promise<void> {
  w.apply(
    { deploymentRef: { name: 'prover' }, secrets: [{ name: 'PROVEN', value: 'the-next-proving-value' }] },
    'prover',
  );
  await w.pass(120);
}

function setByHand(w: World, name: string, value: string): void {
  w.secretTexts.add(value);
  w.editAtService(`secrets.${name}`, value);
}

describe('a whole body (B7)', () => {
  const guarded = {
    ...LIVE,
    secrets: [
      { name: 'API_A', value: THERE },
      { name: 'API_B', value: OTHER },
    ],
  };

  scenario(
    'carries withheld secrets as they are shown (H3)',
    { deployments: [guarded, PROVER], connection: FULL },
    async (w) => {
      await provenPlain(w);
      w.apply(spec(true));
      await w.pass(120);
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
      w.apply(spec(false));
      await w.pass(120);
      expect(builds(w)).toBe(false);
      expect(kept(w)).toEqual(guarded.secrets);
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
    },
  );

  scenario(
    'is not sent if withheld secrets are masked (H3)',
    { deployments: [guarded], connection: FULL, semantics: { secretsEcho: 'stars' } },
    async (w) => {
      w.apply(spec(false));
      await w.pass(300);
      expect(w.bodies()).toEqual([]);
      expect(w.state()).toBe('False/UnmanagedSecretsPresent False/UnmanagedSecretsPresent');
      expect(w.message()).toContain('nothing is sent');
      expect(w.message()).toContain('API_B');
      // Fields outside the guard continue.
      w.apply(spec(false, { secretsOwnership: 'Exclusive' }));
      await w.pass(300);
      expect(builds(w)).toBe(false);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is not sent if secrets are withheld and no list has ever shown any',
    { deployments: [LIVE], connection: FULL, semantics: { secretsEcho: 'omitted' } },
    async (w) => {
      w.apply(spec(false));
      await w.pass(300);
      expect(w.bodies()).toEqual([]);
      expect(w.condition('Synced')).toBe('False/SecretVisibilityUnproven');
    },
  );

  scenario(
    'carries a secret that was changed by hand and is only reported, as it is shown (H11)',
    { deployments: [LIVE, PROVER], connection: FULL },
    async (w) => {
      await provenPlain(w);
      w.apply(spec(true, { driftPolicy: 'Report' }));
      await w.pass(200);
      expect(w.state()).toBe('True/InSync True/Active');
      setByHand(w, 'API_A', BY_HAND);
      await w.pass(120);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      w.apply(spec(false, { driftPolicy: 'Report' }));
      await w.pass(200);
      expect(builds(w)).toBe(false);
      expect(kept(w)).toEqual([{ name: 'API_A', value: BY_HAND }, STAYS]);
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );

  scenario(
    'omits a masked secret that was removed by hand and is only reported, and keeps the others',
    { deployments: [LIVE], connection: FULL, semantics: { secretsEcho: 'stars' } },
    async (w) => {
      const two = (buildOnPush: boolean): Partial<DeploymentSpec> =>
        spec(buildOnPush, {
          driftPolicy: 'Report',
          secretsOwnership: 'Exclusive',
          secrets: [
            { name: 'API_A', value: DECLARED },
            { name: 'API_B', value: OTHER },
          ],
        });
      w.apply(two(true));
      await w.pass(200);
      w.editAtService('secrets.API_B', null);
      await w.pass(200);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      w.apply(two(false));
      await w.pass(200);
      expect(builds(w)).toBe(false);
      expect(kept(w)).toEqual([{ name: 'API_A', value: DECLARED }]);
    },
  );

  scenario(
    'carries a secret whose correction is suspended, as it is shown (H46)',
    { deployments: [LIVE, PROVER], connection: FULL },
    async (w) => {
      await provenPlain(w);
      w.apply(spec(true));
      await w.pass(200);
      for (let round = 0; round < 4; round += 1) {
        setByHand(w, 'API_A', `${BY_HAND}-${round}`);
        await w.pass(200);
      }
      expect(w.condition('Synced')).toBe('False/DriftCorrectionSuspended');
      w.apply(spec(false));
      await w.pass(200);
      expect(builds(w)).toBe(false);
      expect(kept(w)).toEqual([{ name: 'API_A', value: `${BY_HAND}-3` }, STAYS]);
      expect(w.condition('Synced')).toBe('False/DriftCorrectionSuspended');
    },
  );

  scenario(
    'that loses unmanaged secrets says so in the plan that waits for approval',
    {
      deployments: [{ ...LIVE, secrets: [{ name: 'API_B', value: OTHER }] }],
      connection: FULL,
      semantics: { secretsEcho: 'stars' },
    },
    async (w) => {
      w.apply({ sourceConfig: { buildOnPush: false }, approval: 'Manual' });
      await w.pass(60);
      expect(w.condition('Synced')).toBe('False/AwaitingApproval');
      expect(w.status().plan?.changes).toContainEqual(
        expect.objectContaining({ path: 'secrets', to: expect.stringContaining('API_B') }),
      );
      w.annotate('approve', w.status().plan?.hash ?? '');
      await w.pass(120);
      expect(builds(w)).toBe(false);
      expect(w.events.reasons()).toContain('UnmanagedSecretsLost');
    },
  );

  scenario(
    'is not sent without secrets that the spec released, if lists hide them (N1)',
    {
      deployments: [LIVE],
      semantics: { topLevelOmit: 'cleared', secretsEcho: 'omitted', nested: { sourceConfig: 'replace' } },
    },
    async (w) => {
      w.apply(spec(true, { secretsOwnership: 'Exclusive' }));
      await w.pass(300);
      const sent = kept(w);
      expect(sent).toHaveLength(2);
      w.apply(spec(false, { secretsOwnership: 'Exclusive' }));
      await w.pass(300);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Replace');
      w.apply({ sourceConfig: { buildOnPush: false } });
      await w.pass(300);
      const before = w.bodies().length;
      w.apply({ sourceConfig: { buildOnPush: true } });
      await w.pass(300);
      expect(w.bodies().slice(before)).toEqual([]);
      expect(kept(w)).toEqual(sent);
      expect(w.condition('Synced')).toBe('False/SemanticsMismatch');
      expect(w.message()).toContain('API_A, STAYS');
      w.apply(spec(true, { secretsOwnership: 'Exclusive' }));
      await w.pass(300);
      expect(builds(w)).toBe(true);
      expect(kept(w)).toEqual(sent);
    },
  );

  scenario(
    'and secrets that others set since such a release hold back those of a new spec, if lists hide them',
    { deployments: [LIVE], semantics: { secretsEcho: 'omitted' } },
    async (w) => {
      w.apply(spec(true, { secretsOwnership: 'Exclusive' }));
      await w.pass(300);
      w.apply({ sourceConfig: { buildOnPush: true } });
      await w.pass(300);
      setByHand(w, 'THEIRS', BY_HAND);
      await w.pass(100);
      w.apply(spec(true));
      await w.pass(300);
      expect(kept(w)).toContainEqual({ name: 'THEIRS', value: BY_HAND });
      expect(w.condition('Synced')).toBe('False/SecretVisibilityUnproven');
    },
  );
});
