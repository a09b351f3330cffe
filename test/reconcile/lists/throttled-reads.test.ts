import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import type { World } from '../support/world.ts';

const LISTED = Array.from({ length: 40 }, (_, n) => ({ name: `listed-${n}` }));
/** Pages so short that reading one deployment justifies a call of its own. */
const GIVEN = { deployments: LISTED, connection: { list: { pageSize: 10 } } };
const NAME = 'listed-0';
/** This block is sent whole, so a write needs a read from the last few seconds. */
const cpu = (count: number) => ({ sourceConfig: { resourceSpec: { cpu: count } } });
const PAUSE_S = 1_200;

const errors = (w: World): readonly unknown[] => w.logger.lines.filter(({ level }) => level === 'error');
const throttleReads = (w: World): void =>
  w.fault(
    { kind: 'status', status: 429, headers: { 'Retry-After': String(PAUSE_S) } },
    { match: { operation: 'list' } },
  );

async function atRest(w: World): Promise<void> {
  w.apply(cpu(1), NAME);
  await w.pass(90);
  expect(w.state(NAME)).toBe('True/InSync True/Active');
  // Just after a sweep, so the next call of the list is the one for the edit.
  const swept = w.service.log.count('list');
  while (w.service.log.count('list') === swept) await w.pass(1);
  await w.pass(8);
}

describe('a 429 on the read of one deployment', () => {
  scenario(
    'is reported on the connection at once, and no pass waits for its end (B12, H63)',
    GIVEN,
    async (w) => {
      await atRest(w);
      throttleReads(w);
      const before = w.service.log.count('list');
      w.apply(cpu(2), NAME);
      await w.pass(5);
      expect(w.service.log.count('list') - before).toBe(1);
      expect(w.service.log.requests('list').at(-1)?.query).toContain('ids');
      expect(w.connectionState()).toBe('False/RateLimited');
      expect(w.condition('Synced', NAME)).toBe('Unknown/ConnectionNotReady');
      expect(w.status(NAME).observedGeneration).toBe(w.resource(NAME).metadata.generation);
      await w.pass(PAUSE_S - 30);
      expect(w.service.log.count('list') - before, 'calls in the pause').toBe(1);
      expect(w.connectionState()).toBe('False/RateLimited');
      await w.pass(120);
      expect(w.connectionState()).toBe('True/Ok');
      expect(w.state(NAME)).toBe('True/InSync True/Active');
      expect(errors(w)).toEqual([]);
    },
  );
});
