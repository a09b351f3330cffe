import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { listsShow } from '../support/shaped-answers.ts';
import { AGENT, type World } from '../support/world.ts';

const X = {
  name: AGENT,
  sourceConfig: { build_command: 'make', resource_spec: { memory_mb: 2048, service_account_name: 'theirs' } },
  revisionConfig: { image_uri: 'registry.example.com/agent:1', graph_config_path: 'graph.json' },
  secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }],
};

const EDITS = {
  'a new key of a resource spec': { sourceConfig: { resourceSpec: { cpu: 4 } } },
  'another number': { sourceConfig: { resourceSpec: { memoryMB: 4096 } } },
  'another image': { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } },
} as const;

type Edit = (typeof EDITS)[keyof typeof EDITS];

/** Sends an edit right after a person has removed the secret, which no list shows yet. The edit has no answer. */
async function editWithoutAnswer(w: World, edit: Edit, arrives: boolean): Promise<void> {
  w.apply({});
  await w.pass(100);
  w.fault(arrives ? { kind: 'apply-then-fail', how: 'reset' } : { kind: 'reset-before' }, {
    match: { operation: 'patch' },
  });
  w.editAtService('secrets.BY_HAND', null);
  w.apply(edit);
  await w.pass(400);
}

const verdict = (w: World): string | undefined => w.connectionStatus().learned?.omittedFields?.verdict;

for (const [what, edit] of Object.entries(EDITS))
  describe(`secrets that a person removes before a request with ${what}`, () => {
    scenario(
      'are not blamed on it if it never arrived, although the removal made a revision',
      { deployments: [X], semantics: { listLag: { seconds: 20 } } },
      async (w) => {
        await editWithoutAnswer(w, edit, false);
        expect(w.patches(), 'it goes once more, and needs no repair').toHaveLength(2);
        expect(verdict(w)).not.toBe('Replace');
        expect(w.events.reasons()).not.toContain('SemanticsMismatch');
        expect(w.kept().content).toMatchObject({
          revisionConfig: { graph_config_path: 'graph.json' },
          secrets: [],
        });
      },
    );

    scenario(
      'are lost with all that it left out, if the service emptied that',
      { deployments: [X], semantics: { topLevelOmit: 'cleared', listLag: { seconds: 20 } } },
      async (w) => {
        await editWithoutAnswer(w, edit, true);
        expect(verdict(w)).toBe('Replace');
        expect(w.kept().content.sourceConfig).toMatchObject({ build_command: 'make' });
        expect(w.kept().content.revisionConfig).toMatchObject({ graph_config_path: 'graph.json' });
      },
    );
  });

describe('a request without an answer for a key that lists hide beside others', () => {
  scenario(
    'has emptied what it left out if nothing of that is left',
    { deployments: [X], semantics: { topLevelOmit: 'cleared' } },
    async (w) => {
      listsShow(w, ({ source_config: { resource_spec: spec } }) => {
        Reflect.deleteProperty(spec ?? {}, 'cpu');
      });
      w.apply({});
      await w.pass(100);
      w.fault({ kind: 'apply-then-fail', how: 'reset' }, { match: { operation: 'patch' } });
      w.apply(EDITS['a new key of a resource spec']);
      await w.pass(400);
      expect(verdict(w)).toBe('Replace');
      expect(w.status().lost).toContain('secrets.BY_HAND');
      expect(w.kept().content).toMatchObject({
        sourceConfig: { build_command: 'make' },
        revisionConfig: X.revisionConfig,
      });
    },
  );
});

describe('an image that a request emptied, although no list shows the new key that it asked for', () => {
  const DEPLOYED = {
    name: AGENT,
    sourceConfig: { resource_spec: { cpu: 1, memory_mb: 2048, service_account_name: 'theirs' } },
    revisionConfig: { image_uri: 'registry.example.com/agent:1' },
  };

  for (const rule of ['ignored', 'hidden'] as const)
    for (const patchEcho of ['pre', 'empty-204', 'post'] as const)
      scenario(
        `is restored (the key is ${rule}, and the answer is ${patchEcho === 'post' ? 'lost' : patchEcho})`,
        {
          deployments: [DEPLOYED],
          semantics: {
            topLevelOmit: 'cleared',
            revisionFor: 'and-resource-spec',
            patchEcho,
            fieldRules: { 'source_config.resource_spec.db_cpu': rule },
          },
        },
        async (w) => {
          w.apply({});
          await w.pass(100);
          if (patchEcho === 'post') w.fault({ kind: 'apply-then-fail', how: 'reset' });
          w.apply({ sourceConfig: { resourceSpec: { dbCPU: 4 } } });
          await w.pass(600);
          expect(w.kept().content.revisionConfig).toEqual(DEPLOYED.revisionConfig);
          expect(w.status().lost).toBeUndefined();
        },
      );
});
