import { describe, expect } from 'vitest';
import { CRASH_POINTS, killAt } from '../support/crash.ts';
import { scenario } from '../support/scenario.ts';
import { patchesAnswer } from '../support/shaped-answers.ts';
import { AGENT, type World } from '../support/world.ts';

const IMAGE = { image_uri: 'registry.example.com/agent:1' };
const BY_HAND = { custom_url: 'https://by-hand.example.com', install_command: 'npm ci' };
const X = {
  name: AGENT,
  sourceConfig: { build_on_push: true, ...BY_HAND },
  revisionConfig: IMAGE,
};

const declare = (w: World, buildOnPush: boolean): void => w.apply({ sourceConfig: { buildOnPush } });
const told = (w: World, reason: string): readonly string[] =>
  w.events.all.filter(({ event }) => event.reason === reason).map(({ event }) => event.message);

describe('a field that a person removed between two processes is reported, and teaches nothing', () => {
  const beside = {
    'another text': { install_command: 'npm ci' },
    'a text of the resource spec': { resource_spec: { service_account_name: 'theirs' } },
  };
  for (const [what, others] of Object.entries(beside)) {
    const sourceConfig = { build_on_push: true, custom_url: BY_HAND.custom_url, ...others };
    scenario(`beside ${what} that stays`, { deployments: [{ ...X, sourceConfig }] }, async (w) => {
      declare(w, true);
      await w.pass(100);
      const died = killAt(w, 'after the announcement');
      declare(w, false);
      await w.pass(5);
      expect(died()).toBe(true);
      w.start();
      await w.pass(30);
      w.editAtService('source_config.custom_url', null);
      await w.pass(60);
      expect(w.patches()).toHaveLength(1);
      w.restart();
      await w.pass(200);
      expect(w.message()).toContain('gone after a write and not put back: sourceConfig.customURL');
      expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
    });
  }
});

scenario(
  'secrets that a declared list drops on purpose are not a loss, even for a process that did not send it',
  {
    deployments: [{ ...X, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }],
    semantics: { patchEcho: 'empty-204', listLag: { seconds: 20 } },
  },
  async (w) => {
    const spec = { secretsOwnership: 'Exclusive', sourceConfig: { buildOnPush: false } } as const;
    w.apply(spec);
    await w.pass(45);
    w.apply({ ...spec, secrets: [] });
    await w.pass(15);
    w.restart();
    await w.pass(300);
    expect(w.kept().content.secrets).toEqual([]);
    expect(told(w, 'UnmanagedSecretsLost')).toEqual([]);
    expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
    expect(w.state()).toBe('True/InSync True/Active');
  },
);

describe('a process that dies between a write that empties and its repair (B15)', () => {
  for (const point of CRASH_POINTS) {
    scenario(
      `${point}: the lost fields are restored, or reported and learned from`,
      { deployments: [X], semantics: { nested: { sourceConfig: 'replace' } } },
      async (w) => {
        declare(w, true);
        await w.pass(100);
        const died = killAt(w, point);
        declare(w, false);
        await w.pass(5);
        expect(died()).toBe(true);
        w.disarm();
        w.start();
        await w.pass(900);
        expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Replace');
        expect(told(w, 'SemanticsMismatch')).toHaveLength(1);
        const kept = w.kept().content.sourceConfig;
        expect(w.state()).toBe('True/InSync True/Active');
        if (kept['custom_url'] !== undefined) {
          expect(kept).toEqual({ build_on_push: false, ...BY_HAND });
          expect(w.status().lost).toBeUndefined();
          return;
        }
        for (const path of ['sourceConfig.customURL', 'sourceConfig.installCommand'])
          expect(
            [w.message(), w.status().lost, told(w, 'SemanticsMismatch')].map((text) => JSON.stringify(text)),
          ).toEqual([
            expect.stringContaining(path),
            expect.stringContaining(path),
            expect.stringContaining(path),
          ]);
        w.editAtService('source_config.custom_url', 'https://again.example.com');
        await w.pass(200);
        expect(w.status().lost, 'what is shown again').toEqual(['sourceConfig.installCommand']);
        w.apply({ sourceConfig: { buildOnPush: true } });
        await w.pass(200);
        expect(w.status().lost, 'a person edited the spec').toBeUndefined();
        expect(w.message()).not.toContain('not put back');
      },
    );
  }

  for (const point of ['after the announcement', 'before the answer arrives'] as const) {
    scenario(
      `${point}: reports a field that a person emptied meanwhile, does not blame the service and does not restore it`,
      { deployments: [X] },
      async (w) => {
        declare(w, true);
        await w.pass(100);
        killAt(w, point);
        declare(w, false);
        await w.pass(5);
        w.disarm();
        w.editAtService('source_config.custom_url', null);
        w.start();
        await w.pass(900);
        expect(w.kept().content.sourceConfig).toEqual({ build_on_push: false, install_command: 'npm ci' });
        expect(told(w, 'SemanticsMismatch')).toEqual([
          'gone after a write and not put back: sourceConfig.customURL',
        ]);
        expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
      },
    );
  }
});

