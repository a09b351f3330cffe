import { describe, expect } from 'vitest';
import { killAt } from '../support/crash.ts';
import { judgedScenario, scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';
import type { WireJson } from '../../../src/wire/wire-json.ts';

const REPORT = { driftPolicy: 'Report' } as const;
const CODE = {
  name: AGENT,
  source: 'codehost',
  sourceConfig: { resource_spec: { cpu: 1, memory_mb: 512, queue_cpu: 2 } },
  revisionConfig: { repo_ref: 'main', graph_config_path: 'a.json' },
};

/** A spec under Report that manages two fields of a block and sets one of them. */
const sized = (memoryMB: number) => ({
  ...REPORT,
  source: 'codehost' as const,
  sourceConfig: { resourceSpec: { cpu: 1, memoryMB } },
});
const built = (graphConfigPath: string) => ({
  ...REPORT,
  source: 'codehost' as const,
  sourceRevisionConfig: { repoRef: 'main', graphConfigPath },
});

/** Lets another client roll back by hand, which the operator reports. */
async function rolledBack(w: World): Promise<void> {
  w.apply(built('a.json'));
  await w.pass(120);
  w.editAtService('source_revision_config.repo_ref', 'the-release-before');
  await w.pass(120);
  expect(w.state()).toBe('False/DriftReported True/Active');
}

describe('a value that our own write emptied with its block', () => {
  const given = {
    deployments: [CODE],
    semantics: {
      topLevelOmit: 'cleared',
      normalise: ['integer'],
      patchEcho: 'partial',
      listLag: { reads: 2 },
    },
  } as const;

  scenario('is restored as declared, not as the service rounds it', given, async (w) => {
    const spec = { ...sized(512), sourceConfig: { resourceSpec: { cpu: 2.75 } } };
    w.apply(spec);
    await w.pass(5);
    w.apply({ ...spec, sourceRevisionConfig: { repoRef: 'release' } });
    await w.pass(300);
    expect(w.kept().content.sourceConfig.resource_spec).toMatchObject({ cpu: 2.75, queue_cpu: 2 });
    expect(w.condition('Synced')).toBe('True/InSync');
  });
});

describe('a reported branch that somebody removed', () => {
  scenario(
    'stays reported after a repair of other values, which does not carry it',
    { deployments: [CODE], semantics: { topLevelOmit: 'cleared' } },
    async (w) => {
      const spec = { ...REPORT, source: 'codehost', sourceRevisionConfig: { repoRef: 'main' } } as const;
      w.apply(spec);
      await w.pass(120);
      w.editAtService('source_revision_config.repo_ref', null);
      await w.pass(120);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      w.apply({ ...spec, sourceConfig: { customURL: 'https://two.example.com' } });
      await w.pass(10);
      expect(w.kept().content.revisionConfig).toEqual({ graph_config_path: 'a.json' });
      const since = w.statusWrites.length;
      await w.pass(200);
      expect(w.statusStory(since).filter((written) => written.includes('InSync'))).toEqual([]);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      expect(w.bodies()).toHaveLength(2);
    },
  );

  for (const topLevelOmit of ['unchanged', 'cleared'] as const)
    scenario(
      `is not put back by the next edit soon after our write, although the operator restarts between (omitted blocks are ${topLevelOmit})`,
      {
        deployments: [{ ...CODE, revisionConfig: { graph_config_path: 'a.json' } }],
        semantics: { topLevelOmit },
      },
      async (w) => {
        w.apply({ ...REPORT, source: 'codehost', sourceRevisionConfig: { repoRef: 'main' } });
        await w.pass(60);
        w.editAtService('source_revision_config.repo_ref', null);
        await w.pass(60);
        expect(w.condition('Synced')).toBe('False/DriftReported');
        w.restart();
        w.apply(built('b.json'));
        await w.pass(200);
        expect(w.condition('Synced')).toBe('False/DriftReported');
        expect(w.kept().content.revisionConfig).toEqual({ graph_config_path: 'b.json' });
      },
    );
});

describe('a key that somebody removed before our own write emptied its block', () => {
  const labels = { team: 'theirs', tier: 'ours' };
  const spec = {
    ...REPORT,
    source: 'codehost',
    sourceConfig: { resourceSpec: { memoryMB: 512, labels: { tier: 'ours' } } },
  } as const;
  const given = {
    deployments: [
      {
        ...CODE,
        sourceConfig: {
          build_command: 'make',
          resource_spec: { memory_mb: 512, service_account_name: 'theirs', labels },
        },
      },
    ],
  };

  /** Lets somebody leave only some labels, which the operator reports, and then an edit empty the block. */
  const emptied = async (w: World, left: WireJson): Promise<void> => {
    w.apply(spec);
    await w.pass(120);
    w.editAtService('source_config.resource_spec.labels', left);
    await w.pass(120);
    expect(w.condition('Synced')).toBe('False/DriftReported');
    w.become({ topLevelOmit: 'cleared' });
    w.apply({ ...spec, sourceRevisionConfig: { repoRef: 'release' } });
  };

  judgedScenario(
    'stays reported, and does not hold back a second edit, while lists are older than both',
    { ...given, semantics: { listLag: { seconds: 20 } } },
    async (w) => {
      await emptied(w, null);
      await w.pass(5);
      const resourceSpec = { ...spec.sourceConfig.resourceSpec, memoryMB: 1024 };
      w.apply({ ...spec, sourceConfig: { resourceSpec }, sourceRevisionConfig: { repoRef: 'release' } });
      await w.pass(5);
      expect(w.patches()).toHaveLength(2);
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toEqual({
        build_command: 'make',
        resource_spec: { memory_mb: 1024, service_account_name: 'theirs' },
      });
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );

  for (const patchEcho of ['empty-204', 'post'] as const)
    for (const left of [null, { team: 'theirs' }])
      judgedScenario(
        `stays reported, and only the rest is restored, after the answer ${patchEcho} and with ${left === null ? 'no label' : 'another label'} left`,
        { ...given, semantics: { patchEcho } },
        async (w) => {
          await emptied(w, left);
          await w.pass(300);
          expect(w.patches()).toHaveLength(2);
          const others = left === null ? {} : { labels: left };
          expect(w.kept().content.sourceConfig).toEqual({
            build_command: 'make',
            resource_spec: { memory_mb: 512, service_account_name: 'theirs', ...others },
          });
          expect(w.condition('Synced')).toBe('False/DriftReported');
          expect(w.message()).toContain('1 change by another writer');
          expect(w.status().lost).toBeUndefined();
        },
      );
});

describe('drift that is only reported is not reverted', () => {
  scenario('by an edit of another field of the resource spec (H11)', { deployments: [CODE] }, async (w) => {
    w.apply(sized(512));
    await w.pass(120);
    w.editAtService('source_config.resource_spec.cpu', 4);
    await w.pass(120);
    expect(w.condition('Synced')).toBe('False/DriftReported');
    w.apply(sized(1024));
    await w.pass(5);
    expect(w.condition('Synced'), 'a look within the window proves nothing').toBe('Unknown/Sent');
    await w.pass(120);
    expect(w.bodies()).toEqual([
      { source_config: { resource_spec: { cpu: 4, memory_mb: 1024, queue_cpu: 2 } } },
    ]);
    expect(w.condition('Synced')).toBe('False/DriftReported');
  });

  const twoEdits = async (w: World, then?: () => void): Promise<void> => {
    w.apply(sized(512));
    await w.pass(120);
    w.editAtService('source_config.resource_spec.cpu', 4);
    await w.pass(120);
    w.apply(sized(1024));
    await w.pass(5);
    then?.();
    w.apply(sized(2048));
    await w.pass(5);
  };
  const carriesTheirs = { source_config: { resource_spec: { cpu: 4, memory_mb: 2048, queue_cpu: 2 } } };

  scenario(
    'by two edits of other fields of the resource spec: the second does not wait, since the first carried the value',
    { deployments: [CODE] },
    async (w) => {
      await twoEdits(w);
      expect(w.bodies().slice(1)).toEqual([carriesTheirs]);
      await w.pass(240);
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );

  scenario(
    'by two edits with a restart between them: the second waits, since a look within the window proves nothing',
    { deployments: [CODE] },
    async (w) => {
      await twoEdits(w, () => w.restart());
      expect(w.patches()).toHaveLength(1);
      expect(w.message()).toContain('would put back sourceConfig.resourceSpec.cpu');
      await w.pass(120);
      expect(w.bodies().slice(1)).toEqual([carriesTheirs]);
      await w.pass(120);
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );

  scenario(
    'by a repair of the block beside it, which does not wait',
    {
      deployments: [{ ...CODE, sourceConfig: { ...CODE.sourceConfig, build_command: 'make' } }],
      semantics: { nested: { sourceConfig: 'replace' } },
    },
    async (w) => {
      w.apply(sized(512));
      await w.pass(120);
      w.editAtService('source_config.resource_spec.cpu', 4);
      await w.pass(120);
      w.apply(sized(1024));
      await w.pass(200);
      expect(w.patches().length).toBeGreaterThan(1);
      expect(w.kept().content.sourceConfig).toMatchObject({
        build_command: 'make',
        resource_spec: { cpu: 4 },
      });
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );

  scenario(
    'if the answer to the next write is the first to show that somebody replaced a map',
    { deployments: [CODE], semantics: { patchEcho: 'pre', listLag: { seconds: 20 } } },
    async (w) => {
      const labelled = (more: object) => ({
        ...{ ...REPORT, source: 'codehost' as const },
        sourceConfig: { resourceSpec: { labels: { team: 'ours' } } },
        ...more,
      });
      w.apply(sized(512));
      await w.pass(90);
      w.apply(labelled({}));
      await w.pass(3);
      w.become({ patchEcho: 'post' });
      w.editAtService('source_config.resource_spec.labels', { tier: 'theirs' });
      w.apply(labelled({ sourceRevisionConfig: { graphConfigPath: 'b.json' } }));
      await w.pass(330);
      expect(w.patches()).toHaveLength(2);
      expect(w.kept().content.sourceConfig.resource_spec).toMatchObject({ labels: { tier: 'theirs' } });
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );

  scenario(
    'by a new process that never saw a list with the removed branch, which the service shows as its commit',
    { deployments: [CODE], semantics: { normalise: ['ref-to-sha'] } },
    async (w) => {
      const declared = {
        ...REPORT,
        source: 'codehost',
        sourceRevisionConfig: { repoRef: 'release' },
      } as const;
      w.apply(declared);
      await w.pass(200);
      w.editAtService('source_revision_config.repo_ref', null);
      await w.pass(120);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      w.apply({ ...declared, sourceConfig: { customURL: 'https://a.example.com' } });
      await w.pass(120);
      w.restart();
      await w.pass(200);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      expect(w.bodies().slice(1)).toEqual([{ source_config: { custom_url: 'https://a.example.com' } }]);
    },
  );

  scenario('by two edits of other fields of the revision block', { deployments: [CODE] }, async (w) => {
    await rolledBack(w);
    w.apply(built('b.json'));
    await w.pass(5);
    w.apply(built('c.json'));
    await w.pass(200);
    expect(w.bodies().slice(1)).toEqual([
      { source_revision_config: { repo_ref: 'the-release-before', graph_config_path: 'c.json' } },
    ]);
    expect(w.state()).toBe('False/DriftReported True/Active');
  });

  scenario(
    'and does not count as in sync within the window of another write, if another client emptied the field',
    { deployments: [CODE] },
    async (w) => {
      w.apply(built('a.json'));
      await w.pass(120);
      w.editAtService('source_revision_config.graph_config_path', null);
      await w.pass(120);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      w.apply({ ...built('a.json'), sourceConfig: { buildCommand: 'make' } });
      for (let seconds = 0; seconds < 120; seconds += 5) {
        await w.pass(5);
        expect(w.condition('Synced')).not.toBe('True/InSync');
      }
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );

  for (const nested of ['merge-null-ignored', 'replace'] as const) {
    scenario(
      `by an edit of another field of the revision block, under ${nested} (H11)`,
      {
        deployments: [CODE],
        semantics: {
          nested: { sourceConfig: 'merge-null-ignored', revisionConfig: nested, resourceSpec: 'replace' },
        },
      },
      async (w) => {
        await rolledBack(w);
        w.apply(built('b.json'));
        await w.pass(200);
        expect(w.bodies()).toEqual([
          { source_revision_config: { repo_ref: 'the-release-before', graph_config_path: 'b.json' } },
        ]);
        expect(w.state()).toBe('False/DriftReported True/Active');
      },
    );
  }

  scenario(
    'by an edit with full bodies (H11)',
    { deployments: [CODE], connection: { patch: { bodies: 'Full' } } },
    async (w) => {
      await rolledBack(w);
      w.apply(built('b.json'));
      await w.pass(200);
      expect(w.kept().content.revisionConfig).toEqual({
        repo_ref: 'the-release-before',
        graph_config_path: 'b.json',
      });
      w.apply({ ...built('b.json'), driftPolicy: 'Correct' });
      await w.pass(200);
      expect(w.kept().content.revisionConfig).toMatchObject({ repo_ref: 'main' });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
  const image = (tag: number) => ({
    sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
  });
  for (const [how, spec] of [
    ['while the resource is paused', {}],
    ['under driftPolicy Report', REPORT],
  ] as const) {
    scenario(
      `if an old revision is deployed again by hand ${how} (H11)`,
      { deployments: [LIVE] },
      async (w) => {
        w.apply(image(1));
        await w.pass(30);
        w.apply({ ...image(2), ...spec });
        await w.pass(90);
        if (how.includes('paused')) w.annotate('paused', 'true');
        await w.pass(5);
        w.service.act({ kind: 'redeploy', deployment: AGENT, revision: 1 });
        await w.pass(600);
        expect(w.patches()).toHaveLength(1);
        expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:1' });
      },
    );
  }
});

describe('revision_source is sent only with a change of the revision block (H8)', () => {
  for (const bodies of ['Auto', 'Full'] as const) {
    scenario(
      `even with ${bodies} bodies`,
      {
        deployments: [
          {
            ...CODE,
            revisionConfig: { image_uri: 'registry.example.com/agent:1' },
            sourceConfig: { build_on_push: true },
          },
        ],
        connection: { patch: { bodies } },
      },
      async (w) => {
        const spec = (buildOnPush: boolean, tag: number) =>
          ({
            source: 'codehost',
            revisionSource: 'internal_container',
            sourceConfig: { buildOnPush },
            sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
          }) as const;
        w.apply(spec(true, 1));
        await w.pass(60);
        w.apply(spec(false, 1));
        await w.pass(60);
        expect(w.patches()).toHaveLength(1);
        expect(w.bodies()[0]).not.toHaveProperty('revision_source');
        w.apply(spec(false, 2));
        await w.pass(60);
        expect(w.bodies()[1]).toMatchObject({ revision_source: 'internal_container' });
      },
    );
  }
});

describe('a declared value that is lost to a write that left it out', () => {
  const given = {
    deployments: [
      {
        ...CODE,
        sourceConfig: {
          repo_url: 'https://code.example.com/agent',
          build_command: 'make',
          ...CODE.sourceConfig,
        },
      },
    ],
    semantics: {
      nested: { sourceConfig: 'replace' },
      fieldRules: { 'source_config.build_command': 'pretended' },
    },
  } as const;

  scenario(
    'is not in sync for a new process within the window of a later write that did not ask for it',
    given,
    async (w) => {
      const declared = { repoURL: 'https://code.example.com/agent' };
      const spec = { ...REPORT, source: 'codehost' as const };
      w.apply({ ...spec, sourceConfig: declared });
      await w.pass(60);
      const sourceConfig = { ...declared, customURL: 'https://a.example.com' };
      w.apply({ ...spec, sourceConfig });
      await w.pass(300);
      expect(w.status().lost).toContain('sourceConfig.repoURL');
      w.apply({ ...spec, sourceConfig, sourceRevisionConfig: { repoRef: 'release' } });
      await w.pass(10);
      expect(w.patches()).toHaveLength(2);
      w.restart();
      for (let seconds = 0; seconds < 120; seconds += 5) {
        await w.pass(5);
        expect(w.condition('Synced')).not.toBe('True/InSync');
      }
      expect(w.condition('Synced')).toBe('False/DriftReported');
      expect(w.patches()).toHaveLength(2);
    },
  );

  for (const [where, at, lost] of [
    ['', { installCommand: 'npm ci' }, 'sourceConfig.installCommand'],
    [' with its block', { resourceSpec: { cpu: 1 } }, 'sourceConfig.resourceSpec.cpu'],
  ] as const)
    scenario(
      `is not in sync for the next process within the window of that write, if it went${where}`,
      {
        deployments: [
          {
            ...CODE,
            sourceConfig: { ...CODE.sourceConfig, build_command: 'make', install_command: 'npm ci' },
          },
        ],
        semantics: { topLevelOmit: 'cleared', fieldRules: { 'source_config.build_command': 'pretended' } },
      },
      async (w) => {
        const spec = { ...REPORT, source: 'codehost', sourceConfig: at } as const;
        w.apply(spec);
        await w.pass(60);
        w.fault({ kind: 'apply-then-fail', how: 502 }, { match: { operation: 'patch' } });
        w.apply({ ...spec, sourceRevisionConfig: { repoRef: 'hotfix' } });
        await w.pass(30);
        expect(w.status().lost).toContain(lost);
        w.restart();
        for (let seconds = 0; seconds < 90; seconds += 5) {
          await w.pass(5);
          expect(w.condition('Synced')).not.toBe('True/InSync');
        }
        expect(w.condition('Synced')).toBe('False/DriftReported');
      },
    );

  scenario(
    'is put back beside a field that the service only pretends to clear, which is no drift',
    {
      ...given,
      semantics: {
        ...given.semantics,
        topLevelOmit: 'cleared',
        normalise: ['add-defaults'],
        patchEcho: 'some-blocks',
      },
    },
    async (w) => {
      const spec = { ...REPORT, source: 'codehost' as const };
      w.apply(spec);
      await w.pass(60);
      w.apply({ ...spec, clear: ['sourceConfig.buildCommand'] });
      await w.pass(300);
      expect(w.patches()).toHaveLength(2);
      expect(w.bodies()[1]).toMatchObject({
        source_config: { repo_url: 'https://code.example.com/agent', build_command: 'make' },
      });
      expect(w.statusStory().filter((written) => written.includes('DriftReported'))).toEqual([]);
    },
  );

  scenario('is reported as missing after that write, if a field beside it stays', given, async (w) => {
    const declared = { repoURL: 'https://code.example.com/agent' };
    w.apply({ ...REPORT, source: 'codehost', sourceConfig: declared });
    await w.pass(60);
    w.apply({
      ...REPORT,
      source: 'codehost',
      sourceConfig: { ...declared, customURL: 'https://a.example.com' },
    });
    await w.pass(300);
    expect(w.patches()).toHaveLength(1);
    expect(w.condition('Synced')).toBe('False/DriftReported');
    expect(w.message()).toContain('1 change since a write of ours');
    w.restart();
    await w.pass(120);
    expect(w.message()).toContain('1 change since a write of ours');
    expect(w.message()).toMatch(/gone after a write and not put back: .*sourceConfig\.repoURL/);
    // An edit acknowledges losses, but this value is still declared, and reported as our loss.
    w.apply({
      ...REPORT,
      source: 'codehost',
      sourceConfig: { ...declared, customURL: 'https://a.example.com' },
      rollout: { maxRevisionsPerHour: 5 },
    });
    await w.pass(120);
    w.resync();
    await w.pass(120);
    expect(w.message()).toContain('1 change since a write of ours');
  });
});

describe('a secret of a list that the spec owns, which a write left out and a process did not live to see gone', () => {
  const secrets = [
    { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'API_TOKEN' } } },
  ];
  const spec = { ...REPORT, secretsOwnership: 'Exclusive', secrets } as const;

  for (const [what, omits, laterS] of [
    ['as the lists before the write did not show it yet', 'cleared', 16],
    ['as they showed no secret but this one', 'unchanged', 200],
  ] as const)
    judgedScenario(
      `is reported as gone since that write, ${what}`,
      {
        deployments: [
          {
            name: AGENT,
            sourceConfig: { resource_spec: { memory_mb: 512 } },
            secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }],
          },
        ],
        semantics: {
          topLevelOmit: omits,
          patchEcho: 'sent-only',
          secretsEcho: 'names-only',
          listLag: { seconds: 20 },
        },
      },
      async (w) => {
        w.putSecret('agent-secrets', { API_TOKEN: 'value-of-the-token' });
        w.apply(REPORT);
        await w.pass(60);
        w.apply(spec);
        await w.pass(laterS);
        w.become({ topLevelOmit: 'cleared' });
        const died = killAt(w, 'before the record');
        w.apply({ ...spec, sourceConfig: { resourceSpec: { cpu: 4 } } });
        await w.pass(5);
        expect(died()).toBe(true);
        w.disarm();
        w.start();
        await w.pass(200);
        expect(w.kept().content.secrets).toEqual([]);
        expect(w.condition('Synced')).toBe('False/DriftReported');
        expect(w.message()).toContain('1 change since a write of ours');
        expect(w.message()).toMatch(/gone after a write and not put back: .*secrets/);
      },
    );
});

scenario(
  'a reported edit by hand stays in the request after a write without an answer, although that write is just proven',
  {
    deployments: [{ name: AGENT, source: 'codehost', revisionConfig: { repo_ref: 'main' } }],
    semantics: { patchEcho: 'empty-204', listLag: { seconds: 10 } },
  },
  async (w) => {
    const spec = {
      source: 'codehost',
      driftPolicy: 'Report',
      sourceConfig: { customURL: 'https://agent.example.com' },
    } as const;
    w.apply({ ...spec, sourceConfig: {}, sourceRevisionConfig: { repoRef: 'main' } });
    await w.pass(60);
    w.editAtService('source_revision_config.repo_ref', 'hotfix');
    await w.pass(150);
    expect(w.condition('Synced')).toBe('False/DriftReported');
    w.apply({ ...spec, sourceRevisionConfig: { repoRef: 'main' } });
    await w.pass(3);
    w.apply({ ...spec, sourceRevisionConfig: { repoRef: 'main', graphConfigPath: 'graph.json' } });
    await w.pass(200);
    expect(w.kept().content.revisionConfig).toEqual({ repo_ref: 'hotfix', graph_config_path: 'graph.json' });
    expect(w.condition('Synced')).toBe('False/DriftReported');
  },
);

scenario(
  'a value that our write set is no drift in an older list, after a look that proved that write and led to the next one',
  {
    deployments: [{ ...CODE, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }],
    semantics: {
      topLevelOmit: 'cleared',
      patchEcho: 'empty-204',
      secretsEcho: 'names-only',
      trigger: 'delayed',
    },
  },
  async (w) => {
    w.apply(built('a.json'));
    await w.pass(120);
    w.plan(
      { kind: 'switch', semantics: { listLag: { seconds: 20 } } },
      { match: { operation: 'patch', nth: 2 } },
    );
    w.apply({ ...built('a.json'), sourceConfig: { resourceSpec: { memoryMB: 1024 } } });
    await w.pass(5);
    expect(w.patches()).toHaveLength(2);
    expect(w.bodies()[1]).toHaveProperty('source_revision_config');
    await w.pass(12);
    expect(w.condition('Synced')).not.toBe('False/DriftReported');
    await w.pass(120);
    expect(w.condition('Synced')).toBe('True/InSync');
    expect(w.events.reasons()).not.toContain('DriftDetected');
  },
);

describe('a reported value that our next write empties with its block', () => {
  const given = {
    deployments: [
      {
        name: AGENT,
        sourceConfig: { install_command: 'npm ci', build_command: 'make' },
        revisionConfig: { image_uri: 'r.example.com/agent:1' },
      },
    ],
    semantics: { topLevelOmit: 'cleared' },
  } as const;
  const spec = (tag: number) => ({
    ...REPORT,
    sourceConfig: { installCommand: 'npm ci', buildCommand: 'make' },
    sourceRevisionConfig: { imageURI: `r.example.com/agent:${tag}` },
  });

  judgedScenario('goes back as that person set it, and is reported again', given, async (w) => {
    w.apply(spec(1));
    await w.pass(120);
    w.editAtService('source_config.build_command', 'by hand');
    await w.pass(120);
    expect(w.state()).toBe('False/DriftReported True/Active');
    w.apply(spec(2));
    await w.pass(300);
    expect(w.kept().content.sourceConfig).toEqual({ install_command: 'npm ci', build_command: 'by hand' });
    expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'r.example.com/agent:2' });
    expect(w.state()).toBe('False/DriftReported True/Active');
  });
});

describe('a value that somebody changes just after our write, which no answer shows', () => {
  for (const patchEcho of ['empty-202', 'pre'] as const)
    scenario(
      `is reported and stays (${patchEcho})`,
      { semantics: { patchEcho, listLag: { seconds: 5 } } },
      async (w) => {
        const image = (tag: string) => `registry.example.com/agent:${tag}`;
        const spec = (tag: string) => ({ ...REPORT, sourceRevisionConfig: { imageURI: image(tag) } });
        w.apply(spec('2'));
        await w.pass(300);
        w.apply(spec('3'));
        await w.pass(4);
        expect(w.kept().content.revisionConfig).toMatchObject({ image_uri: image('3') });
        w.editAtService('source_revision_config.image_uri', image('hotfix'));
        await w.pass(600);
        expect(w.kept().content.revisionConfig).toMatchObject({ image_uri: image('hotfix') });
        expect(w.condition('Synced')).toBe('False/DriftReported');
        expect(w.events.reasons()).toContain('DriftDetected');
      },
    );

  for (const policy of ['Report', 'Correct'] as const)
    scenario(
      `stays under Report only, if lists hide it and the answer to an edit of another field is the first to show it (${policy})`,
      { semantics: { patchEcho: 'pre', listShape: ['empty-source-config'] } },
      async (w) => {
        const spec = (n: number, command: string) => ({
          driftPolicy: policy,
          sourceConfig: { customURL: 'https://ours.example.com/', buildCommand: command },
          sourceRevisionConfig: { imageURI: `registry.example.com/agent:${n}` },
        });
        w.apply(spec(2, 'make one'));
        await w.pass(120);
        w.apply(spec(3, 'make one'));
        await w.pass(120);
        w.editAtService('source_config.custom_url', 'https://theirs.example.com/');
        await w.pass(60);
        w.apply(spec(3, 'make two'));
        await w.pass(300);
        const stays = policy === 'Report';
        expect(w.kept().content.sourceConfig).toEqual({
          build_command: 'make two',
          custom_url: stays ? 'https://theirs.example.com/' : 'https://ours.example.com/',
        });
        if (stays) expect(w.condition('Synced')).toBe('False/DriftReported');
      },
    );

  scenario('does not keep an edit away whose request never arrived', {}, async (w) => {
    const image = (tag: string) => `registry.example.com/agent:${tag}`;
    const spec = (tag: string) => ({ ...REPORT, sourceRevisionConfig: { imageURI: image(tag) } });
    w.apply(spec('2'));
    await w.pass(300);
    w.editAtService('source_revision_config.image_uri', image('hotfix'));
    await w.pass(120);
    expect(w.condition('Synced')).toBe('False/DriftReported');
    w.fault({ kind: 'reset-before' }, { match: { operation: 'patch' } });
    w.apply(spec('3'));
    await w.pass(300);
    expect(w.kept().content.revisionConfig).toMatchObject({ image_uri: image('3') });
    expect(w.condition('Synced')).toBe('True/InSync');
  });
});
