import { describe, expect } from 'vitest';
import { judgedScenario } from './support/scenario.ts';
import { AGENT, type World } from './support/world.ts';

/** The smallest stories in which `npm run matrix` once found something wrong. */

const HAND_MADE = {
  name: AGENT,
  sourceConfig: {
    install_command: 'npm ci',
    resource_spec: { memory_mb: 512, service_account_name: 'theirs' },
  },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const config = (w: World): unknown => w.kept().content.sourceConfig;

describe('a service that empties what a request leaves out', () => {
  judgedScenario(
    'and fills the empty block with defaults is noticed all the same (N1)',
    { deployments: [HAND_MADE], semantics: { topLevelOmit: 'cleared', normalise: ['add-defaults'] } },
    async (w) => {
      w.apply(image(2));
      await w.pass(180);
      expect(config(w)).toMatchObject(HAND_MADE.sourceConfig);
    },
  );

  for (const how of ['reset', 502, 'hang'] as const) {
    judgedScenario(
      `is noticed although the answer never came (${how}) (N1)`,
      { deployments: [HAND_MADE], semantics: { topLevelOmit: 'cleared' } },
      async (w) => {
        w.fault({ kind: 'apply-then-fail', how });
        w.apply(image(2));
        await w.pass(240);
        expect(config(w)).toEqual(HAND_MADE.sourceConfig);
        expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:2' });
      },
    );
  }

  judgedScenario(
    'is repaired again where the repair may not have arrived (N1)',
    { deployments: [HAND_MADE], semantics: { topLevelOmit: 'cleared' } },
    async (w) => {
      w.fault({ kind: 'reset-before' }, { match: { operation: 'patch', nth: 2 } });
      w.apply(image(2));
      await w.pass(240);
      expect(w.patches()).toHaveLength(3);
      expect(config(w)).toEqual(HAND_MADE.sourceConfig);
    },
  );
});

describe('a list of secrets', () => {
  judgedScenario(
    'that is empty and Exclusive when it is first declared is sent once (N7)',
    { deployments: [{ name: AGENT, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }] },
    async (w) => {
      w.apply({ secretsOwnership: 'Exclusive', secrets: [] });
      await w.pass(120);
      expect(w.bodies()).toEqual([{ secrets: [] }]);
      expect(w.kept().content.secrets).toEqual([]);
    },
  );

  judgedScenario(
    'that is empty and Guarded drops nothing, and says so (H3)',
    { deployments: [{ name: AGENT, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }] },
    async (w) => {
      w.apply({ secrets: [] });
      await w.pass(120);
      expect(w.bodies()).toEqual([]);
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
    },
  );
});

describe('what shows late', () => {
  judgedScenario(
    'is followed: a revision that is made some seconds after the answer (N30)',
    { deployments: [HAND_MADE], semantics: { trigger: 'delayed', triggerDelaySeconds: 5 } },
    async (w) => {
      w.apply(image(1));
      // So that sweeps fall into the window of the write, and not just behind it.
      await w.pass(90);
      w.apply(image(2));
      await w.pass(150);
      expect(w.status().latestRevisionID).toBe(w.shown()['latest_revision_id']);
      expect(w.status().activeRevisionID).toBe(w.shown()['latest_revision_id']);
    },
  );

  judgedScenario(
    'is told within the window and a poll, also where something else is withheld (N5)',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: { build_command: 'make theirs' },
          secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }],
        },
      ],
      semantics: { nested: { sourceConfig: 'merge-null-ignored' } },
    },
    async (w) => {
      w.apply({
        clear: ['sourceConfig.buildCommand'],
        secrets: [{ name: 'API_TOKEN', value: 'the-token-of-ours' }],
      });
      await w.pass(150);
      expect(
        w
          .status()
          .conditions?.map(({ message }) => message)
          .join(),
      ).toContain('buildCommand');
      expect(w.bodies()).toEqual([{ source_config: { build_command: null } }]);
    },
  );
});