describe('masked unmanaged secrets that a service empties when they are left out', () => {
  const MASKED = { ...X, secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] };

  /** Makes the service empty the list of secrets and no other field. */
  function emptySecrets(w: World): void {
    patchesAnswer(w, (shown, asked) => {
      if (asked['secrets'] !== undefined) return;
      shown.secrets = [];
      w.service.act({ kind: 'edit', deployment: AGENT, path: 'secrets.BY_HAND', value: null });
    });
  }

  scenario(
    'are reported once, and no write is sent that restores nothing (K4)',
    { deployments: [MASKED], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      emptySecrets(w);
      declare(w, true);
      await w.pass(100);
      declare(w, false);
      await w.pass(600);
      expect(w.kept().content.secrets).toEqual([]);
      expect(w.bodies()).toEqual([{ source_config: { build_on_push: false } }]);
      expect(told(w, 'UnmanagedSecretsLost')).toEqual([expect.stringContaining('BY_HAND')]);
      expect(w.message()).toContain('secrets.BY_HAND');
      w.restart();
      await w.pass(600);
      expect(told(w, 'UnmanagedSecretsLost')).toHaveLength(1);
      expect(w.patches()).toHaveLength(1);
    },
  );
});

describe('events of writes that restore fields', () => {
  scenario(
    'name the restored fields, and say that a loss is being restored (K15, C5)',
    { deployments: [X], semantics: { nested: { sourceConfig: 'replace' } } },
    async (w) => {
      declare(w, true);
      await w.pass(100);
      declare(w, false);
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toEqual({ build_on_push: false, ...BY_HAND });
      expect(told(w, 'PatchSent')).toEqual([
        'sent sourceConfig.buildOnPush',
        'put back sourceConfig.customURL, sourceConfig.installCommand',
      ]);
      expect(told(w, 'SemanticsMismatch')).toEqual([expect.stringMatching(/puts them back: .*customURL/)]);
    },
  );

  scenario(
    'report a loss while the restoring write is refused',
    {
      deployments: [X],
      semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'empty-204', listLag: { seconds: 20 } },
    },
    async (w) => {
      declare(w, true);
      await w.pass(100);
      declare(w, false);
      await w.pass(5);
      w.fault({ kind: 'status', status: 422 });
      await w.pass(100);
      expect(w.condition('Synced')).toBe('False/Rejected');
      expect(w.message()).toMatch(/not put back: .*customURL/);
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'and of a redeploy are never empty',
    { deployments: [{ ...X, sourceConfig: {} }], semantics: { trigger: 'on-presence' } },
    async (w) => {
      w.apply({ sourceRevisionConfig: { imageURI: IMAGE.image_uri } });
      await w.pass(100);
      w.annotate('redeploy', 'once');
      await w.pass(100);
      expect(told(w, 'Redeployed')).toEqual([expect.stringMatching(/^sent \S/)]);
    },
  );
});

describe('a key of resource_spec that was sent as shown, and that the service drops', () => {
  scenario(
    'is never reported as restored, and stays in the message of Synced (C5)',
    {
      deployments: [
        { ...X, sourceConfig: { build_on_push: true, resource_spec: { cpu: 1, memory_mb: 1024 } } },
      ],
    },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 1 } } });
      await w.pass(200);
      patchesAnswer(w, (shown) => {
        w.editAtService('source_config.resource_spec.memory_mb', null);
        delete (shown.source_config['resource_spec'] as Record<string, unknown>)['memory_mb'];
      });
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(400);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.message()).toMatch(/not put back: sourceConfig\.resourceSpec\.memoryMB/);
      const texts = w.statusWrites.flatMap(({ after }) => after.conditions?.map(({ message }) => message));
      expect(texts.filter((text) => /(?<!not )put back|were not sent|left out/.test(text ?? ''))).toEqual([]);
      expect(told(w, 'SemanticsMismatch')).toEqual([
        'gone after a write and not put back: sourceConfig.resourceSpec.memoryMB',
      ]);
      expect(told(w, 'PatchSent').join()).not.toContain('put back');
    },
  );
});

