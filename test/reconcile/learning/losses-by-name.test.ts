import { describe, expect } from 'vitest';
import { killAt } from '../support/crash.ts';
import type { WireObject } from '../../../src/wire/wire-json.ts';
import { scenario } from '../support/scenario.ts';
import { listsShow, patchesAnswer, type ShownDeployment } from '../support/shaped-answers.ts';
import { AGENT, type World } from '../support/world.ts';

const SECRET = { name: 'BY_HAND', value: 'value-set-by-hand' };
const X = {
  name: AGENT,
  sourceConfig: { build_command: 'make', resource_spec: { memory_mb: 2048, service_account_name: 'theirs' } },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
  secrets: [SECRET],
};
const TWO_TEXTS = { ...X, sourceConfig: { ...X.sourceConfig, install_command: 'npm ci' }, secrets: [] };
const NEIGHBOUR = { ...X, name: 'neighbour' };
const EMPTIES = { topLevelOmit: 'cleared', secretsEcho: 'stars' } as const;

const image = (tag: number) => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
});

/** Makes lists show the deployment, on request, as the first list from now on shows it. */
function replicaOf(w: World): { readonly fallsBehind: () => void; readonly catchesUp: () => void } {
  let old: ShownDeployment | undefined;
  let isBehind = false;
  listsShow(w, (shown) => {
    if (shown.name !== AGENT) return;
    old ??= structuredClone(shown);
    if (isBehind) Object.assign(shown, structuredClone(old));
  });
  return { fallsBehind: () => void (isBehind = true), catchesUp: () => void (isBehind = false) };
}

const secretsOf = (w: World): readonly string[] => w.kept().content.secrets.map(({ name }) => name);

/** Kills the process during a write that empties every field it leaves out. */
async function dieAfterWrite(w: World): Promise<void> {
  w.apply(image(1));
  await w.pass(100);
  const died = killAt(w, 'before the answer arrives');
  w.apply(image(2));
  await w.pass(5);
  expect(died()).toBe(true);
  w.disarm();
}

describe('a field that a write left out as a whole', () => {
  scenario(
    'is named although the revision of somebody else proved the write to the next process, in a list from before it',
    {
      deployments: [X],
      semantics: { ...EMPTIES, trigger: 'never', patchEcho: 'empty-204', listLag: { reads: 1 } },
    },
    async (w) => {
      w.apply({});
      await w.pass(61);
      w.service.act({ kind: 'push', deployment: AGENT, commit: 'c'.repeat(40), build: true });
      w.fault({ kind: 'fail-then-apply-late', how: 'reset', afterMs: 8_000 });
      w.annotate('redeploy', 'now');
      await w.pass(0.5);
      w.restart();
      await w.pass(20);
      w.annotate('reconcile-at', 'now');
      await w.pass(20);
      expect(w.status().lastPatch?.outcome).toBe('Verified');
      await w.pass(300);
      expect(w.status().lost).toContain('sourceConfig.buildCommand');
    },
  );

  scenario(
    'is known to the next process although the next write was to carry it, and was never sent',
    { deployments: [X], semantics: { ...EMPTIES, listLag: { seconds: 50 } } },
    async (w) => {
      patchesAnswer(w, (shown) => {
        for (const block of ['source_config', 'secrets']) Reflect.deleteProperty(shown, block);
      });
      w.apply({});
      await w.pass(100);
      w.apply(image(2));
      await w.pass(5);
      const died = killAt(w, 'after the announcement');
      w.apply({ ...image(2), sourceConfig: { resourceSpec: { cpu: 4 } } });
      await w.pass(40);
      expect(died()).toBe(true);
      w.start();
      await w.pass(300);
      expect(w.status().lost).toContain('sourceConfig.resourceSpec.memoryMB');
    },
  );

  scenario(
    'is known to the next process although the answer showed the state before the write',
    {
      deployments: [TWO_TEXTS],
      semantics: { topLevelOmit: 'cleared', patchEcho: 'pre', listLag: { seconds: 20 } },
    },
    async (w) => {
      w.apply({});
      await w.pass(100);
      w.apply({ sourceConfig: { customURL: 'https://agent.example.com' } });
      await w.pass(5);
      w.restart();
      await w.pass(300);
      expect(w.kept().content.revisionConfig).toEqual({});
      expect(w.status().lost).toEqual(['sourceRevisionConfig.imageURI']);
    },
  );

  scenario(
    'is reported secret by secret, even if another client has filled the list again',
    { deployments: [X], semantics: EMPTIES },
    async (w) => {
      await dieAfterWrite(w);
      w.editAtService('secrets.ANOTHER', 'value-of-another-secret');
      w.start();
      await w.pass(200);
      expect(w.status().lost).toContain('secrets.BY_HAND');
      expect(w.message()).toContain('secrets.BY_HAND');
    },
  );

  scenario(
    'is reported key by key, if the service fills a resource spec with its defaults',
    { deployments: [X], semantics: { ...EMPTIES, normalise: ['add-defaults'] } },
    async (w) => {
      await dieAfterWrite(w);
      w.start();
      await w.pass(200);
      expect(w.status().lost).toContain('sourceConfig.resourceSpec.serviceAccountName');
    },
  );
});

