import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { patchesAnswer } from '../support/shaped-answers.ts';
import { AGENT, type World } from '../support/world.ts';

const SPEC = { cpu: 2, max_scale: 7, sidecars: [{ name: 'proxy', image: 'registry.example.com/proxy:1' }] };

const FULL = {
  name: AGENT,
  sourceConfig: { build_command: 'make', install_command: 'npm ci', resource_spec: { memory_mb: 512 } },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};

/** Waits, and expects that declared values are there again and that the service does not count as emptying omissions. */
async function expectSetAgain(w: World, values: object): Promise<void> {
  await w.pass(300);
  expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
  expect(w.kept().content.sourceConfig).toMatchObject(values);
  expect(w.state()).toBe('True/InSync True/Active');
}

describe('a field that no list shows', () => {
  for (const driftPolicy of ['Correct', 'Report'] as const)
    scenario(
      `and that the service drops although its answer shows it is ${driftPolicy === 'Correct' ? 'sent once more, as soon as an answer shows that' : 'reported under Report, also by a new process'}`,
      {
        deployments: [FULL],
        semantics: {
          patchEcho: 'partial',
          listShape: ['no-commands'],
          fieldRules: { 'source_config.build_command': 'pretended' },
        },
      },
      async (w) => {
        const command = { buildCommand: 'make ours' };
        w.apply({ driftPolicy, sourceConfig: command });
        await w.pass(100);
        w.apply({ driftPolicy, sourceConfig: { ...command, resourceSpec: { cpu: 2 } } });
        await w.pass(20);
        expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
        w.restart();
        await w.pass(300);
        expect(w.state()).toBe(
          driftPolicy === 'Report' ? 'False/DriftReported True/Active' : 'True/InSync True/Active',
        );
        const commands = w.bodies().filter((body) => JSON.stringify(body).includes('make ours'));
        expect(commands).toHaveLength(driftPolicy === 'Report' ? 1 : 2);
      },
    );

  for (const driftPolicy of ['Correct', 'Report'] as const)
    scenario(
      `and that the answer to a write that clears another one shows as kept is ${driftPolicy === 'Correct' ? 'sent once more' : 'reported under Report'}`,
      {
        deployments: [FULL],
        semantics: {
          patchEcho: 'some-blocks',
          listShape: ['empty-source-config'],
          fieldRules: { 'source_config.build_command': 'pretended' },
        },
      },
      async (w) => {
        const url = { customURL: 'https://a.example.com' };
        const wants = { driftPolicy, sourceConfig: { buildCommand: 'make ours' } };
        w.apply({ ...wants, sourceConfig: url });
        await w.pass(100);
        w.apply({ ...wants, sourceConfig: { ...wants.sourceConfig, ...url } });
        await w.pass(15);
        const image = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } };
        w.apply({ ...wants, sourceConfig: { ...wants.sourceConfig, ...url }, ...image });
        await w.pass(15);
        w.apply({ ...wants, ...image, clear: ['sourceConfig.customURL'] });
        await w.pass(200);
        expect(w.condition('Synced')).toBe(driftPolicy === 'Correct' ? 'True/InSync' : 'False/DriftReported');
        const commands = w.bodies().filter((body) => JSON.stringify(body).includes('make ours'));
        expect(commands).toHaveLength(driftPolicy === 'Correct' ? 2 : 1);
      },
    );
});