describe('a write that no answer and no list shows', () => {
  const SILENT = {
    topLevelOmit: 'cleared',
    patchEcho: 'empty-204',
    listLag: { seconds: 20 },
    secretsEcho: 'stars',
    trigger: 'never',
  } as const;
  const TOKEN = [{ name: 'TOKEN', value: 'value-from-before' }];

  async function rotate(w: World): Promise<void> {
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'token' } };
    w.apply({ secretsOwnership: 'Exclusive', secrets: [{ name: 'TOKEN', valueFrom }] });
    await w.pass(600);
  }

  scenario(
    'and after which every omitted field is missing is followed by a write that restores them',
    { deployments: [{ ...X, secrets: TOKEN }], semantics: SILENT },
    async (w) => {
      await rotate(w);
      expect(w.kept().content.sourceConfig).toEqual(X.sourceConfig);
      expect(w.kept().content.revisionConfig).toEqual(IMAGE);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Replace');
    },
  );

  scenario(
    'and after which the only omitted field is missing is not blamed: the field is reported, and not restored',
    {
      deployments: [{ name: AGENT, sourceConfig: {}, revisionConfig: IMAGE, secrets: TOKEN }],
      semantics: SILENT,
    },
    async (w) => {
      await rotate(w);
      expect(w.kept().content.revisionConfig).toEqual({});
      expect(told(w, 'SemanticsMismatch')).toEqual([expect.stringContaining('imageURI')]);
      expect(w.message()).toContain('not put back: sourceRevisionConfig.imageURI');
      expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
    },
  );
});

scenario(
  'the fields that a write emptied are reported although the next write leaves before a list shows the loss',
  {
    deployments: [{ ...X, secrets: [{ name: 'TOKEN', value: 'value-from-before' }] }],
    semantics: { topLevelOmit: 'cleared', listLag: { seconds: 20 } },
  },
  async (w) => {
    await w.pass(100);
    declare(w, false);
    await w.pass(1);
    declare(w, true);
    await w.pass(200);
    expect(w.kept().content.revisionConfig).toEqual(IMAGE);
    expect(w.kept().content.sourceConfig).toEqual(X.sourceConfig);
    expect(told(w, 'UnmanagedSecretsLost')).toEqual([expect.stringContaining('TOKEN')]);
  },
);

scenario(
  'unmanaged secrets that had to be removed are not a loss when a write removes them',
  {
    deployments: [{ ...X, secrets: [{ name: 'BY_HAND', value: 'value-from-before' }] }],
    semantics: { topLevelOmit: 'cleared', lists: 'append' },
  },
  async (w) => {
    w.apply({ secretsOwnership: 'Exclusive', secrets: [{ name: 'TOKEN', value: 'the-value-of-the-token' }] });
    await w.pass(200);
    w.apply({ secretsOwnership: 'Exclusive', secrets: [] });
    await w.pass(400);
    w.apply({ secretsOwnership: 'Exclusive', secrets: [], sourceConfig: { buildOnPush: false } });
    await w.pass(600);
    const said = w.events.all.map(({ event }) => event.message).join(' | ');
    expect(said).not.toMatch(/put back[^|]*secrets/);
    expect(w.state()).toBe('True/InSync True/Active');
  },
);

scenario(
  'a field that a write emptied is not restored once the spec empties it',
  {
    deployments: [X],
    semantics: { topLevelOmit: 'cleared', listLag: { seconds: 20 }, patchEcho: 'empty-204' },
  },
  async (w) => {
    declare(w, false);
    await w.pass(5);
    w.apply({ sourceConfig: { buildOnPush: false }, clear: ['sourceRevisionConfig.imageURI'] });
    await w.pass(600);
    expect(w.bodies().filter((body) => JSON.stringify(body).includes('"image_uri":null'))).toEqual([]);
    expect(w.kept().content.revisionConfig).toEqual({});
  },
);