describe('a repair without proof in an answer', () => {
  scenario(
    'is repeated once, with the values from before the loss',
    { deployments: [{ ...X, secrets: [] }], semantics: EMPTIES },
    async (w) => {
      w.apply(image(1));
      await w.pass(100);
      // A sign-in page answers instead of the service, which receives nothing of the repair.
      const repair = { match: { operation: 'patch', nth: 2 } } as const;
      w.fault({ kind: 'wrong-type' }, repair);
      w.fault({ kind: 'status', status: 200 }, repair);
      w.apply(image(2));
      await w.pass(400);
      expect(w.kept().content.sourceConfig).toEqual(X.sourceConfig);
    },
  );

  scenario(
    'does not restore a value that a list has shown again and a person then removes',
    { deployments: [{ ...X, secrets: [] }], semantics: { ...EMPTIES, patchEcho: 'empty-204' } },
    async (w) => {
      w.apply(image(1));
      await w.pass(100);
      w.apply(image(2));
      await w.pass(75);
      expect(w.kept().content.sourceConfig).toEqual(X.sourceConfig);
      await w.pass(20);
      w.editAtService('source_config.build_command', null);
      await w.pass(400);
      expect(w.kept().content.sourceConfig['build_command']).toBeUndefined();
    },
  );

  for (const fault of [undefined, { kind: 'apply-then-fail', how: 'reset' }] as const)
    scenario(
      `does not restore a value that a person removes before a list shows it${fault ? ', nor where it is cut off' : ''}`,
      { deployments: [TWO_TEXTS], semantics: { ...EMPTIES, patchEcho: 'empty-204' } },
      async (w) => {
        if (fault) w.fault(fault, { match: { operation: 'patch', nth: 2 } });
        w.apply(image(1));
        await w.pass(100);
        w.apply(image(2));
        while (w.kept().content.sourceConfig['build_command'] !== undefined) await w.pass(0.01);
        while (w.kept().content.sourceConfig['build_command'] === undefined) await w.pass(0.01);
        w.editAtService('source_config.build_command', null);
        await w.pass(600);
        expect(w.kept().content.sourceConfig['build_command']).toBeUndefined();
        expect(w.kept().content.sourceConfig['install_command']).toBe('npm ci');
      },
    );

  scenario(
    'keeps a value that another client set after the loss was found',
    { deployments: [{ ...X, secrets: [] }], semantics: EMPTIES },
    async (w) => {
      w.apply({ ...image(1), rollout: { maxRevisionsPerHour: 1 } });
      await w.pass(100);
      w.apply({ ...image(2), rollout: { maxRevisionsPerHour: 1 } });
      await w.pass(20);
      w.editAtService('source_config.resource_spec.service_account_name', 'another');
      await w.pass(4000);
      expect(w.kept().content.sourceConfig).toEqual({
        ...X.sourceConfig,
        resource_spec: { memory_mb: 2048, service_account_name: 'another' },
      });
    },
  );

  scenario(
    'keeps and names a value that another client set before the loss was found',
    { deployments: [TWO_TEXTS], semantics: { ...EMPTIES, patchEcho: 'empty-204' } },
    async (w) => {
      w.apply(image(1));
      await w.pass(100);
      w.apply(image(2));
      while (w.kept().content.sourceConfig['build_command'] !== undefined) await w.pass(0.01);
      w.editAtService('source_config.resource_spec.memory_mb', 512);
      await w.pass(400);
      expect(w.kept().content.sourceConfig['resource_spec']).toEqual({
        memory_mb: 512,
        service_account_name: 'theirs',
      });
      const told = w.events.all.map(({ event }) => event.message);
      expect(told).toContain('gone after a write and not put back: sourceConfig.resourceSpec.memoryMB');
    },
  );
});

