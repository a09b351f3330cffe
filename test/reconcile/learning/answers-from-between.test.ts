import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { judgedScenario, scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const THEIRS = {
  build_command: 'theirs',
  install_command: 'npm ci',
  custom_url: 'https://agent.example.com',
};
const SPEC = { memory_mb: 512, max_scale: 3 };
const image = (tag: number) => ({ imageURI: `registry.example.com/agent:${tag}` });

/** A request empties the blocks that it omits. Its answer shows the state before it, and lists lag for long. */
const CLEARS = {
  deployments: [
    {
      name: AGENT,
      sourceConfig: { ...THEIRS, resource_spec: { cpu: 1, ...SPEC } },
      revisionConfig: { image_uri: image(1).imageURI },
    },
  ],
  semantics: { topLevelOmit: 'cleared', patchEcho: 'pre', listLag: { seconds: 20 } },
} as const;

const FIRST = { sourceConfig: { resourceSpec: { cpu: 2 } }, sourceRevisionConfig: image(1) } as const;

async function untilFirst(w: World): Promise<void> {
  w.apply(FIRST);
  while (w.patches().length < 1) await w.pass(1);
}

const EDITS: Readonly<Record<string, Partial<DeploymentSpec>>> = {
  'releases the resource spec': { sourceRevisionConfig: image(3) },
  'changes only the image': { ...FIRST, sourceRevisionConfig: image(2) },
};

describe('an answer that shows the state between two writes proves nothing of the second one', () => {
  for (const [what, spec] of Object.entries(EDITS))
    for (const restarts of [false, true]) {
      const how = restarts ? ', by another process' : '';
      judgedScenario(`whose edit ${what}${how}: what it empties is known`, CLEARS, async (w) => {
        await untilFirst(w);
        await w.pass(3);
        if (restarts) w.restart();
        w.apply(spec);
        while (w.patches().length < 2) await w.pass(1);
        await w.pass(1);
        expect(w.status().leftOut).toContain('sourceConfig.installCommand');
        await w.pass(300);
        expect(w.kept().content.sourceConfig).toMatchObject({ ...THEIRS, resource_spec: SPEC });
      });
    }
});

scenario(
  'a value that two writes carry shows neither of them while no look has shown the first one',
  {
    ...CLEARS,
    semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'pre', listLag: { seconds: 20 } },
  },
  async (w) => {
    w.apply({ ...FIRST, sourceConfig: { buildCommand: 'make', resourceSpec: { cpu: 2 } } });
    while (w.patches().length < 1) await w.pass(1);
    await w.pass(3);
    w.apply({ ...FIRST, sourceConfig: { resourceSpec: { cpu: 2, maxScale: 4 } } });
    await w.pass(300);
    expect(w.kept().content.sourceConfig).toMatchObject({
      ...THEIRS,
      build_command: 'make',
      resource_spec: { cpu: 2, memory_mb: 512, max_scale: 4 },
    });
  },
);