describe('a resource spec that a write left out as a whole', () => {
  for (const patchEcho of ['empty-204', 'sent-only'] as const) {
    scenario(
      `is not restored, nor the service blamed, if a person removed a key beside a text that stays (${patchEcho})`,
      {
        deployments: [
          {
            name: AGENT,
            sourceConfig: { resource_spec: { labels: { team: 'theirs' }, service_account_name: 'theirs' } },
            revisionConfig: IMAGE,
          },
        ],
        semantics: { patchEcho, listLag: { seconds: 20 } },
      },
      async (w) => {
        await w.pass(60);
        w.editAtService('source_config.resource_spec.labels', null);
        w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
        await w.pass(200);
        expect(w.patches()).toHaveLength(1);
        expect(w.status().lost).toEqual(['sourceConfig.resourceSpec.labels']);
        expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
        expect(told(w, 'SemanticsMismatch')).toEqual([expect.not.stringContaining('emptied')]);
      },
    );
  }
});

describe('a text that a person removed right before a write', () => {
  scenario(
    'is not restored with the fields that the write emptied, if an early list showed the removal',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: { install_command: 'npm ci', build_command: 'make' },
          revisionConfig: IMAGE,
        },
        { name: 'neighbour' },
        { name: 'another' },
        { name: 'a-third' },
      ],
      connection: { list: { pageSize: 2 }, rateLimit: { requestsPerSecond: 0.5, burst: 1, concurrency: 4 } },
      semantics: { nested: { sourceConfig: 'replace' }, listLag: { reads: 2 }, patchEcho: 'empty-202' },
    },
    async (w) => {
      await w.pass(60);
      w.editAtService('source_config.build_command', null);
      await w.pass(5);
      w.apply({ sourceConfig: { customURL: 'https://agent.example.com' } });
      w.apply({
        sourceConfig: { customURL: 'https://agent.example.com' },
        sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
      });
      await w.pass(400);
      expect(w.kept().content.sourceConfig).toEqual({
        install_command: 'npm ci',
        custom_url: 'https://agent.example.com',
      });
      const blamed = told(w, 'SemanticsMismatch').filter((text) => text.startsWith('the service emptied'));
      expect(blamed).toEqual([expect.not.stringContaining('buildCommand')]);
    },
  );
});

/** Lets a write empty what it left out, and the service refuse the repair. */
async function losesWithoutRepair(w: World): Promise<void> {
  await w.pass(60);
  w.service.faults.add({ match: { operation: 'patch', nth: 2 }, fault: { kind: 'status', status: 422 } });
  declare(w, false);
  await w.pass(100);
  expect(w.patches()).toHaveLength(2);
}

scenario(
  'a value that a write emptied, that another client put back and then removed is left alone',
  { deployments: [X], semantics: { nested: { sourceConfig: 'replace' } } },
  async (w) => {
    await losesWithoutRepair(w);
    expect(w.kept().content.sourceConfig).toEqual({ build_on_push: false });
    w.editAtService('source_config.install_command', BY_HAND.install_command);
    w.editAtService('source_config.custom_url', BY_HAND.custom_url);
    await w.pass(100);
    w.editAtService('source_config.install_command', null);
    w.editAtService('source_config.custom_url', null);
    await w.pass(100);
    declare(w, true);
    await w.pass(400);
    expect(w.kept().content.sourceConfig).toEqual({ build_on_push: true });
  },
);

for (const [how, semantics, hidden, seconds] of [
  ['hides its block', { topLevelOmit: 'cleared' }, { listShape: ['no-revision-block'] }, 70],
  ['is stale', { nested: { sourceConfig: 'replace' } }, { stale: { every: 1, seconds: 300 } }, 65],
] as const)
  scenario(
    `a value that a write emptied is restored after a refusal, although a list ${how} meanwhile`,
    { deployments: [X], semantics },
    async (w) => {
      await losesWithoutRepair(w);
      w.become(hidden, { seconds });
      await w.pass(2550);
      expect(w.kept().content.sourceConfig).toEqual({ ...BY_HAND, build_on_push: false });
      expect(w.kept().content.revisionConfig).toEqual(IMAGE);
    },
  );