describe('a change by another client just before a write that no list shows for a while', () => {
  const TWO_PATHS = {
    ...TWO_TEXTS,
    revisionConfig: { ...X.revisionConfig, graph_config_path: 'graph.json' },
  };
  const command = { sourceConfig: { buildCommand: 'make one' } };

  scenario(
    'is restored if an answer shows it in the state before the write (N14)',
    { deployments: [TWO_PATHS], semantics: { ...EMPTIES, patchEcho: 'pre', listLag: { seconds: 20 } } },
    async (w) => {
      w.apply({});
      await w.pass(60);
      w.editAtService('source_revision_config.graph_config_path', 'another.json');
      w.apply(command);
      await w.pass(200);
      expect(w.patches()).toHaveLength(2);
      expect(w.kept().content.revisionConfig).toEqual({
        ...X.revisionConfig,
        graph_config_path: 'another.json',
      });
    },
  );

  scenario(
    'is not restored if lists show it alone before they show the effect of the write',
    { deployments: [TWO_PATHS], semantics: { ...EMPTIES, listLag: { seconds: 20 } } },
    async (w) => {
      w.apply({});
      await w.pass(60);
      w.editAtService('source_revision_config.graph_config_path', null);
      await w.pass(12);
      w.apply(command);
      await w.pass(200);
      expect(w.patches()).toHaveLength(2);
      expect(w.kept().content.revisionConfig).toEqual(X.revisionConfig);
    },
  );
});

describe('the revision of another client who set what we declare, in a list from before our write', () => {
  const declared = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:3' } };

  scenario(
    'proves no write whose answer shows a default in place of a value that the list shows as before',
    {
      deployments: [{ ...X, sourceConfig: { ...X.sourceConfig, resource_spec: { memory_mb: 512, cpu: 2 } } }],
      semantics: {
        ...{ ...EMPTIES, normalise: ['add-defaults'], patchEcho: 'sent-keys', trigger: 'on-change' },
        ...{ revisionFor: 'revision-config', listLag: { reads: 2 } },
      },
    },
    async (w) => {
      w.apply({});
      await w.pass(170);
      w.editAtService('source_revision_config.image_uri', declared.sourceRevisionConfig.imageURI);
      await w.pass(1);
      w.apply(declared);
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toMatchObject({ build_command: 'make' });
    },
  );
});

describe('unmanaged secrets', () => {
  scenario(
    'stay if an answer shows an empty list that no request caused (H3)',
    { deployments: [X, NEIGHBOUR], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      patchesAnswer(w, (shown, asked) => {
        if (asked['secrets'] === undefined) shown.secrets = [];
      });
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      const secrets = [
        { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } },
      ];
      w.apply({ ...image(1), secrets });
      await w.pass(100);
      w.apply({ ...image(2), secrets });
      await w.pass(200);
      expect(secretsOf(w)).toEqual(['BY_HAND']);
      expect(w.state()).toContain('UnmanagedSecretsPresent');
    },
  );

  const TOKEN = { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } };

  scenario(
    'are reported, although a list from before the write that emptied them shows them again',
    { deployments: [X, NEIGHBOUR], semantics: { ...EMPTIES, trigger: 'never' } },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply({ secrets: [TOKEN] });
      await w.pass(100);
      expect(w.state()).toContain('UnmanagedSecretsPresent');
      const replica = replicaOf(w);
      await w.pass(70);
      w.annotate('redeploy', 'now');
      while (w.patches().length < 3) await w.pass(0.1);
      expect(w.bodies()[0]).not.toHaveProperty('secrets');
      expect(w.bodies()[1]).toEqual({ secrets: [{ name: 'TOKEN', value: 'the-first-token-value' }] });
      replica.fallsBehind();
      await w.pass(20);
      replica.catchesUp();
      await w.pass(300);
      expect(secretsOf(w)).toEqual(['TOKEN']);
      expect(w.status().lost).toEqual(['secrets.BY_HAND']);
    },
  );

  scenario(
    'are not reported if a list that shows them beside ours came before somebody removed them',
    {
      deployments: [{ ...X, secrets: [] }, NEIGHBOUR],
      semantics: { secretsEcho: 'stars', patchEcho: 'sent-only' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply({ ...image(1), secrets: [TOKEN] });
      await w.pass(100);
      w.editAtService('secrets.BY_HAND', SECRET.value);
      await w.pass(70);
      w.apply({ ...image(2), secrets: [TOKEN] });
      await w.pass(20);
      expect(secretsOf(w)).toEqual(['TOKEN', 'BY_HAND']);
      w.editAtService('secrets.BY_HAND', null);
      await w.pass(300);
      expect(w.status().lost).toBeUndefined();
    },
  );
});

