import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = {
  name: AGENT,
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
  sourceConfig: { custom_url: 'https://by-hand.example.com' },
};
const MISSING = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'nowhere', key: 'key' } } }];
const MINE = { sourceConfig: { customURL: 'https://mine.example.com' } };
const IGNORED = { fieldRules: { 'source_config.custom_url': 'ignored' } } as const;

describe('the first of several reasons in the table is reported', () => {
  scenario(
    'a missing Secret before a plan that waits, which can be approved all the same',
    { deployments: [LIVE] },
    async (w) => {
      w.apply({ approval: 'Manual', ...image(2), secrets: MISSING });
      await w.pass(60);
      expect(w.state()).toBe('False/SecretMissing False/SecretMissing');
      expect(w.message()).toContain(w.status().plan?.hash ?? 'no hash');
      expect(w.events.reasons()).toContain('PlanReady');
      w.annotate('approve', w.status().plan?.hash ?? '');
      await w.pass(90);
      expect(w.bodies()).toEqual([{ source_revision_config: { image_uri: 'registry.example.com/agent:2' } }]);
      expect(w.state()).toBe('False/SecretMissing False/SecretMissing');
    },
  );

  scenario(
    'a missing Secret before a field that does not converge, and both are named',
    { deployments: [LIVE], semantics: IGNORED },
    async (w) => {
      w.apply({ ...MINE, secrets: MISSING });
      await w.pass(600);
      expect(w.state()).toBe('False/SecretMissing False/SecretMissing');
      expect(w.message()).toContain('Secret nowhere');
      expect(w.message()).toContain('sourceConfig.customURL');
    },
  );

  scenario(
    'withheld secrets before a field that does not converge',
    { deployments: [{ ...LIVE, secrets: [{ name: 'B', value: 'set-by-hand-there' }] }], semantics: IGNORED },
    async (w) => {
      w.apply({ ...MINE, secrets: [{ name: 'A', value: 'value-of-a-secret' }] });
      await w.pass(600);
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
    },
  );
});
