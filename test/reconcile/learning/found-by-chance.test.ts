import { describe, expect } from 'vitest';
import { judgedScenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

/** The smallest test scenarios for faults that `npm run matrix` found. */

const HAND_MADE = {
  name: AGENT,
  sourceConfig: {
    install_command: 'npm ci',
    resource_spec: { memory_mb: 512, service_account_name: 'theirs' },
  },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
/** A deployment without declared fields. Its list items reveal which fields the lists show. */
const NEIGHBOUR = {
  name: 'neighbour',
  sourceConfig: { custom_url: 'https://neighbour.example.com/' },
  secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }],
};
const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const config = (w: World): unknown => w.kept().content.sourceConfig;

describe('a service that empties what a request leaves out', () => {
  judgedScenario(
    'and fills the empty block with defaults is detected nevertheless (N1)',
    { deployments: [HAND_MADE], semantics: { topLevelOmit: 'cleared', normalise: ['add-defaults'] } },
    async (w) => {
      w.apply(image(2));
      await w.pass(180);
      expect(config(w)).toMatchObject(HAND_MADE.sourceConfig);
    },
  );

  for (const how of ['reset', 502, 'hang'] as const) {
    judgedScenario(
      `is detected although the answer never came (${how}) (N1)`,
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
    'is detected although somebody had just set the same, and made the only new revision (N1)',
    {
      deployments: [
        { ...HAND_MADE, revisionConfig: { ...HAND_MADE.revisionConfig, graph_config_path: 'theirs.json' } },
      ],
      semantics: {
        topLevelOmit: 'cleared',
        nested: { revisionConfig: 'replace' },
        trigger: 'delayed',
        listLag: { seconds: 20 },
      },
    },
    async (w) => {
      w.apply({});
      await w.pass(60);
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:2');
      await w.pass(15);
      w.apply(image(2));
      await w.pass(240);
      expect(config(w)).toEqual(HAND_MADE.sourceConfig);
      expect(w.kept().content.revisionConfig['graph_config_path']).toBe('theirs.json');
    },
  );

  judgedScenario(
    'gets a second repair if the first may not have arrived (N1)',
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
    'that is empty and Guarded drops nothing, and reports it (H3)',
    { deployments: [{ name: AGENT, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }] },
    async (w) => {
      w.apply({ secrets: [] });
      await w.pass(120);
      expect(w.bodies()).toEqual([]);
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
    },
  );
});

describe('a late change at the service', () => {
  judgedScenario(
    'is followed: a revision that appears some seconds after the answer (N30)',
    { deployments: [HAND_MADE], semantics: { trigger: 'delayed', triggerDelaySeconds: 5 } },
    async (w) => {
      w.apply(image(1));
      // So that sweeps fall inside the window of the write, not just after it.
      await w.pass(90);
      w.apply(image(2));
      await w.pass(150);
      expect(w.status().latestRevisionID).toBe(w.shown()['latest_revision_id']);
      expect(w.status().activeRevisionID).toBe(w.shown()['latest_revision_id']);
    },
  );

  judgedScenario(
    'is reported within the window and a poll, even if another field is withheld (N5)',
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
    'that was empty, and that another client fills, belongs to that client and does not prove that the service kept it',
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
    'that our write emptied, and that another client fills with the old value, belongs to that client',
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

describe('a declared value', () => {
  judgedScenario(
    'that another client removes during the window of another write is not in sync (N30)',
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
    'of secrets that a service adds twice is reported correctly if drift is only reported (K5)',
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
      `is preceded by a read of the fields that it omits, since they may have to be restored (${sourceConfig})`,
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

describe('a hanging read', () => {
  judgedScenario(
    'that ends with an old state is not the basis of a body with values of other clients (H2)',
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
