import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const URL = 'https://by-hand.example.com';
const CLEARED = {
  'a field': ['sourceConfig.customURL', { custom_url: URL, build_on_push: true }],
  'a key of the resource spec': [
    'sourceConfig.resourceSpec.cpu',
    { resource_spec: { cpu: 2, memory_mb: 512 } },
  ],
} as const;
const image = (tag: number) => ({ imageURI: `registry.example.com/agent:${tag}` });
const learned = (w: World): string | undefined => w.connectionStatus().learned?.omittedFields?.verdict;

for (const [what, [path, sourceConfig]] of Object.entries(CLEARED))
  describe(`${what} that our write emptied, and that an old list shows again before the next write`, () => {
    scenario(
      'teaches nothing when it is gone afterwards, and is not restored',
      {
        deployments: [
          { name: AGENT, sourceConfig, revisionConfig: { image_uri: 'registry.example.com/agent:0' } },
        ],
        semantics: {
          nested: { sourceConfig: 'merge-null-clears', resourceSpec: 'merge-null-clears' },
          trigger: 'never',
        },
      },
      async (w) => {
        const clear: DeploymentSpec['clear'] = [path];
        w.apply({ sourceRevisionConfig: image(0) });
        await w.pass(300);
        w.apply({ clear, sourceRevisionConfig: image(0) });
        await w.pass(60);
        const emptied = w.kept().content.sourceConfig;
        expect(emptied).not.toEqual(sourceConfig);
        w.become({ stale: { every: 1, seconds: 200 } });
        await w.pass(60);
        w.apply({ clear, sourceRevisionConfig: image(1) });
        while (w.patches().length < 2) await w.pass(1);
        w.become({ stale: { every: 0, seconds: 0 } });
        await w.pass(100);
        w.apply({ sourceRevisionConfig: image(1) });
        await w.pass(200);
        expect(w.kept().content.sourceConfig).toEqual(emptied);
        expect(learned(w)).toBe('Keep');
      },
    );
  });

const NONE = { secrets: [], secretsOwnership: 'Exclusive' } as const;
const WHO = { 'our write': false, 'a write of an earlier process': true } as const;

for (const [who, restarts] of Object.entries(WHO)) {
  describe(`secrets that ${who} removed, and that an old list shows again before the next write`, () => {
    for (const topLevelOmit of ['unchanged', 'cleared'] as const)
      scenario(
        `teach nothing when they are gone afterwards: top-level omissions are ${topLevelOmit}`,
        {
          deployments: [
            {
              name: AGENT,
              sourceConfig: { custom_url: URL },
              revisionConfig: { image_uri: 'registry.example.com/agent:0' },
              secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }],
            },
          ],
          semantics: { lists: 'replace', patchEcho: 'pre', listLag: { seconds: 20 }, topLevelOmit },
        },
        async (w) => {
          w.apply({ sourceRevisionConfig: image(0) });
          await w.pass(60);
          w.apply({ ...NONE, sourceRevisionConfig: image(0) });
          while (w.patches().length < 1) await w.pass(1);
          expect(w.kept().content.secrets).toEqual([]);
          if (restarts) w.restart();
          w.apply({ ...NONE, sourceRevisionConfig: image(1) });
          while (w.patches().length < 2) await w.pass(1);
          await w.pass(1);
          expect(learned(w)).toBeUndefined();
          await w.pass(300);
          expect(learned(w)).toBe(topLevelOmit === 'cleared' ? 'Replace' : 'Keep');
          expect(w.kept().content.sourceConfig).toEqual({ custom_url: URL });
        },
      );
  });

  describe(`a secret that somebody adds after ${who} removed others, and that the next write empties`, () => {
    // A name that was removed before counts too: a list has shown the removal of it.
    for (const name of ['ADDED', 'BY_HAND'])
      scenario(
        `teaches that omitted fields are emptied, so that a later one stays: ${name}`,
        {
          deployments: [
            {
              name: AGENT,
              revisionConfig: { image_uri: 'registry.example.com/agent:0' },
              secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }],
            },
          ],
          semantics: { lists: 'replace', topLevelOmit: 'cleared', trigger: 'never' },
        },
        async (w) => {
          const reports = { driftPolicy: 'Report' } as const;
          w.apply({ ...reports, sourceRevisionConfig: image(0) });
          await w.pass(60);
          w.apply({ ...NONE, ...reports, sourceRevisionConfig: image(1) });
          while (w.patches().length < 1) await w.pass(1);
          await w.pass(20);
          w.editAtService(`secrets.${name}`, 'value-added-by-hand');
          await w.pass(15);
          if (restarts) w.restart();
          await w.pass(2);
          w.apply({ ...NONE, ...reports, sourceRevisionConfig: image(2) });
          while (w.patches().length < 2) await w.pass(1);
          await w.pass(300);
          expect(w.kept().content.secrets).toEqual([]);
          expect(learned(w)).toBe('Replace');
          w.editAtService('secrets.LATER', 'value-added-later');
          await w.pass(100);
          w.apply({ ...reports, sourceRevisionConfig: image(2) });
          await w.pass(100);
          w.apply({ ...reports, sourceRevisionConfig: image(3) });
          await w.pass(300);
          expect(w.kept().content.secrets).toMatchObject([{ name: 'LATER' }]);
        },
      );
  });
}

