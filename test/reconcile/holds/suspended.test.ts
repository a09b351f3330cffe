import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const NAMES = Array.from({ length: 12 }, (_, n) => `agent-${n}`);
const rateLimit = { requestsPerSecond: 1, burst: 1, concurrency: 4 };

describe('a connection that is suspended', () => {
  scenario(
    'releases what waits for a permit, calls nothing, and continues at once when it is resumed',
    { deployments: NAMES.map((name) => ({ name })), connection: { rateLimit } },
    async (w) => {
      await w.pass(5);
      for (const name of NAMES) w.apply(image(1), name);
      await w.pass(4.5);
      const { length } = w.patches();
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThan(NAMES.length);
      w.connect({ rateLimit, suspend: true });
      await w.pass(600);
      expect(w.patches()).toHaveLength(length);
      const waiting = NAMES.filter((name) => w.condition('Synced', name) === 'Unknown/Paused');
      expect(waiting.length, 'all but those that were sent').toBeGreaterThanOrEqual(NAMES.length - length);
      for (const name of NAMES) expect(w.status(name).pendingWrite).toBeUndefined();
      expect(w.connectionState()).toBe('False/Suspended');
      const resumedMs = w.clock.now();
      w.connect({ rateLimit });
      await w.pass(120);
      expect(w.service.log.requests().find(({ beganMs }) => beganMs >= resumedMs)?.beganMs).toBeLessThan(
        resumedMs + 1_000,
      );
      expect(w.patches()).toHaveLength(NAMES.length);
      for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
    },
  );
});
