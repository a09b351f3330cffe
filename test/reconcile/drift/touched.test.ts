import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const IMAGE = 'registry.example.com/agent:1';

describe('a deployment with a new updated_at and no other change', () => {
  scenario(
    'wakes no resource and causes no status write; the next real change includes it',
    { deployments: [{ name: AGENT, revisionConfig: { image_uri: IMAGE } }] },
    async (w) => {
      w.apply({ sourceRevisionConfig: { imageURI: IMAGE } });
      await w.pass(60);
      const [writes, passes] = [w.statusWrites.length, w.metrics.sum('reconciled Deployment')];
      const shownBefore = w.status().updatedTime;
      for (let n = 0; n < 5; n += 1) {
        w.editAtService('image_version', w.shown()['image_version'] ?? null);
        await w.pass(75);
      }
      expect(w.shown()['updated_at'], 'it moved').not.toBe(shownBefore);
      expect(w.metrics.sum('reconciled Deployment')).toBe(passes);
      w.resync();
      await w.pass(10);
      expect(w.metrics.sum('reconciled Deployment')).toBe(passes + 1);
      expect(w.statusWrites).toHaveLength(writes);
      w.editAtService('image_version', '7');
      await w.pass(120);
      expect(w.status().imageVersion).toBe('7');
      expect(w.status().updatedTime).toBe(w.shown()['updated_at']);
    },
  );
});
