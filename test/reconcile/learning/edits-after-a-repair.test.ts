import { describe, expect } from 'vitest';
import { judgedScenario, scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const THEIRS = { install_command: 'npm ci', custom_url: 'https://agent.example.com' };

/** A request for a key of `source_config` empties the others, and its answer shows the state before it. */
const REPLACES = {
  deployments: [
    {
      name: AGENT,
      sourceConfig: { ...THEIRS, resource_spec: { cpu: 1, memory_mb: 512 } },
      revisionConfig: { image_uri: 'registry.example.com/agent:1' },
    },
  ],
  semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'pre', listLag: { seconds: 5 } },
} as const;

const declare = (w: World, cpu: number): void =>
  w.apply({
    sourceConfig: { resourceSpec: { cpu } },
    sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
  });
const kept = (w: World): Readonly<Record<string, unknown>> => w.kept().content.sourceConfig;

async function untilRepaired(w: World): Promise<void> {
  declare(w, 2);
  while (w.patches().length < 2) await w.pass(1);
  expect(kept(w)).toMatchObject(THEIRS);
}

describe('an edit soon after a repair, while lists still show what the first write emptied', () => {
  for (const seconds of [5, 20])
    for (const laterS of [1, 4])
      judgedScenario(
        `keeps what the repair put back: ${laterS} s later, with a lag of ${seconds} s`,
        { ...REPLACES, semantics: { ...REPLACES.semantics, listLag: { seconds } } },
        async (w) => {
          await untilRepaired(w);
          await w.pass(laterS);
          declare(w, 3);
          await w.pass(300);
          expect(kept(w)).toMatchObject({ ...THEIRS, resource_spec: { cpu: 3, memory_mb: 512 } });
          expect(w.state()).toBe('True/InSync True/Active');
        },
      );

  scenario(
    'is sent at once if the answer shows the repair',
    { ...REPLACES, semantics: { ...REPLACES.semantics, patchEcho: 'post' } },
    async (w) => {
      await untilRepaired(w);
      declare(w, 3);
      await w.pass(3);
      expect(w.patches()).toHaveLength(3);
      expect(kept(w)).toMatchObject({ ...THEIRS, resource_spec: { cpu: 3, memory_mb: 512 } });
    },
  );

  scenario('waits no longer than the window, if a person removes the value again', REPLACES, async (w) => {
    await untilRepaired(w);
    w.editAtService('source_config.install_command', null);
    await w.pass(4);
    declare(w, 3);
    await w.pass(100);
    expect(w.patches()).toHaveLength(3);
    expect(kept(w)).toMatchObject({ resource_spec: { cpu: 3, memory_mb: 512 } });
    await w.pass(200);
    expect(kept(w)['install_command']).toBeUndefined();
  });
});

judgedScenario(
  'an edit keeps what a repair carried, if its answer shows a hidden value that it sent again and is from before it',
  {
    deployments: [
      {
        name: AGENT,
        sourceConfig: { resource_spec: { memory_mb: 512 } },
        revisionConfig: { image_uri: 'registry.example.com/agent:1', graph_config_path: 'theirs.json' },
      },
    ],
    semantics: {
      ...{ topLevelOmit: 'cleared', nested: { sourceConfig: 'replace' }, patchEcho: 'pre' },
      ...{ listShape: ['no-commands'], listLag: { reads: 2 }, revisionFor: 'revision-config' },
    },
  },
  async (w) => {
    w.apply({});
    await w.pass(100);
    const build = (more: object): void => w.apply({ sourceConfig: { buildCommand: 'make', ...more } });
    build({});
    while (w.patches().length < 2) await w.pass(1);
    await w.pass(3);
    build({ resourceSpec: { cpu: 2 } });
    await w.pass(300);
    expect(w.kept().content.revisionConfig).toMatchObject({ graph_config_path: 'theirs.json' });
  },
);

for (const [changed, value] of [
  ['image_uri', 'registry.example.com/agent:9'],
  ['graph_config_path', 'else.json'],
] as const)
  judgedScenario(
    `an edit keeps what a repair put back, if the answer to the repair shows another client's change of ${changed}`,
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: { ...THEIRS, resource_spec: { memory_mb: 512, labels: { team: 'theirs' } } },
          revisionConfig: { image_uri: 'registry.example.com/agent:1', graph_config_path: 'theirs.json' },
        },
      ],
      semantics: {
        ...{ topLevelOmit: 'cleared', patchEcho: 'pre', listLag: { seconds: 6 }, trigger: 'always' },
        nested: { sourceConfig: 'replace', revisionConfig: 'replace' },
      },
    },
    async (w) => {
      const build = (buildCommand: string): void => w.apply({ sourceConfig: { buildCommand } });
      w.apply({});
      await w.pass(100);
      build('make one');
      await w.pass(15);
      w.editAtService(`source_revision_config.${changed}`, value);
      await w.pass(3);
      build('make two');
      await w.pass(400);
    },
  );

const AT_CODEHOST = {
  name: AGENT,
  source: 'codehost',
  sourceConfig: {
    repo_url: 'https://code.example.com/agent',
    install_command: 'npm ci',
    resource_spec: { memory_mb: 512, labels: { team: 'theirs' } },
  },
  revisionConfig: { repo_ref: 'main', graph_config_path: 'theirs.json' },
};

for (const listLag of [{ reads: 2 }, { seconds: 20 }])
  for (const gapS of [0, 10])
    judgedScenario(
      `an edit keeps what a repair put back if lists hide the source_config: ${gapS} s later, lag ${JSON.stringify(listLag)}`,
      {
        deployments: [AT_CODEHOST],
        semantics: {
          ...{ topLevelOmit: 'cleared', patchEcho: 'pre', trigger: 'never', listLag },
          ...{ nested: { resourceSpec: 'replace' }, listShape: ['empty-source-config'] },
        },
      },
      async (w) => {
        const edited = (resourceSpec: Readonly<Record<string, unknown>>): void =>
          w.apply({ source: 'codehost', sourceConfig: { resourceSpec } });
        w.apply({ source: 'codehost' });
        await w.pass(60);
        edited({ cpu: 2.75 });
        for (let n = 0; n < 200 && w.bodies().length < 2; n += 1) await w.pass(1);
        await w.pass(gapS);
        edited({ cpu: 2.75, labels: { tier: 'three' } });
        await w.pass(400);
      },
    );
