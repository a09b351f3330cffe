import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const THEIRS = 'https://theirs.example.com';
const REPLACING = { topLevelOmit: 'cleared', nested: { sourceConfig: 'replace' } } as const;

describe('on a service that is known to empty what a request leaves out', () => {
  scenario(
    'a body that leaves something out as a trial is sent only if the budget leaves room for the repair',
    {
      deployments: [{ name: AGENT, sourceConfig: { build_command: 'make', custom_url: THEIRS } }],
      semantics: REPLACING,
    },
    async (w) => {
      const image = (tag: number) => ({
        sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
        sourceConfig: { buildCommand: 'make' },
      });
      let missing = 0;
      let longest = 0;
      for (let tag = 1; tag <= 24; tag += 1) {
        w.apply(image(tag));
        for (let passed = 0; passed < 300; passed += 10) {
          await w.pass(10);
          const { build_command: command, custom_url: url } = w.kept().content.sourceConfig;
          missing = command === 'make' && url === THEIRS ? 0 : missing + 10;
          longest = Math.max(longest, missing);
        }
      }
      const tried = w.bodies().filter((body) => !JSON.stringify(body).includes('source_config'));
      expect(tried.length, 'the first write, and trials').toBeGreaterThan(1);
      expect(longest, 'seconds without a value').toBeLessThanOrEqual(60);
    },
  );
});
