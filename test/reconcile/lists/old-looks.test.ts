import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { type ShownDeployment, listsShow } from '../support/shaped-answers.ts';
import { AGENT, type World } from '../support/world.ts';

const ONE = 'https://one.example.com';
const TWO = 'https://two.example.com';

/** Waits until just after a sweep: the next one is a minute away. */
async function rightAfterASweep(w: World): Promise<void> {
  const before = w.service.log.count('list');
  while (w.service.log.count('list') === before) await w.pass(1);
  await w.pass(3);
}

const REPOSITORY = {
  name: AGENT,
  source: 'codehost',
  sourceConfig: { build_on_push: true, custom_url: ONE },
  revisionConfig: { repo_ref: 'main', graph_config_path: 'first.json' },
} as const;

describe('B2: a change by another client since the last sweep', () => {
  scenario(
    'is not reverted by a full body that the connection asks for',
    { deployments: [REPOSITORY], connection: { patch: { bodies: 'Full' } } },
    async (w) => {
      const spec = (buildOnPush: boolean) => ({ source: 'codehost', sourceConfig: { buildOnPush } }) as const;
      w.apply(spec(true));
      await w.pass(200);
      await rightAfterASweep(w);
      w.editAtService('source_config.custom_url', TWO);
      w.editAtService('source_revision_config.repo_ref', 'hotfix');
      await w.pass(4);
      w.apply(spec(false));
      await w.pass(120);
      expect(w.bodies()).toEqual([
        {
          source_config: { build_on_push: false, custom_url: TWO },
          source_revision_config: { repo_ref: 'hotfix', graph_config_path: 'first.json' },
        },
      ]);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'is not overwritten by a revision block where drift is only reported',
    { deployments: [REPOSITORY] },
    async (w) => {
      const spec = (repoRef: string) =>
        ({
          source: 'codehost',
          driftPolicy: 'Report',
          sourceRevisionConfig: { repoRef, graphConfigPath: 'first.json' },
        }) as const;
      w.apply(spec('main'));
      await w.pass(200);
      await rightAfterASweep(w);
      w.editAtService('source_revision_config.graph_config_path', 'second.json');
      await w.pass(4);
      w.apply(spec('release'));
      await w.pass(300);
      expect(w.bodies()).toEqual([
        { source_revision_config: { repo_ref: 'release', graph_config_path: 'second.json' } },
      ]);
      expect(w.condition('Synced')).toBe('False/DriftReported');
    },
  );
});

const url = (customURL: string) => ({ sourceConfig: { customURL } });
const LIVE = { name: AGENT, sourceConfig: { custom_url: ONE } };
const ASKED = { source_config: { custom_url: TWO } };

describe('C4: an edit that an old read already shows', () => {
  scenario('is sent if drift is only reported', { deployments: [LIVE] }, async (w) => {
    w.apply({ driftPolicy: 'Report', ...url(ONE) });
    await w.pass(200);
    w.editAtService('source_config.custom_url', TWO);
    await w.pass(130);
    expect(w.condition('Synced')).toBe('False/DriftReported');
    await rightAfterASweep(w);
    w.editAtService('source_config.custom_url', ONE);
    await w.pass(1);
    w.apply({ driftPolicy: 'Report', ...url(TWO) });
    await w.pass(60);
    expect(w.bodies()).toEqual([ASKED]);
    expect(w.condition('Synced')).toBe('True/InSync');
  });

  scenario('is sent at once, not minutes later as drift', { deployments: [LIVE] }, async (w) => {
    w.apply(url(ONE));
    await w.pass(200);
    w.annotate('paused', 'true');
    w.editAtService('source_config.custom_url', TWO);
    await w.pass(130);
    await rightAfterASweep(w);
    w.editAtService('source_config.custom_url', ONE);
    await w.pass(1);
    w.apply(url(TWO), AGENT, {});
    await w.pass(3);
    expect(w.bodies()).toEqual([ASKED]);
    expect(w.status().budget?.drift ?? []).toEqual([]);
    await w.pass(60);
    expect(w.condition('Synced')).toBe('True/InSync');
  });

  scenario('is adopted without a PATCH if a new read shows it too', { deployments: [LIVE] }, async (w) => {
    w.apply({ driftPolicy: 'Report', ...url(ONE) });
    await w.pass(200);
    w.editAtService('source_config.custom_url', TWO);
    await w.pass(130);
    w.apply({ driftPolicy: 'Report', ...url(TWO) });
    await w.pass(60);
    expect(w.bodies()).toEqual([]);
    expect(w.condition('Synced')).toBe('True/InSync');
  });

  scenario(
    'costs one read for all resources that are edited together',
    { deployments: Array.from({ length: 40 }, (_, n) => ({ ...LIVE, name: `agent-${n}` })) },
    async (w) => {
      const names = Array.from({ length: 40 }, (_, n) => `agent-${n}`);
      for (const name of names) w.apply({ driftPolicy: 'Report', ...url(ONE) }, name);
      await w.pass(200);
      for (const name of names) w.editAtService('source_config.custom_url', TWO, name);
      await w.pass(130);
      await rightAfterASweep(w);
      const before = w.service.log.count('list');
      for (const name of names) w.apply({ driftPolicy: 'Report', ...url(TWO) }, name);
      await w.pass(5);
      expect(w.service.log.count('list') - before).toBeLessThanOrEqual(2);
      for (const name of names) expect(w.condition('Synced', name)).toBe('True/InSync');
      expect(w.bodies()).toEqual([]);
    },
  );
});

describe('K8: a new text in reconcile-at', () => {
  scenario('is handled by a read that began after it', { deployments: [LIVE] }, async (w) => {
    w.apply(url(ONE));
    await w.pass(200);
    await rightAfterASweep(w);
    w.editAtService('source_config.custom_url', TWO);
    w.annotate('reconcile-at', 'now');
    await w.pass(1);
    expect(w.status().lastHandledReconcileAt).toBe('now');
    expect(w.bodies()).toEqual([{ source_config: { custom_url: ONE } }]);
  });

  scenario('is not handled while the service cannot be read', { deployments: [LIVE] }, async (w) => {
    w.apply(url(ONE));
    await w.pass(200);
    await rightAfterASweep(w);
    w.service.faults.add({ match: { operation: 'list' }, times: 0, fault: { kind: 'status', status: 503 } });
    w.annotate('reconcile-at', 'now');
    await w.pass(20);
    expect(w.status().lastHandledReconcileAt).toBeUndefined();
    w.service.faults.clear();
    await w.pass(120);
    expect(w.status().lastHandledReconcileAt).toBe('now');
  });

  scenario('costs nothing more once it is handled', { deployments: [LIVE] }, async (w) => {
    w.apply(url(ONE));
    await w.pass(200);
    w.annotate('reconcile-at', 'now');
    await w.pass(1);
    const before = w.service.log.count('list');
    for (let n = 0; n < 10; n += 1) {
      w.resync();
      await w.pass(1);
    }
    expect(w.service.log.count('list') - before).toBeLessThanOrEqual(1);
  });
});

const EMPTIES = {
  patchEcho: 'empty-204',
  topLevelOmit: 'cleared',
  revisionFor: 'revision-config',
  nested: { sourceConfig: 'replace', revisionConfig: 'replace' },
} as const;

describe('a correction', () => {
  scenario(
    'is not confirmed by a list from before the drift, which held the same value',
    { deployments: [{ ...LIVE, revisionConfig: { graph_config_path: 'a.json' } }], semantics: EMPTIES },
    async (w) => {
      w.apply(url(ONE));
      await w.pass(300);
      await rightAfterASweep(w);
      w.editAtService('source_config.custom_url', TWO);
      w.plan({ kind: 'switch', semantics: { listLag: { seconds: 100 } } });
      while (w.bodies().length === 0) await w.pass(1);
      await w.pass(40);
      expect(w.kept().content.revisionConfig, 'the service emptied it').toEqual({});
      expect(w.connectionStatus().learned?.omittedFields).toBeUndefined();
      w.become({ listLag: { seconds: 0 } });
      await w.pass(120);
      expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Replace');
      expect(w.kept().content.revisionConfig).toEqual({ graph_config_path: 'a.json' });
    },
  );

  const BOTH = { sourceConfig: { customURL: ONE, buildCommand: 'make' } } as const;
  const UNANSWERED = {
    deployments: [{ ...LIVE, sourceConfig: { ...LIVE.sourceConfig, build_command: 'make' } }],
    semantics: { patchEcho: 'empty-204' },
  } as const;
  const CORRECTION = { source_config: { custom_url: ONE } };

  scenario(
    'without an answer makes no other one, although the list that confirms it shows a value that somebody tried before',
    UNANSWERED,
    async (w) => {
      w.apply(BOTH);
      await w.pass(300);
      await rightAfterASweep(w);
      w.editAtService('source_config.build_command', 'make theirs');
      const tried = structuredClone(w.shown()) as unknown as ShownDeployment;
      w.editAtService('source_config.build_command', 'make');
      w.editAtService('source_config.custom_url', TWO);
      let lags = true;
      listsShow(w, (shown) => {
        if (lags && w.bodies().length > 0) Object.assign(shown, tried);
      });
      while (w.bodies().length === 0) await w.pass(1);
      await w.pass(30);
      expect(w.state()).toBe('Unknown/Sent Unknown/Sent');
      lags = false;
      await w.pass(300);
      expect(w.bodies()).toEqual([CORRECTION]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'without an answer is followed by that of a later change, once a list from after the window shows it',
    UNANSWERED,
    async (w) => {
      w.apply(BOTH);
      await w.pass(300);
      w.editAtService('source_config.custom_url', TWO);
      const path = 'source_config.build_command';
      w.plan({ kind: 'edit', deployment: AGENT, path, value: 'make theirs' });
      while (w.bodies().length === 0) await w.pass(1);
      await w.pass(50);
      expect(w.bodies()).toEqual([CORRECTION]);
      await w.pass(30);
      expect(w.bodies()).toEqual([CORRECTION, { source_config: { build_command: 'make' } }]);
      await w.pass(300);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a list that is older than two writes in a row', () => {
  const neighbour = { name: 'neighbour', sourceConfig: { custom_url: 'https://neighbour.example.com' } };

  for (const [also, neighbours] of [
    ['', [neighbour]],
    [', also if no list has shown the field of the first one', []],
  ] as const)
    scenario(
      `shows neither of them by a value that somebody else had set before, so what they emptied is put back${also}`,
      {
        deployments: [
          {
            name: AGENT,
            sourceConfig: { install_command: 'npm ci' },
            revisionConfig: { graph_config_path: 'theirs.json', image_uri: 'registry.example.com/agent:1' },
          },
          ...neighbours,
        ],
        semantics: { topLevelOmit: 'cleared', patchEcho: 'partial' },
      },
      async (w) => {
        const imageURI = 'registry.example.com/agent:2';
        const sourceConfig = { customURL: TWO };
        w.apply({ sourceConfig: {} });
        await w.pass(120);
        const copied = (): ShownDeployment => structuredClone(w.shown()) as unknown as ShownDeployment;
        let old: ShownDeployment | undefined = copied();
        w.editAtService('source_revision_config.image_uri', imageURI);
        const edited = copied();
        listsShow(w, (shown) => void Object.assign(shown, old));
        w.apply({ sourceConfig });
        while (w.bodies().length === 0) await w.pass(1);
        w.apply({ sourceConfig, sourceRevisionConfig: { imageURI } });
        while (w.bodies().length === 1) await w.pass(1);
        old = edited;
        await w.pass(30);
        old = undefined;
        await w.pass(400);
        expect(w.kept().content).toMatchObject({
          sourceConfig: { install_command: 'npm ci', custom_url: TWO },
          revisionConfig: { graph_config_path: 'theirs.json', image_uri: imageURI },
        });
        expect(w.bodies()).toHaveLength(3);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
});

describe('a list that does not show a value of the first of two writes in a row', () => {
  const agent = {
    name: AGENT,
    sourceConfig: { custom_url: TWO },
    revisionConfig: { graph_config_path: 'theirs.json', image_uri: 'registry.example.com/agent:1' },
  };
  const ignored = { 'source_config.custom_url': 'ignored' } as const;

  for (const [why, semantics, sourceConfig] of [
    ['since lists hide it', { listShape: ['no-commands'] }, { buildCommand: 'make' }],
    [
      'since the service ignored it',
      { listLag: { seconds: 8 }, fieldRules: ignored },
      { buildCommand: 'make', customURL: 'https://three.example.com' },
    ],
  ] as const)
    scenario(
      `${why}, still shows the second one, so a field that a person removes afterwards is not put back`,
      { deployments: [agent], semantics: { patchEcho: 'sent-keys', ...semantics } },
      async (w) => {
        const imageURI = 'registry.example.com/agent:2';
        w.apply({ sourceConfig: {} });
        await w.pass(120);
        w.apply({ sourceConfig });
        while (w.bodies().length === 0) await w.pass(1);
        w.apply({ sourceConfig, sourceRevisionConfig: { imageURI } });
        await w.pass(22);
        expect(w.bodies()).toHaveLength(2);
        w.editAtService('source_revision_config.graph_config_path', null);
        await w.pass(400);
        expect(w.kept().content.revisionConfig).toEqual({ image_uri: imageURI });
        expect(w.connectionStatus().learned?.omittedFields?.verdict).not.toBe('Replace');
      },
    );
});

describe('a URL of another client that only the first of two reads before a write shows', () => {
  /** Sends a URL, which never arrives and is judged by two reads a minute later. An older replica answers the second. */
  async function sendAgainst(w: World): Promise<void> {
    w.apply({});
    await w.pass(100);
    w.fault({ kind: 'reset-before' }, { match: { operation: 'patch' } });
    w.apply({ sourceConfig: { customURL: TWO } });
    await w.pass(2);
    w.editAtService('source_config.custom_url', ONE);
    let readMs = 0;
    listsShow(w, (shown) => {
      if (w.clock.now() - readMs < 100) delete shown.source_config['custom_url'];
      readMs = w.clock.now();
    });
    await w.pass(300);
    expect(w.patches()).toHaveLength(2);
  }

  scenario(
    'is no form of the requested one if the service ignores the field',
    { semantics: { fieldRules: { 'source_config.custom_url': 'ignored' } } },
    async (w) => {
      await sendAgainst(w);
      expect(w.shown()['source_config']).toMatchObject({ custom_url: ONE });
      expect(w.condition('Synced')).toBe('False/NotConverging');
    },
  );

  scenario('is replaced once, if the service keeps the field', {}, async (w) => {
    await sendAgainst(w);
    expect(w.shown()['source_config']).toMatchObject({ custom_url: TWO });
    expect(w.condition('Synced')).toBe('True/InSync');
  });
});

describe('a URL that the service shows with a slash, if its answer is lost and an older replica answers the second read', () => {
  const OLD = 'https://old.example.com';
  const given = {
    deployments: [{ name: AGENT, sourceConfig: { custom_url: OLD } }],
    semantics: { normalise: ['trailing-slash'] },
  } as const;

  async function applied(w: World): Promise<void> {
    w.apply({});
    await w.pass(100);
    w.fault({ kind: 'apply-then-fail', how: 'reset' });
    w.apply({ sourceConfig: { customURL: ONE } });
    await w.pass(2);
    let readMs = 0;
    listsShow(w, (shown) => {
      if (w.patches().length === 1 && w.clock.now() - readMs < 100) shown.source_config['custom_url'] = OLD;
      readMs = w.clock.now();
    });
    await w.pass(300);
  }

  scenario('is in sync', given, async (w) => {
    await applied(w);
    expect(w.condition('Synced')).toBe('True/InSync');
  });

  scenario('is put back when somebody changes it later', given, async (w) => {
    await applied(w);
    w.editAtService('source_config.custom_url', OLD);
    await w.pass(300);
    expect(w.kept().content.sourceConfig).toMatchObject({ custom_url: ONE });
  });
});
