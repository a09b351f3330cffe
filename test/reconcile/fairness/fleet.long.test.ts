import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import type { World } from '../support/world.ts';

const NAMES = Array.from({ length: 250 }, (_, n) => `agent-${String(n).padStart(3, '0')}`);
const GIVEN = {
  deployments: NAMES.map((name, n) => ({
    name,
    sourceConfig: { resource_spec: { cpu: 1 + (n % 3), memory_mb: 512 } },
    revisionConfig: { image_uri: `registry.example.com/agent:${n}` },
  })),
  connection: {
    poll: { intervalSeconds: 60 },
    rateLimit: { requestsPerSecond: 1e6, burst: 1e6, concurrency: 16 },
  },
};

function spec(n: number): Parameters<World['apply']>[0] {
  return {
    sourceConfig: { resourceSpec: { cpu: 1 + (n % 3) } },
    sourceRevisionConfig: { imageURI: `registry.example.com/agent:${n}` },
  };
}

async function rest(w: World): Promise<void> {
  NAMES.forEach((name, n) => w.apply(spec(n), name));
  await w.pass(30);
  for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
  expect(w.patches()).toEqual([]);
}

/** Returns the calls of each sweep: list requests from one at offset 0 to the next. */
function callsPerSweep(w: World, since: number): readonly number[] {
  const lists = w.service.log.requests('list').filter(({ number }) => number > since);
  return lists.reduce<number[]>((sweeps, { query }) => {
    if (/(^|&)offset=0(&|$)/.test(query)) sweeps.push(1);
    else sweeps.push((sweeps.pop() ?? 0) + 1);
    return sweeps;
  }, []);
}

describe('250 resources', () => {
  scenario(
    'at rest cost three calls a sweep, four every tenth, and no write or log line over thirty intervals (H30)',
    GIVEN,
    async (w) => {
      await rest(w);
      const writes = w.statusWrites.length;
      const since = w.service.log.requests().at(-1)?.number ?? 0;
      const passes = w.metrics.sum('reconciled Deployment');
      w.logger.lines.length = 0;
      await w.pass(30 * 60);
      expect(w.logger.lines).toEqual([]);
      const calls = callsPerSweep(w, since);
      expect(calls.length).toBeGreaterThanOrEqual(28);
      expect(calls.length).toBeLessThanOrEqual(33);
      expect(calls.filter((n) => n === 4).length).toBe(Math.floor(calls.length / 10));
      expect(calls.filter((n) => n !== 3 && n !== 4)).toEqual([]);
      expect(w.statusWrites).toHaveLength(writes);
      expect(w.patches()).toEqual([]);
      expect(
        w.metrics.sum('reconciled Deployment') - passes,
        'passes: the resync, and nothing else',
      ).toBeLessThanOrEqual(4 * 250);
    },
  );

  scenario('after a restart cost one sweep, no PATCH and no status write (H44)', GIVEN, async (w) => {
    await rest(w);
    const writes = w.statusWrites.length;
    const before = w.service.log.requests().length;
    w.logger.lines.length = 0;
    w.restart();
    await w.pass(30);
    expect(w.logger.lines.map(({ message }) => message)).toEqual(['ready']);
    expect(w.service.log.requests().length - before).toBeLessThanOrEqual(5);
    expect(w.statusWrites).toHaveLength(writes);
    expect(w.patches()).toEqual([]);
  });

  scenario('edited all at once are sent one PATCH each and followed by shared sweeps', GIVEN, async (w) => {
    await rest(w);
    const [writes, lists] = [w.statusWrites.length, w.service.log.count('list')];
    NAMES.forEach((name) =>
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:next' } }, name),
    );
    await w.pass(120);
    expect(w.patches()).toHaveLength(250);
    expect(new Set(w.patches().map(({ id }) => id)).size).toBe(250);
    for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
    expect(w.statusWrites.length - writes).toBe(3 * 250);
    expect(w.service.log.count('list') - lists, 'not 250 looks').toBeLessThanOrEqual(70);
  });

  scenario('cost one PATCH for one that drifts, and no other resource is woken by it', GIVEN, async (w) => {
    await rest(w);
    const passes = w.metrics.sum('reconciled Deployment');
    w.editAtService('source_config.resource_spec.cpu', 9, 'agent-007');
    await w.pass(150);
    expect(w.patches().map(({ id }) => id)).toEqual([w.kept('agent-007').id]);
    expect(w.metrics.sum('reconciled Deployment') - passes).toBeLessThanOrEqual(10);
  });
});
