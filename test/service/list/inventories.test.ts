import { expect, it } from 'vitest';
import { Inventories } from '../../../src/service/list/inventories.ts';
import { KeptRoom } from '../../../src/service/limits/kept-room.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

const NEED = { notOlderThanMs: 0, priority: 'user' } as const;
const FOREVER = new AbortController().signal;
const RESYNC_MS = 600_000;

/** Creates inventories of a service whose integrations each list a repository with a name of 1,000 characters. */
function aBench(keptBytes: number) {
  const clock = new VirtualClock();
  const kept = new KeptRoom({ keptBytes, sweptBytes: 0 });
  const text = JSON.stringify([
    {
      host_integration_id: 'i',
      id: 1,
      owner: 'acme',
      url: 'u',
      default_branch: 'main',
      name: 'x'.repeat(1_000),
    },
  ]);
  const inventories = new Inventories({
    clock,
    readAnswer: async ({ use }) => use({ status: 200, headers: {}, text }),
    newShare: () => kept.share('team-a'),
    ending: FOREVER,
  });
  const trouble = async (id: string): Promise<string | undefined> =>
    (await inventories.repositories(id, { ...NEED, notOlderThanMs: clock.now() }, FOREVER)).trouble?.message;
  return { clock, kept, inventories, trouble };
}

it('lists of many integrations share one limit, and unused ones make room', async () => {
  const { clock, trouble } = aBench(5_000);
  for (const id of ['a', 'b', 'c']) expect(await trouble(id)).toBeUndefined();
  expect(await trouble('d')).toContain('take more than');
  await clock.advance(RESYNC_MS + 1);
  expect(await trouble('d')).toBeUndefined();
});

it('a list that is read again counts once', async () => {
  const { clock, trouble } = aBench(2_000);
  for (let n = 0; n < 10; n += 1) {
    expect(await trouble('a')).toBeUndefined();
    await clock.advance(1_000);
  }
});

it('lists of an address that is no longer used take no memory', async () => {
  const { kept, inventories, trouble } = aBench(5_000);
  for (const id of ['a', 'b', 'c']) await trouble(id);
  inventories.stop();
  expect(() => kept.share('team-a').take({ read: 0, kept: 5_000 })).not.toThrow();
});
