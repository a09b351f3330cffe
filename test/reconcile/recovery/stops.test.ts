import { describe, expect, test } from 'vitest';
import { AGENT, World } from '../support/world.ts';

const NAMES = Array.from({ length: 1_000 }, (_, n) => `agent-${n}`);

/** Stops the process. Returns the duration in seconds. */
async function stop(w: World): Promise<number> {
  const fromMs = w.clock.now();
  await w.stop();
  return (w.clock.now() - fromMs) / 1000;
}

describe('a stop', () => {
  test('does not wait for a sweep in progress, nor for work that waits for it', async () => {
    const w = new World({
      deployments: NAMES.map((name) => ({ name })),
      connection: { rateLimit: { requestsPerSecond: 1, burst: 2, concurrency: 4 } },
      started: false,
    });
    for (const name of NAMES) w.apply({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:1' } }, name);
    w.start();
    await w.pass(3);
    expect(w.service.log.count('list')).toBeGreaterThan(1);
    expect(await stop(w)).toBeLessThan(1);
    expect(w.logger.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  test('does not wait for a check of a hanging service', async () => {
    const w = new World({ started: false });
    w.fault({ kind: 'hang' }, { match: {} });
    w.start();
    await w.pass(3);
    expect(await stop(w)).toBeLessThan(1);
  });

  test('waits for a write in flight, and records its result', async () => {
    const w = new World();
    w.apply({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:1' } });
    await w.pass(60);
    w.fault({ kind: 'delay', ms: 8_000 });
    w.apply({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:2' } });
    await w.pass(1);
    const seconds = await stop(w);
    expect(seconds).toBeGreaterThan(6);
    expect(seconds).toBeLessThan(9);
    expect(w.status(AGENT).pendingWrite).toBeUndefined();
    expect(w.status(AGENT).lastPatch?.paths).toEqual(['sourceRevisionConfig.imageURI']);
  });
});