describe('a secret that the spec no longer names and that somebody sets again under a new revision', () => {
  for (const restarts of [false, true])
    scenario(
      `is lost once at most${restarts ? ', also to a new process' : ''}`,
      {
        deployments: [
          {
            name: AGENT,
            revisionConfig: { image_uri: 'registry.example.com/agent:0' },
            secrets: [{ name: 'OURS', value: 'value-of-ours' }],
          },
        ],
        semantics: { lists: 'replace', topLevelOmit: 'cleared' },
      },
      async (w) => {
        const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'token' } };
        w.putSecret('agent-secrets', { token: 'value-of-ours' });
        w.apply({ secrets: [{ name: 'OURS', valueFrom }], sourceRevisionConfig: image(0) });
        await w.pass(200);
        w.apply({ secrets: [], sourceRevisionConfig: image(1) });
        while (w.patches().length < 1) await w.pass(0.5);
        w.editAtService('secrets.OURS', 'set-by-somebody');
        await w.pass(25);
        if (restarts) w.restart();
        w.apply({ secrets: [], sourceRevisionConfig: image(2) });
        await w.pass(300);
        expect(learned(w)).toBe('Replace');
        w.editAtService('secrets.OURS', 'set-by-somebody');
        await w.pass(100);
        w.apply({ secrets: [], sourceRevisionConfig: image(3) });
        await w.pass(300);
        expect(w.kept().content.secrets).toMatchObject([{ name: 'OURS' }]);
      },
    );
});

describe('a number that the spec clears right before the next write', () => {
  scenario(
    'does not keep later writes from teaching that omitted fields stay',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: { resource_spec: { cpu: 2, memory_mb: 512 } },
          revisionConfig: { image_uri: 'registry.example.com/agent:0' },
          secrets: [{ name: 'OLD', value: 'old-secret-value' }],
        },
      ],
      semantics: {
        patchEcho: 'pre',
        nested: { sourceConfig: 'merge-null-clears', resourceSpec: 'merge-null-clears' },
        listLag: { seconds: 20 },
      },
    },
    async (w) => {
      const clear = ['sourceConfig.resourceSpec.cpu'] as const;
      w.apply({ sourceRevisionConfig: image(0) });
      await w.pass(100);
      w.apply({ clear, sourceRevisionConfig: image(0) });
      while (w.patches().length < 1) await w.pass(0.5);
      w.apply({ ...NONE, clear, sourceRevisionConfig: image(0) });
      while (w.patches().length < 2) await w.pass(0.5);
      await w.pass(45);
      for (const tag of [1, 2]) {
        w.apply({ ...NONE, clear, sourceRevisionConfig: image(tag) });
        await w.pass(200);
      }
      expect(learned(w)).toBe('Keep');
    },
  );
});

describe('a secret that our last two writes set and removed, and that a list shows from between them', () => {
  scenario(
    'teaches nothing when it is gone after the next write',
    {
      deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:0' } }],
      semantics: { lists: 'replace', patchEcho: 'pre', listLag: { reads: 2 }, trigger: 'never' },
    },
    async (w) => {
      const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'token' } };
      w.putSecret('agent-secrets', { token: 'value-of-ours' });
      w.apply({ ...NONE, sourceRevisionConfig: image(0) });
      await w.pass(60);
      w.apply({ ...NONE, secrets: [{ name: 'OURS', valueFrom }], sourceRevisionConfig: image(0) });
      while (w.patches().length < 1) await w.pass(1);
      w.apply({ ...NONE, sourceRevisionConfig: image(0) });
      while (w.patches().length < 2) await w.pass(1);
      w.apply({ ...NONE, sourceRevisionConfig: image(1) });
      while (w.patches().length < 3) await w.pass(1);
      await w.pass(300);
      expect(w.kept().content.secrets).toEqual([]);
      expect(learned(w)).not.toBe('Replace');
    },
  );
});