describe('a field that no list shows, beside a secret that rotates,', () => {
  const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };
  const secrets = [{ name: 'API', valueFrom: { secretKeyRef: { name: 'rotating', key: 'key' } } }];
  const HIDDEN = { deployments: [FULL, SEEN], semantics: { listShape: ['no-commands'] } } as const;

  const rotate = async (w: World, round: string): Promise<void> => {
    w.putSecret('rotating', { key: `the-${round}-value` });
    await w.pass(300);
  };
  const applied = async (w: World): Promise<void> => {
    w.apply({ secretsOwnership: 'Exclusive', sourceConfig: { buildCommand: 'make ours' }, secrets });
    await rotate(w, 'first');
  };
  const sends = (w: World): number =>
    w.bodies().filter((body) => JSON.stringify(body).includes('make ours')).length;

  scenario(
    'and that the service drops although its answer shows it is sent twice, however often later answers show that',
    {
      ...HIDDEN,
      semantics: { ...HIDDEN.semantics, fieldRules: { 'source_config.build_command': 'pretended' } },
    },
    async (w) => {
      await applied(w);
      for (const round of ['second', 'third', 'fourth']) await rotate(w, round);
      expect(sends(w)).toBe(2);
      expect(w.condition('Synced')).toBe('False/NotConverging');
    },
  );

  scenario(
    'and that somebody changes again after a later answer showed the correction is corrected again',
    HIDDEN,
    async (w) => {
      await applied(w);
      for (const round of ['second', 'third']) {
        w.editAtService('source_config.build_command', `make by hand, the ${round}`);
        await rotate(w, round);
        await rotate(w, `${round}-later`);
      }
      expect(sends(w)).toBe(3);
      expect(w.kept().content.sourceConfig['build_command']).toBe('make ours');
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a value that an answer contradicts', () => {
  const command = { buildCommand: 'make ours' };
  const withURL = (url: string): object => ({
    driftPolicy: 'Report',
    sourceConfig: { ...command, customURL: `https://${url}.example.com` },
  });

  scenario(
    'while a lagging list counts less than the answer is Sent, then reported, and not overwritten under Report',
    { deployments: [FULL], semantics: { listShape: ['no-commands'], listLag: { seconds: 20 } } },
    async (w) => {
      w.apply({ driftPolicy: 'Report', sourceConfig: command });
      await w.pass(150);
      w.editAtService('source_config.build_command', 'make by hand');
      await w.pass(50);
      w.apply(withURL('a'));
      await w.pass(10);
      expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
      await w.pass(300);
      expect(w.state()).toBe('False/DriftReported True/Active');
      expect(w.kept().content.sourceConfig['build_command']).toBe('make by hand');
    },
  );

  scenario(
    'and a later answer confirms is in sync from then on, also for a new process',
    { deployments: [FULL], semantics: { listShape: ['no-commands'] } },
    async (w) => {
      w.apply({ driftPolicy: 'Report', sourceConfig: command });
      await w.pass(150);
      w.editAtService('source_config.build_command', 'make by hand');
      w.apply(withURL('a'));
      await w.pass(150);
      expect(w.state()).toBe('False/DriftReported True/Active');
      w.editAtService('source_config.build_command', 'make ours');
      w.apply(withURL('b'));
      await w.pass(150);
      w.restart();
      await w.pass(150);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(3);
    },
  );

  const guarded = { ...FULL, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] };
  const withoutSecrets = (url: string): object => ({
    ...withURL(url),
    secretsOwnership: 'Exclusive',
    secrets: [],
  });

  /** Makes the next answer show the state before its write, with this command. */
  const nextShows = (w: World, build_command: string | null): void => {
    let isNext = true;
    patchesAnswer(w, (shown) => {
      if (isNext) shown.source_config = { build_command, custom_url: 'https://a.example.com' };
      isNext = false;
    });
  };

  for (const [why, seconds, shows, state] of [
    ['is reported once the window of the write before is over', 200, 'make', 'False/DriftReported'],
    ['is in sync within the window of the write before', 10, 'make', 'True/InSync'],
    ['is in sync if that answer shows no value', 200, null, 'True/InSync'],
  ] as const)
    scenario(
      `which shows nothing of its own write of secrets ${why}, also for a new process`,
      { deployments: [guarded], semantics: { listShape: ['no-commands'], trigger: 'never' } },
      async (w) => {
        w.apply({ driftPolicy: 'Report', sourceConfig: command });
        await w.pass(200);
        w.apply(withURL('a'));
        await w.pass(seconds);
        nextShows(w, shows);
        w.apply(withoutSecrets('a'));
        await w.pass(300);
        w.restart();
        await w.pass(300);
        expect(w.patches()).toHaveLength(3);
        expect(w.condition('Synced')).toBe(state);
      },
    );

  for (const driftPolicy of ['Correct', 'Report'] as const)
    scenario(
      `which shows nothing of its own write, but the spelling of the service, is in sync under ${driftPolicy}`,
      {
        deployments: [{ ...guarded, sourceConfig: {} }],
        semantics: {
          patchEcho: 'pre',
          listShape: ['empty-source-config'],
          normalise: ['trailing-slash'],
          trigger: 'on-presence',
        },
      },
      async (w) => {
        w.apply({ driftPolicy, sourceConfig: { customURL: 'https://a.example.com' } });
        await w.pass(200);
        w.apply({
          ...withoutSecrets('a'),
          driftPolicy,
          sourceConfig: { customURL: 'https://a.example.com' },
        });
        await w.pass(300);
        w.restart();
        await w.pass(300);
        expect(w.patches()).toHaveLength(2);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );

  for (const [of, next] of [
    ['the same block', withURL('b')],
    ['secrets', withoutSecrets('a')],
  ] as const)
    for (const shows of ['make', null])
      scenario(
        `which shows nothing of its own write of ${of}, but an old ${shows ?? 'absence'}, goes along in whole bodies`,
        {
          deployments: [guarded],
          semantics: {
            nested: { sourceConfig: 'replace' },
            listShape: ['no-commands'],
            trigger: 'never',
          },
          connection: { patch: { bodies: 'Full' } },
        },
        async (w) => {
          w.apply({ driftPolicy: 'Report', sourceConfig: command });
          await w.pass(200);
          w.apply(withURL('a'));
          await w.pass(200);
          nextShows(w, shows);
          w.apply(next);
          await w.pass(300);
          w.apply({ ...next, ...withURL('c') });
          await w.pass(300);
          expect(w.kept().content.sourceConfig).toMatchObject({
            build_command: 'make ours',
            custom_url: 'https://c.example.com',
          });
        },
      );

  const withCPU = { sourceConfig: { ...command, resourceSpec: { cpu: 2 } } };

  scenario(
    'and that lists show as it was before is not in sync for a new process',
    { deployments: [FULL], semantics: { fieldRules: { 'source_config.build_command': 'ignored' } } },
    async (w) => {
      w.apply({ sourceConfig: command });
      await w.pass(8);
      w.apply(withCPU);
      await w.pass(8);
      w.restart();
      await w.pass(300);
      expect(w.state()).toBe('False/NotConverging False/NotConverging');
    },
  );

  scenario(
    'and that somebody set is not overwritten if the policy becomes Report before the window is over',
    { deployments: [FULL], semantics: { listShape: ['no-commands'] } },
    async (w) => {
      w.apply({ sourceConfig: command });
      await w.pass(200);
      w.editAtService('source_config.build_command', 'theirs');
      await w.pass(100);
      w.apply(withCPU);
      await w.pass(10);
      w.apply({ ...withCPU, driftPolicy: 'Report' });
      await w.pass(300);
      expect(w.kept().content.sourceConfig['build_command']).toBe('theirs');
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );
});

describe('a field that the list stops showing', () => {
  scenario(
    'is not overwritten by our managed part of it (H2, N31)',
    { deployments: [{ name: AGENT, sourceConfig: { resource_spec: { ...SPEC, cpu: 1 } } }] },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(300);
      w.become({ fieldRules: { 'source_config.resource_spec': 'hidden' } });
      await w.pass(900);
      expect(w.patches()).toHaveLength(1);
      expect(w.kept().content.sourceConfig).toEqual({ resource_spec: SPEC });
    },
  );

  scenario(
    'that our next write emptied with its block is sent again although another field beside the block stays',
    {
      deployments: [FULL],
      semantics: {
        topLevelOmit: 'cleared',
        listShape: ['no-secrets', 'no-revision-block'],
        fieldRules: { 'source_config.build_command': 'pretended' },
      },
    },
    async (w) => {
      const volumes = { sourceConfig: { resourceSpec: { volumes: [{ name: 'a' }] } } };
      w.apply(volumes);
      await w.pass(1);
      w.apply({ ...volumes, clear: ['sourceRevisionConfig.imageURI'] });
      await w.pass(600);
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ volumes: [{ name: 'a' }] });
    },
  );

  scenario(
    'together with a second one, each emptied in turn by our writes, is sent together with it the second time',
    {
      deployments: [FULL],
      semantics: {
        nested: {
          sourceConfig: 'replace',
          revisionConfig: 'merge-null-ignored',
          resourceSpec: 'merge-null-ignored',
        },
        fieldRules: { 'source_config.build_command': 'pretended' },
      },
    },
    async (w) => {
      const url = { customURL: 'https://agent.example.com' };
      w.apply({});
      await w.pass(60);
      w.apply({ sourceConfig: url });
      await w.pass(1);
      w.editAtService('source_config.install_command', 'npm ci');
      await w.pass(100);
      w.apply({ sourceConfig: { ...url, resourceSpec: { labels: { tier: 'one' } } } });
      await w.pass(900);
      expect(w.kept().content.sourceConfig).toMatchObject({
        custom_url: 'https://agent.example.com',
        resource_spec: { labels: { tier: 'one' } },
      });
      expect(w.patches().length).toBeLessThanOrEqual(6);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'together with a second one, each emptied in turn, goes with it at once, although omissions seemed to be kept',
    {
      deployments: [FULL],
      semantics: {
        nested: { sourceConfig: 'replace' },
        fieldRules: { 'source_config.build_command': 'pretended' },
        patchEcho: 'pre',
        listLag: { seconds: 55 },
      },
    },
    async (w) => {
      const image = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } };
      const url = { customURL: 'https://agent.example.com' };
      const resourceSpec = { labels: { tier: 'one' } };
      w.apply(image);
      await w.pass(200);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Keep');
      w.apply({ ...image, sourceConfig: url });
      await w.pass(200);
      w.apply({ ...image, sourceConfig: { ...url, resourceSpec } });
      await w.pass(900);
      const setsURL = { source_config: { custom_url: url.customURL } };
      const setsLabels = { source_config: { resource_spec: resourceSpec } };
      const setsBoth = { source_config: { ...setsURL.source_config, ...setsLabels.source_config } };
      expect(w.bodies().slice(1)).toMatchObject([setsURL, setsLabels, setsURL, setsLabels, setsBoth]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'together with a second one, each emptied by our writes, beside an unsendable secret, is reported by name',
    {
      deployments: [{ ...FULL, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }],
      semantics: {
        nested: {
          sourceConfig: 'replace',
          revisionConfig: 'merge-null-ignored',
          resourceSpec: 'merge-null-ignored',
        },
        fieldRules: { 'source_config.build_command': 'pretended' },
      },
    },
    async (w) => {
      const cpu = { resourceSpec: { cpu: 2 } };
      w.apply({ sourceConfig: cpu });
      await w.pass(1);
      w.apply({ sourceConfig: { ...cpu, customURL: 'https://agent.example.com' } });
      await w.pass(900);
      expect(w.condition('Synced')).toBe('False/SemanticsMismatch');
      expect(w.kept().content.sourceConfig).not.toHaveProperty('resource_spec');
      expect(w.message()).toContain('sourceConfig.resourceSpec.cpu');
    },
  );

  scenario(
    'after a removal between a list and our next write, beside a text also left out by that write, teaches nothing',
    {
      deployments: [
        { ...FULL, sourceConfig: { resource_spec: { memory_mb: 512, service_account_name: 'theirs' } } },
      ],
      semantics: { patchEcho: 'empty-204' },
    },
    async (w) => {
      const cpu = { resourceSpec: { cpu: 2 } };
      w.apply({ sourceConfig: cpu });
      await w.pass(180);
      w.editAtService('source_config.resource_spec.cpu', 1);
      await w.pass(300);
      w.editAtService('source_config.resource_spec.cpu', null);
      w.apply({ sourceConfig: { ...cpu, customURL: 'https://agent.example.com' } });
      await w.pass(300);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
    },
  );

  scenario(
    'after a removal that follows the list which had to show our write, teaches nothing about the service',
    { deployments: [FULL], semantics: { patchEcho: 'pre', trigger: 'on-change' } },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(180);
      w.editAtService('source_config.resource_spec.cpu', null);
      await w.pass(300);
      w.annotate('redeploy', 'one');
      await w.pass(64);
      w.editAtService('source_config.resource_spec.cpu', null);
      await w.pass(300);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
    },
  );

  scenario(
    'by the hand of a person for the second time, just before our next write, teaches nothing about the service',
    {
      deployments: [
        {
          name: AGENT,
          source: 'codehost',
          sourceConfig: { build_command: 'make', install_command: 'npm ci' },
          revisionConfig: { repo_ref: 'main', graph_config_path: 'theirs.json' },
        },
      ],
      semantics: { patchEcho: 'empty-204' },
    },
    async (w) => {
      const branch = { source: 'codehost' as const, sourceRevisionConfig: { repoRef: 'release' } };
      w.apply(branch);
      await w.pass(180);
      w.editAtService('source_revision_config.repo_ref', null);
      await w.pass(300);
      w.editAtService('source_revision_config.repo_ref', null);
      w.apply({ ...branch, sourceConfig: { buildCommand: 'make ours' } });
      await w.pass(300);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
      expect(w.kept().content.revisionConfig['repo_ref']).toBe('release');
    },
  );

  for (const [why, fault] of [
    ['did not arrive', { kind: 'reset-before' }],
    ['was refused for now', { kind: 'status', status: 409 }],
  ] as const) {
    scenario(
      `by the hand of a person, and still missing as the write that set it again ${why}, teaches nothing`,
      { deployments: [FULL] },
      async (w) => {
        const url = { customURL: 'https://agent.example.com' };
        const remove = { path: 'source_config.custom_url', value: null } as const;
        w.apply({ sourceConfig: url });
        await w.pass(180);
        w.editAtService(remove.path, remove.value);
        await w.pass(300);
        w.plan({ kind: 'edit', deployment: AGENT, ...remove });
        w.apply({ sourceConfig: { ...url, buildCommand: 'make ours' } });
        await w.pass(1);
        w.fault(fault);
        await expectSetAgain(w, { custom_url: url.customURL, build_command: 'make ours' });
      },
    );

    scenario(
      `with its whole resource spec, and still missing as the write that set it again ${why}, teaches nothing`,
      { deployments: [FULL], semantics: { patchEcho: 'empty-204', listLag: { reads: 2 } } },
      async (w) => {
        const cpu = { resourceSpec: { cpu: 2 } };
        w.apply({ sourceConfig: cpu });
        await w.pass(180);
        w.apply({ sourceConfig: { ...cpu, buildCommand: 'make ours' } });
        await w.pass(100);
        w.editAtService('source_config.resource_spec', null);
        w.fault(fault);
        await expectSetAgain(w, { resource_spec: { cpu: 2 }, build_command: 'make ours' });
      },
    );
  }

  scenario(
    'and that only reads of this deployment showed is restored',
    {
      deployments: [FULL, { name: 'neighbour' }, { name: 'another' }, { name: 'a-third' }],
      connection: { list: { pageSize: 2 } },
      semantics: { patchEcho: 'empty-202' },
    },
    async (w) => {
      w.apply({});
      await w.pass(66);
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(45);
      w.editAtService('source_config.resource_spec.cpu', null);
      await w.pass(300);
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
    },
  );

  scenario(
    'because another client emptied it, with a new revision, is restored',
    { deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }] },
    async (w) => {
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(600);
      w.editAtService('source_revision_config.image_uri', null);
      await w.pass(300);
      expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:2' });
      expect(w.events.reasons()).toContain('DriftCorrected');
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'or never showed is not corrected if the list always shows a resource spec as null',
    { semantics: { listShape: ['resource-spec-null'] } },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { volumes: [{ name: 'a' }] } } });
      await w.pass(900);
      expect(w.patches()).toHaveLength(1);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'counts as empty if lists show it when set, and is not emptied again',
    {
      deployments: [{ name: AGENT, sourceConfig: { build_command: 'make' } }],
      semantics: { patchEcho: 'empty-202' },
    },
    async (w) => {
      w.apply({ clear: ['sourceConfig.buildCommand'] });
      await w.pass(900);
      expect(w.patches()).toHaveLength(1);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'that our write emptied, as its answer shows, and that another client filled later without a list showing it',
    {
      deployments: [{ name: AGENT, source: 'codehost', revisionConfig: { repo_ref: 'main' } }],
      semantics: { listShape: ['no-revision-block'], listLag: { seconds: 20 } },
      connection: { patch: { bodies: 'Full' } },
    },
    async (w) => {
      const clear = { source: 'codehost', clear: ['sourceRevisionConfig.repoRef'] } as const;
      w.apply({ source: 'codehost' });
      await w.pass(60);
      w.apply(clear);
      await w.pass(200);
      expect(w.patches()).toHaveLength(1);
      w.editAtService('source_revision_config.repo_ref', 'main');
      await w.pass(200);
      w.apply({ ...clear, sourceConfig: { customURL: 'https://agent.example.com' } });
      await w.pass(300);
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a declared key of a resource spec that is gone as a whole', () => {
  scenario(
    'within the window of a write that a list has shown is not in sync, and goes again after the window',
    { deployments: [FULL] },
    async (w) => {
      const declared = (tag: string): void =>
        w.apply({
          sourceConfig: { resourceSpec: { cpu: 2 } },
          sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
        });
      declared('1');
      await w.pass(150);
      declared('2');
      await w.pass(12);
      w.editAtService('source_config.resource_spec', null);
      await w.pass(20);
      expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
      await w.pass(150);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
    },
  );

  scenario(
    'that lists hide after the creation, which asked for it, does not go again',
    { deployments: [FULL], semantics: { rollout: { kind: 'after', seconds: 5 } } },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 1 } } });
      await w.pass(100);
      const creation = { policy: 'IfMissing', extra: { deployment_type: 'dev' } } as const;
      const asked = { creation, sourceConfig: { resourceSpec: { cpu: 2 } } };
      w.apply({ source: 'internal_container', ...asked }, 'new-agent');
      await w.pass(5);
      w.become({ listShape: ['no-resource-spec'] }, { deployment: 'new-agent' });
      await w.pass(300);
      expect(w.condition('Synced', 'new-agent')).toBe('True/InSync');
      expect(w.bodies()).toMatchObject([{ source_config: { resource_spec: { cpu: 1 } } }]);
    },
  );

  scenario(
    'goes again if a person removed the resource spec after lists have shown what the creation asked for',
    { deployments: [FULL] },
    async (w) => {
      const asked = {
        creation: { policy: 'IfMissing' },
        sourceConfig: { resourceSpec: { cpu: 2 } },
      } as const;
      w.apply(asked, 'new-agent');
      await w.pass(300);
      w.restart();
      await w.pass(100);
      w.editAtService('source_config.resource_spec', null, 'new-agent');
      await w.pass(300);
      expect(w.kept('new-agent').content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
      expect(w.state('new-agent')).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'that lists hide after others have set more in it does not go again: that would remove their values (H2, N31)',
    { deployments: [FULL] },
    async (w) => {
      w.apply({ creation: { policy: 'IfMissing' }, sourceConfig: { resourceSpec: { cpu: 2 } } }, 'new-agent');
      await w.pass(200);
      w.editAtService('source_config.resource_spec.sidecars', SPEC.sidecars, 'new-agent');
      await w.pass(100);
      w.become({ fieldRules: { 'source_config.resource_spec': 'hidden' } });
      await w.pass(600);
      expect(w.kept('new-agent').content.sourceConfig['resource_spec']).toEqual({
        cpu: 2,
        sidecars: SPEC.sidecars,
      });
      expect(w.state('new-agent')).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'goes again if a person removed the resource spec after a redeploy and a refused edit',
    { deployments: [FULL] },
    async (w) => {
      const imageURI = 'registry.example.com/agent:2';
      const sourceConfig = { resourceSpec: { cpu: 2 } };
      const spec = { sourceConfig, sourceRevisionConfig: { imageURI } };
      w.apply(spec);
      await w.pass(150);
      w.annotate('redeploy', 'r1');
      await w.pass(150);
      expect(w.bodies()).toHaveLength(2);
      w.fault({ kind: 'status', status: 422 });
      w.apply({ ...spec, sourceConfig: { ...sourceConfig, customURL: 'https://agent.example.com' } });
      await w.pass(30);
      expect(w.condition('Synced')).toBe('False/Rejected');
      w.apply(spec);
      await w.pass(150);
      w.editAtService('source_config.resource_spec', null);
      await w.pass(300);
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  for (const [when, waitS] of [
    ['before a redeploy that waited for a rollout', 30],
    ['after a redeploy', 300],
  ] as const) {
    scenario(
      `because a person removed the resource spec ${when} goes again`,
      { deployments: [FULL], semantics: { rollout: { kind: 'after', seconds: 200 } } },
      async (w) => {
        w.apply({
          sourceConfig: { resourceSpec: { cpu: 2 } },
          sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
        });
        await w.pass(100);
        w.annotate('redeploy', 'r1');
        await w.pass(waitS);
        w.editAtService('source_config.resource_spec', null);
        await w.pass(900);
        expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }
});

describe('a declared field that a redeploy emptied', () => {
  scenario(
    'stays reported under Report, if only a new process sees that',
    { deployments: [FULL], semantics: { topLevelOmit: 'cleared', patchEcho: 'pre' } },
    async (w) => {
      w.apply({ driftPolicy: 'Report', sourceConfig: { buildCommand: 'make' } });
      await w.pass(100);
      w.become({ listLag: { reads: 3 } });
      w.annotate('redeploy', 'r1');
      await w.pass(5);
      expect(w.kept().content.sourceConfig).toEqual({});
      w.kill();
      await w.pass(80);
      w.become({ listLag: { seconds: 0 } });
      w.restart();
      for (let round = 0; round < 6; round += 1) {
        await w.pass(10);
        expect(w.condition('Synced')).toBe('False/DriftReported');
      }
    },
  );
});
