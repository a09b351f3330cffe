import { describe, expect, it } from 'vitest';
import { LeaseWatch } from '../../../src/runtime/election/lease-watch.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { A_RECORD } from '../../contracts/lease-store.ts';
import { MemoryLease } from '../../support/doubles/memory-lease.ts';

const GOING_ON = new AbortController().signal;

async function aWatch() {
  const clock = new VirtualClock({ startMs: 0 });
  const lease = new MemoryLease();
  const watch = new LeaseWatch({
    storeOf: () => lease,
    clock,
    instant: () => ({ wallMs: 0, steadyMs: clock.now() }),
    ...{ leaseMs: 15_000, timeoutMs: 1_000 },
  });
  return { clock, lease, watch };
}

describe('the Lease of another shard', () => {
  it('belongs to its holder for its duration since its last observed change', async () => {
    const { clock, lease, watch } = await aWatch();
    const made = await lease.write(A_RECORD, undefined, GOING_ON);
    expect(await watch.leftMs('ns/other')).toBe(15_000);
    await clock.advance(14_000);
    expect(await watch.leftMs('ns/other')).toBe(1_000);
    if (made !== 'changed') await lease.write(A_RECORD, made.version, GOING_ON);
    expect(await watch.leftMs('ns/other')).toBe(15_000);
    await clock.advance(15_000);
    expect(await watch.leftMs('ns/other')).toBe(0);
  });

  it('belongs to no holder as soon as it was released', async () => {
    const { lease, watch } = await aWatch();
    await lease.write({ ...A_RECORD, holder: '' }, undefined, GOING_ON);
    expect(await watch.leftMs('ns/other')).toBe(0);
  });

  it('that is missing may be created again for one duration', async () => {
    const { clock, watch } = await aWatch();
    expect(await watch.leftMs('ns/other')).toBe(15_000);
    await clock.advance(15_000);
    expect(await watch.leftMs('ns/other')).toBe(0);
  });

  it('that cannot be read in time is reported as unknown', async () => {
    const { clock } = await aWatch();
    const never = { read: () => new Promise<never>(() => undefined), write: async () => 'changed' as const };
    const watch = new LeaseWatch({
      storeOf: () => never,
      clock,
      instant: () => ({ wallMs: 0, steadyMs: 0 }),
      ...{ leaseMs: 15_000, timeoutMs: 1_000 },
    });
    await expect(clock.runUntil(watch.leftMs('ns/other'))).rejects.toThrow('no answer');
  });
});
