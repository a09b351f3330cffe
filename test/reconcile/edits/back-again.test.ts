import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const A = 'https://a.example.com';

describe('an edit that takes the edit before it back', () => {
  for (const [how, other] of [
    ['another value', { sourceConfig: { customURL: 'https://b.example.com' } }],
    ['no value', { clear: ['sourceConfig.customURL'] }],
  ] as const)
    scenario(
      `is not carried out because an old list still shows the first value, after ${how} was sent`,
      {
        deployments: [{ name: AGENT, sourceConfig: { custom_url: A } }],
        semantics: { patchEcho: 'pre', listLag: { seconds: 20 } },
      },
      async (w) => {
        w.apply({ sourceConfig: { customURL: A }, driftPolicy: 'Report' });
        await w.pass(60);
        w.apply({ ...other, driftPolicy: 'Report' });
        await w.pass(5);
        w.apply({ sourceConfig: { customURL: A }, driftPolicy: 'Report' });
        await w.pass(5);
        expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
        await w.pass(200);
        expect(w.kept().content.sourceConfig).toEqual({ custom_url: A });
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.patches()).toHaveLength(2);
      },
    );
});