describe('a secret that the spec has just released', () => {
  const LAGS = { ...EMPTIES, revisionFor: 'revision-config', listLag: { seconds: 20 } } as const;

  /** Sends a secret, and releases it before a list shows the write that emptied the revision block. */
  async function releases(w: World): Promise<void> {
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    const secrets = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }];
    const cpu = { sourceConfig: { resourceSpec: { cpu: 4 } }, secretsOwnership: 'Exclusive' } as const;
    w.apply({ secretsOwnership: 'Exclusive' });
    await w.pass(100);
    w.apply(cpu);
    await w.pass(10);
    w.apply({ ...cpu, secrets });
    await w.pass(5);
    expect(secretsOf(w)).toEqual(['TOKEN']);
    w.apply(cpu);
  }

  scenario(
    'is reported if a repair leaves it out, although the list behind the repair is older than the secret',
    { deployments: [X, NEIGHBOUR], semantics: LAGS },
    async (w) => {
      await releases(w);
      await w.pass(300);
      expect(w.bodies()[2]).not.toHaveProperty('secrets');
      expect(secretsOf(w)).toEqual([]);
      expect(w.status().lost).toContain('secrets.TOKEN');
    },
  );

  scenario(
    'is not reported if the service keeps it',
    { deployments: [X, NEIGHBOUR], semantics: LAGS },
    async (w) => {
      await releases(w);
      w.become({ topLevelOmit: 'unchanged' });
      await w.pass(300);
      expect(w.bodies()[2]).not.toHaveProperty('secrets');
      expect(secretsOf(w)).toEqual(['TOKEN']);
      expect(w.status().lost ?? []).not.toContain('secrets.TOKEN');
    },
  );
});

describe('a number that the service rounds', () => {
  scenario(
    'is recognized in the first list, if the answer shows the state before the write (N14)',
    { deployments: [X], semantics: { patchEcho: 'pre', normalise: ['integer'], secretsEcho: 'stars' } },
    async (w) => {
      w.apply({ sourceConfig: {} });
      await w.pass(100);
      // A build between the read and the write makes the answer show another revision than the read.
      w.service.act({ kind: 'push', deployment: AGENT, commit: 'c'.repeat(40), build: true });
      w.apply({ sourceConfig: { customURL: 'https://agent.example.com', resourceSpec: { cpu: 1.55 } } });
      await w.pass(600);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

scenario(
  'keys of a resource spec that are gone after a write are no longer reported once a list shows them again',
  {
    deployments: [
      {
        name: AGENT,
        sourceConfig: { install_command: 'npm ci', resource_spec: { cpu: 2, labels: { team: 'theirs' } } },
        revisionConfig: { image_uri: 'registry.example.com/agent:0' },
      },
    ],
    semantics: { normalise: ['add-defaults'], patchEcho: 'pre', listLag: { seconds: 5 } },
  },
  async (w) => {
    const becomes = (spec: WireObject): void => w.editAtService('source_config.resource_spec', spec);
    w.apply({ driftPolicy: 'Report' });
    await w.pass(100);
    w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } });
    await w.pass(2);
    becomes({ cpu: 1 });
    await w.pass(120);
    expect(w.status().lost).toEqual(['sourceConfig.resourceSpec.labels']);
    becomes({ cpu: 1, labels: { team: 'theirs' } });
    await w.pass(300);
    expect(w.status().lost).toBeUndefined();
    becomes({ cpu: 1 });
    await w.pass(300);
    expect(w.status().lost).toBeUndefined();
  },
);
