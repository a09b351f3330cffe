import { expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';
import { waitingPlan } from '../../../src/views/resources/waiting-plan.ts';

const given = {
  deployments: [
    { name: AGENT, sourceConfig: { custom_url: 'https://theirs.example.com', install_command: 'theirs' } },
  ],
  semantics: { nested: { sourceConfig: 'replace' } },
} as const;

/** Approves the edit, which empties two values of others, and lets the repair wait. */
async function emptied(w: World): Promise<void> {
  w.apply({ approval: 'Manual' });
  await w.pass(100);
  w.apply({ approval: 'Manual', sourceConfig: { buildCommand: 'make' } });
  await w.pass(5);
  w.annotate('approve', w.status().plan?.hash ?? '');
  await w.pass(200);
  expect(w.condition('Synced')).toBe('False/AwaitingApproval');
  expect(w.kept().content.sourceConfig).toEqual({ build_command: 'make' });
}

scenario('a repair that waits for approval names what is lost', given, async (w) => {
  await emptied(w);
  expect(w.message()).toMatch(/^2 changes waiting.*customURL/);
  expect(w.status().lost ?? []).toContain('sourceConfig.customURL');
});

scenario('a repair that waits can be approved by `approve` and in the console', given, async (w) => {
  await emptied(w);
  expect(waitingPlan(w.resource())).toMatchObject({ hash: /approve=([0-9a-f]{20})/.exec(w.message())?.[1] });
});

scenario('what a repair that waits would put back is named after a restart', given, async (w) => {
  await emptied(w);
  w.restart();
  await w.pass(200);
  expect(w.message()).toMatch(/customURL/);
});

const hashes = new Set<string | undefined>();
for (const sourceConfig of [{ custom_url: 'https://theirs.example.com' }, given.deployments[0].sourceConfig])
  scenario(
    `an approval covers what a repair puts back, and no more: ${Object.keys(sourceConfig).join(' and ')}`,
    { ...given, deployments: [{ name: AGENT, sourceConfig }] },
    async (w) => {
      const before = hashes.size;
      await emptied(w);
      hashes.add(w.status().plan?.hash);
      expect(hashes.size).toBe(before + 1);
    },
  );

scenario(
  'a redeploy that waits can be approved',
  { deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }] },
  async (w) => {
    w.apply({ approval: 'Manual', sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } });
    await w.pass(100);
    w.annotate('redeploy', 'once');
    await w.pass(5);
    expect(w.message()).toMatch(/^a redeploy waiting; approve/);
    expect(waitingPlan(w.resource())).toHaveProperty('hash');
    w.annotate('approve', w.status().plan?.hash ?? '');
    await w.pass(100);
    expect(w.patches()).toHaveLength(1);
  },
);
