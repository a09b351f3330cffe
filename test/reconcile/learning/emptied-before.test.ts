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
