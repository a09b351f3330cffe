import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import type { World } from '../support/world.ts';

/** Two pages, and an empty third page. */
const LISTED = Array.from({ length: 8 }, (_, n) => ({ name: `listed-${n}` }));
const LIST = { pageSize: 5 };
const POLL = { intervalSeconds: 20, rolloutSeconds: 5 };
const SPEC = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };
/** The service ignores the pagination parameters, so every page is the first one. */
const STUCK = { paramNames: 'others' } as const;
/** The first page, and a second page that repeats it. */
const STUCK_CALLS = 2;

/** Lists that prove nothing are read at least this often for a missing deployment. */
const LONGEST_BACKOFF_SECONDS = 600;

/** Returns the number of list calls within this many seconds. */
async function listCalls(w: World, seconds: number): Promise<number> {
  const before = w.service.log.count('list');
  await w.pass(seconds);
  return w.service.log.count('list') - before;
}

/** The maximum number of list calls of one sweep and one extra pass per interval, at the shortest jitter. */
const mostCalls = (seconds: number, callsPerPass: number): number =>
  Math.ceil(seconds / (0.8 * POLL.intervalSeconds) + seconds / POLL.intervalSeconds + 1) * callsPerPass;

describe('a list that proves no absence', () => {
  for (const count of [1, 12])
    scenario(
      `is read at most once more per poll interval, with backoff, for ${count} waiting resources (K6)`,
      { deployments: LISTED, semantics: STUCK, connection: { poll: POLL, list: LIST } },
      async (w) => {
        for (let n = 0; n < count; n += 1) {
          await w.pass(1);
          w.apply({ ...SPEC, deploymentRef: { name: `missing-${n}` } }, `missing-${n}`);
        }
        await w.pass(10);
        expect(await listCalls(w, 160)).toBeLessThanOrEqual(mostCalls(160, STUCK_CALLS));
        expect(w.state('missing-0')).toBe('Unknown/NotVisibleYet False/NotVisibleYet');
        expect(w.message('missing-0')).toContain('the offset of the list does not advance');
        await w.pass(2_400);
        const sweeps = Math.ceil(600 / (0.8 * POLL.intervalSeconds)) * STUCK_CALLS;
        expect(await listCalls(w, 600)).toBeLessThanOrEqual(sweeps + 2 * STUCK_CALLS * count);
      },
    );
});

describe('a missing deployment', () => {
  scenario(
    'costs at most one pass per poll interval, regardless of the number of waiting resources (K6)',
    { deployments: LISTED, connection: { poll: { intervalSeconds: 60 }, list: LIST } },
    async (w) => {
      for (let n = 0; n < 40; n += 1) {
        w.apply({ ...SPEC, deploymentRef: { name: `missing-${n}` } }, `missing-${n}`);
        await w.pass(7);
      }
      for (let n = 0; n < 40; n += 1) expect(w.condition('Synced', `missing-${n}`)).toBe('False/NotFound');
      await w.pass(600);
      const [sweeps, looks] = [1_200 / 48, 1_200 / 60 + 1];
      expect(await listCalls(w, 1_200)).toBeLessThanOrEqual(3 * (sweeps + looks));
    },
  );

  scenario(
    'is found by the first sweep that shows it, after any number of failed searches (K6)',
    { deployments: LISTED, semantics: STUCK, connection: { poll: POLL, list: LIST } },
    async (w) => {
      w.apply({ ...SPEC, deploymentRef: { name: 'late' } }, 'late');
      await w.pass(900);
      w.become({ paramNames: 'documented-guess' });
      w.service.act({
        kind: 'add',
        seed: { ...w.seeds[0]!, id: '99999999-9999-4999-8999-999999999999', name: 'late' },
      });
      await w.pass(60);
      expect(w.state('late')).toMatch(/^True\/InSync/);
    },
  );
});

describe('a look that another resource has taken', () => {
  scenario(
    'counts as none, so that it does not lengthen the backoff of the resource that waits',
    { deployments: LISTED, connection: { poll: POLL, list: LIST } },
    async (w) => {
      w.apply({ ...SPEC, deploymentRef: { name: 'absent' } }, 'absent');
      await w.pass(60);
      expect(w.condition('Synced', 'absent')).toBe('False/NotFound');
      w.become(STUCK);
      const late = Array.from({ length: 12 }, (_, n) => `late-${n}`);
      for (const name of late) {
        w.apply({ ...SPEC, deploymentRef: { name } }, name);
        await w.pass(7);
      }
      await w.pass(900);
      w.become({ paramNames: 'documented-guess' });
      await w.pass(LONGEST_BACKOFF_SECONDS + 2 * POLL.intervalSeconds);
      for (const name of late) expect(w.condition('Synced', name), name).toBe('False/NotFound');
    },
  );
});

describe('a first creation', () => {
  scenario(
    'follows soon after a pause, however long the service wanted no calls',
    { deployments: LISTED, semantics: STUCK, connection: { poll: POLL, list: LIST } },
    async (w) => {
      w.apply({ ...SPEC, deploymentRef: { name: 'made' }, creation: { policy: 'IfMissing' } }, 'made');
      await w.pass(60);
      const pause = { kind: 'status', status: 429, headers: { 'retry-after': '1200' } } as const;
      w.fault(pause, { match: { operation: 'list' } });
      await w.pass(1_250);
      expect(w.service.log.count('create')).toBe(0);
      w.become({ paramNames: 'documented-guess' });
      await w.pass(150);
      expect(w.service.log.count('create')).toBe(1);
      await w.pass(60);
    },
  );

  scenario(
    'is sent at once while other resources wait for missing deployments (K6)',
    { deployments: LISTED, connection: { poll: POLL, list: LIST } },
    async (w) => {
      for (let n = 0; n < 12; n += 1)
        w.apply({ ...SPEC, deploymentRef: { name: `missing-${n}` } }, `missing-${n}`);
      await w.pass(301);
      const before = w.service.log.count('list');
      w.apply({ ...SPEC, deploymentRef: { name: 'made' }, creation: { policy: 'IfMissing' } }, 'made');
      await w.pass(1);
      expect(w.service.log.count('create')).toBe(1);
      // At most two complete passes of three calls each, and a sweep.
      expect(w.service.log.count('list') - before).toBeLessThanOrEqual(9);
      await w.pass(60);
    },
  );
});
