import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

/** A poll interval of 60 s with its jitter, and the next pass. */
const ONE_SWEEP_S = 75;
const BY_HAND = { name: 'BY_HAND', value: 'value-set-by-hand' };
/** No resource is checked again for minutes unless woken. */
const SETTLES_S = 300;

function declare(w: World, name: string, value: string, secretsOwnership: 'Guarded' | 'Merge'): void {
  w.putSecret(`of-${name}`, { key: value });
  const valueFrom = { secretKeyRef: { name: `of-${name}`, key: 'key' } };
  w.apply({ secretsOwnership, secrets: [{ name: 'TOKEN', valueFrom }] }, name);
}

describe('a resource on hold for an unknown service behaviour continues once the behaviour is known (K3)', () => {
  scenario(
    'within a sweep: another deployment shows secrets',
    { deployments: [{ name: AGENT }, { name: 'other' }] },
    async (w) => {
      declare(w, AGENT, 'value-of-the-agent', 'Guarded');
      await w.pass(SETTLES_S);
      expect(w.condition('Synced')).toBe('False/SecretVisibilityUnproven');
      w.secretTexts.add('value-of-other');
      w.editAtService('secrets.FIRST', 'value-of-other', 'other');
      await w.pass(ONE_SWEEP_S);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'within a sweep: writes to other deployments prove that values are shown',
    {
      deployments: [
        { name: AGENT, secrets: [BY_HAND] },
        { name: 'other', secrets: [BY_HAND] },
      ],
    },
    async (w) => {
      declare(w, AGENT, 'value-of-the-agent', 'Merge');
      await w.pass(SETTLES_S);
      expect(w.condition('Synced')).toBe('False/SecretVisibilityUnproven');
      w.putSecret('of-other', { key: 'value-of-other' });
      const valueFrom = { secretKeyRef: { name: 'of-other', key: 'key' } };
      w.apply({ secretsOwnership: 'Exclusive', secrets: [{ name: 'TOKEN', valueFrom }] }, 'other');
      await w.pass(ONE_SWEEP_S);
      expect(w.condition('Synced')).toBe('True/InSync');
      expect(w.kept().content.secrets).toContainEqual(BY_HAND);
    },
  );

  scenario(
    'within a sweep: this process proves what an earlier process knew',
    { deployments: [{ name: AGENT, secrets: [BY_HAND] }, { name: 'other' }] },
    async (w) => {
      declare(w, 'other', 'value-of-other', 'Merge');
      await w.pass(SETTLES_S);
      w.putSecret('of-other', { key: 'second-value-of-other' });
      await w.pass(SETTLES_S);
      expect(w.connectionStatus().learned?.secretsVisibility).toMatchObject({ verdict: 'Plain' });
      w.restart();
      declare(w, AGENT, 'value-of-the-agent', 'Merge');
      await w.pass(SETTLES_S);
      expect(w.condition('Synced')).toBe('False/SecretVisibilityUnproven');
      w.putSecret('of-other', { key: 'third-value-of-other' });
      await w.pass(ONE_SWEEP_S);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'within a sweep: another deployment shows a resource_spec',
    {
      deployments: [
        { name: AGENT, sourceConfig: { custom_url: 'https://by-hand.example.com' } },
        { name: 'other' },
      ],
    },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(SETTLES_S);
      expect(w.condition('Synced')).toBe('False/SemanticsMismatch');
      w.editAtService('source_config.resource_spec.cpu', 1, 'other');
      await w.pass(ONE_SWEEP_S);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );
});
