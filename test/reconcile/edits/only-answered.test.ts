import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const LIVE = {
  name: AGENT,
  sourceConfig: { custom_url: 'https://by-hand.example.com', build_command: 'make theirs' },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const PRETENDING = { fieldRules: { 'source_config.build_command': 'pretended' } } as const;
const CLEAR = { clear: ['sourceConfig.buildCommand'] } as const;

describe('a service that only answers as if it had taken a change', () => {
  for (const driftPolicy of ['Correct', 'Report'] as const) {
    scenario(
      `does not empty a field, and the status says so (${driftPolicy})`,
      { deployments: [LIVE], semantics: PRETENDING },
      async (w) => {
        w.apply({ driftPolicy });
        await w.pass(120);
        w.apply({ driftPolicy, ...CLEAR });
        await w.pass(300);
        expect(w.condition('Synced')).toBe('False/FieldNotClearable');
        w.restart();
        await w.pass(300);
        expect(w.condition('Synced'), 'after a restart').toBe('False/FieldNotClearable');
        expect(w.patches()).toHaveLength(1);
        w.become({ fieldRules: {} });
        w.editAtService('source_config.build_command', null);
        await w.pass(120);
        expect(w.condition('Synced'), 'once it is empty').toBe('True/InSync');
      },
    );

    scenario(
      `is not confused with a client that fills an emptied field again (${driftPolicy})`,
      { deployments: [LIVE, { ...LIVE, name: 'another' }] },
      async (w) => {
        w.apply({ driftPolicy, ...CLEAR });
        await w.pass(120);
        w.editAtService('source_config.build_command', 'make theirs');
        await w.pass(300);
        w.restart();
        await w.pass(300);
        expect(w.condition('Synced')).toBe('True/InSync');
        expect(w.patches()).toHaveLength(1);
      },
    );
  }

  scenario(
    'does not take an edit, which Report does not blame on another writer alone',
    { deployments: [LIVE], semantics: PRETENDING },
    async (w) => {
      w.apply({ driftPolicy: 'Report' });
      await w.pass(120);
      w.apply({ driftPolicy: 'Report', sourceConfig: { buildCommand: 'make ours' } });
      await w.pass(300);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      expect(w.message()).toContain('1 change that the service did not keep, or that another writer undid');
      expect(w.patches()).toHaveLength(1);
    },
  );
});
