import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = {
  name: AGENT,
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
  sourceConfig: { custom_url: 'https://by-hand.example.com' },
};

/** Returns the number of writes that the observe-only resource announced. */
function announced(w: World, name: string): number {
  return w.statusWrites.filter(({ operation, name: of }) => operation === 'announce' && of === name).length;
}

describe('a resource under Observe', () => {
  scenario('sends nothing on a redeploy request', { deployments: [LIVE] }, async (w) => {
    w.apply({ ...image(1), managementPolicy: 'Observe' });
    await w.pass(120);
    expect(w.state()).toBe('True/InSync True/Active');
    w.annotate('redeploy', 'once more');
    await w.pass(600);
    expect(w.bodies()).toEqual([]);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    'does not restore a value that the write of another resource emptied',
    {
      deployments: [LIVE],
      semantics: {
        topLevelOmit: 'cleared',
        nested: { sourceConfig: 'replace', revisionConfig: 'replace', resourceSpec: 'replace' },
      },
    },
    async (w) => {
      w.apply({ deploymentRef: { name: AGENT }, managementPolicy: 'Observe' }, 'watcher');
      await w.pass(30);
      w.fault({ kind: 'status', status: 409 }, { match: { operation: 'patch', nth: 2 }, times: 4 });
      w.apply(image(2));
      for (let n = 0; n < 20; n += 1) {
        w.resync();
        await w.pass(1);
      }
      await w.pass(600);
      expect(announced(w, 'watcher')).toBe(0);
      expect(announced(w, AGENT)).toBeGreaterThan(0);
      expect(w.kept().content.sourceConfig, 'put back by the one that manages it').toMatchObject({
        custom_url: 'https://by-hand.example.com',
      });
    },
  );
});
