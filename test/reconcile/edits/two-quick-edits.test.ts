import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const spec = (graphConfigPath: string) => ({
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2', graphConfigPath },
  sourceConfig: { buildCommand: 'make ours', installCommand: 'npm ci' },
});

describe('values that a first edit sets and that no list shows yet, if a second edit leaves them out', () => {
  for (const patchEcho of ['pre', 'empty-202', 'sent-only', 'partial', 'post'] as const)
    for (const restarts of [false, true])
      scenario(
        `stay or come back${restarts ? ' under the next process' : ''}, if the answer is ${patchEcho}`,
        {
          deployments: [{ name: AGENT, sourceConfig: {}, revisionConfig: {} }],
          semantics: { topLevelOmit: 'cleared', patchEcho, listLag: { seconds: 10 } },
        },
        async (w) => {
          await w.pass(100);
          w.apply(spec('one'));
          await w.pass(3);
          if (restarts) w.restart();
          await w.pass(2);
          w.apply(spec('two'));
          await w.pass(700);
          expect(w.kept().content.sourceConfig).toMatchObject({
            build_command: 'make ours',
            install_command: 'npm ci',
          });
          expect(w.condition('Synced')).toBe('True/InSync');
          expect(w.patches().length).toBeLessThanOrEqual(4);
        },
      );
});
