import { describe, expect } from 'vitest';
import { judgedScenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

/** The smallest stories in which `npm run matrix` once found something wrong. */

const HAND_MADE = {
  name: AGENT,
  sourceConfig: {
    install_command: 'npm ci',
    resource_spec: { memory_mb: 512, service_account_name: 'theirs' },
  },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
/** A deployment that nothing is asked of: lists show with it which fields they show. */
const NEIGHBOUR = {
  name: 'neighbour',
  sourceConfig: { custom_url: 'https://neighbour.example.com/' },
  secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }],
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

describe('a field to be emptied', () => {
  judgedScenario(
    'that was empty, and that somebody fills, is theirs and was not kept by the service',
    {
      deployments: [HAND_MADE, NEIGHBOUR],
      semantics: { nested: { sourceConfig: 'merge-null-ignored' } },
    },
    async (w) => {
      w.apply({ clear: ['sourceConfig.customURL'] });
      await w.pass(60);
      w.editAtService('source_config.custom_url', 'https://theirs.example.com/');
      await w.pass(300);
      expect(w.condition('Synced')).toBe('True/InSync');
      expect(w.patches()).toHaveLength(0);
    },
  );

  judgedScenario(
    'that was emptied by a write of ours, and that somebody fills with what it was, is theirs',
    { deployments: [{ ...HAND_MADE, sourceConfig: { custom_url: 'https://theirs.example.com/' } }] },
    async (w) => {
      w.apply({ clear: ['sourceConfig.customURL'] });
      await w.pass(300);
      expect(w.patches()).toHaveLength(1);
      w.editAtService('source_config.custom_url', 'https://theirs.example.com/');
      await w.pass(300);
      expect(w.condition('Synced')).toBe('True/InSync');
      expect(w.patches()).toHaveLength(1);
    },
  );
});

describe('what is declared', () => {
  judgedScenario(
    'and taken away by somebody while the window of another write runs is not in sync (N30)',
    { deployments: [HAND_MADE] },
    async (w) => {
      w.apply(image(2));
      await w.pass(120);
      w.apply({ ...image(2), sourceConfig: { customURL: 'https://ours.example.com/' } });
      await w.pass(5);
      w.editAtService('source_revision_config.image_uri', null);
      await w.pass(30);
      w.apply({ ...image(2), sourceConfig: { customURL: 'https://ours.example.com/2' } });
      await w.pass(30);
      expect(w.condition('Synced')).toBe('Unknown/Sent');
      await w.pass(300);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  judgedScenario(
    'as secrets that a service adds twice is told as what it is where drift is only reported (K5)',
    { deployments: [HAND_MADE, NEIGHBOUR], semantics: { lists: 'append' } },
    async (w) => {
      const token = (value: string) =>
        w.apply({ driftPolicy: 'Report', secrets: [{ name: 'API_TOKEN', value }] });
      token('the-first-value-of-it');
      await w.pass(200);
      token('the-second-value-of-it');
      await w.pass(300);
      expect(w.condition('Synced')).toBe('False/NotConverging');
      expect(w.message()).toContain('lists API_TOKEN more than once');
    },
  );
});

describe('the first write on a connection', () => {
  for (const sourceConfig of ['merge-null-ignored', 'replace'] as const)
    judgedScenario(
      `looks first at what it leaves out, since that may have to be put back (${sourceConfig})`,
      {
        deployments: [
          { ...HAND_MADE, revisionConfig: { ...HAND_MADE.revisionConfig, graph_config_path: 'a.json' } },
        ],
        semantics: { nested: { sourceConfig } },
      },
      async (w) => {
        w.apply({ clear: ['sourceConfig.resourceSpec.volumes'] });
        await w.pass(75);
        w.editAtService('source_config.install_command', null);
        w.editAtService('source_revision_config.image_uri', null);
        await w.pass(15);
        w.apply({ sourceConfig: { customURL: 'https://ours.example.com/' } });
        await w.pass(300);
        expect(w.kept().content, 'a person took it away').toEqual({
          ...w.kept().content,
          sourceConfig: {
            custom_url: 'https://ours.example.com/',
            resource_spec: HAND_MADE.sourceConfig.resource_spec,
          },
          revisionConfig: { graph_config_path: 'a.json' },
        });
      },
    );
});

describe('a look that hangs', () => {
  judgedScenario(
    'and ends with what another one showed long ago is not the one that a body of others rests on (H2)',
    {
      deployments: [HAND_MADE, ...Array.from({ length: 36 }, (_, n) => ({ name: `other-${n}` }))],
      connection: { patch: { bodies: 'Full' }, list: { pageSize: 10 } },
    },
    async (w) => {
      w.apply({ sourceConfig: { customURL: 'https://ours.example.com/' } });
      await w.pass(110);
      w.fault({ kind: 'hang' }, { match: { operation: 'list', nth: 1 } });
      w.apply({ ...image(2), sourceConfig: { customURL: 'https://ours.example.com/' } });
      await w.pass(28);
      w.editAtService('source_config.install_command', 'npm install');
      await w.pass(200);
      expect(config(w)).toMatchObject({ install_command: 'npm install' });
    },
  );
});
