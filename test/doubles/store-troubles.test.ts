import { describe, expect, it } from 'vitest';
import type { Key } from '../../src/api/metadata.ts';
import { MemoryStore } from '../support/doubles/memory-store.ts';
import { VirtualClock } from '../support/doubles/virtual-clock.ts';
import { manifestNamed } from '../contracts/desired-store.ts';

const KEY: Key = { kind: 'Deployment', namespace: 'team-a', name: 'agent' };
const STATUS = { observedGeneration: 1 };

/** A store with the resource `agent`, and short ways to write to it. */
class Desk {
  readonly clock = new VirtualClock();
  readonly store = new MemoryStore(this.clock);

  constructor() {
    this.store.apply(manifestNamed('agent'));
  }

  get resource() {
    return this.store.peek(KEY)!;
  }

  announce() {
    return this.store.announce(this.resource, STATUS);
  }

  save(mustLand: boolean) {
    return this.store.saveStatus(this.resource, STATUS, { mustLand });
  }
}

describe('a slow store', () => {
  it('lets a write land so much later, and the next one at once', async () => {
    const desk = new Desk();
    desk.store.troubles.slow(45, { operation: 'announce' });
    const announced = desk.announce();
    await desk.clock.advance(44_000);
    expect(desk.resource.status).toBeUndefined();
    await desk.clock.advance(1000);
    expect(desk.resource.status).toEqual(STATUS);
    await announced;
    expect(await desk.announce()).toMatchObject({ status: STATUS });
  });

  it('notices what changed while a write was on its way', async () => {
    const desk = new Desk();
    desk.store.troubles.slow(10);
    const announced = desk.announce();
    await desk.clock.advance(5000);
    desk.store.edit(KEY, (resource) => ({
      ...resource,
      spec: { ...resource.spec, clear: ['sourceConfig.customURL'] },
    }));
    await desk.clock.advance(5000);
    expect(await announced).toBe('stale');
  });

  it('is slow for the writes that are named, and for so many of them', async () => {
    const desk = new Desk();
    desk.store.troubles.slow(10, { operation: 'saveStatus', key: KEY, times: 2 });
    desk.store.troubles.slow(10, { key: { ...KEY, name: 'other' } });
    await desk.announce();
    const begunMs = desk.clock.now();
    await desk.clock.runUntil(desk.save(false));
    await desk.clock.runUntil(desk.save(false));
    await desk.clock.runUntil(desk.save(false));
    expect(desk.clock.now() - begunMs).toBe(20_000);
  });

  it('is slow until it is set otherwise where no number is given', async () => {
    const desk = new Desk();
    desk.store.troubles.slow(1, { times: 0 });
    for (let n = 0; n < 3; n += 1) await desk.clock.runUntil(desk.save(true));
    expect(desk.clock.pendingTimers).toBe(0);
    desk.store.troubles.clear();
    await desk.save(true);
  });
});

describe('a store in which others write first', () => {
  it('lets an announcement through on the fresh version, since only what is theirs moved', async () => {
    const desk = new Desk();
    const before = desk.resource.metadata.resourceVersion;
    desk.store.troubles.conflict({ times: 4 });
    expect(await desk.announce()).toMatchObject({ status: STATUS, metadata: { generation: 1 } });
    expect(Number(desk.resource.metadata.resourceVersion) - Number(before)).toBe(5);
  });

  it('reports an announcement that lost five times', async () => {
    const desk = new Desk();
    desk.store.troubles.conflict({ times: 5 });
    await expect(desk.announce()).rejects.toThrow('was written by others each time');
    expect(desk.resource.status).toBeUndefined();
    await desk.announce();
  });

  it('answers a status that need not land that it is stale', async () => {
    const desk = new Desk();
    desk.store.troubles.conflict({ operation: 'saveStatus' });
    expect(await desk.save(false)).toBe('stale');
    expect(await desk.save(false)).toMatchObject({ status: STATUS });
  });

  it('takes time from a status that must land, and nothing else', async () => {
    const desk = new Desk();
    desk.store.troubles.conflict({ times: 7 });
    const begunMs = desk.clock.now();
    expect(await desk.clock.runUntil(desk.save(true))).toMatchObject({ status: STATUS });
    expect(desk.clock.now() - begunMs).toBe(7000);
  });

  it('has nothing to lose to where the resource is gone', async () => {
    const desk = new Desk();
    const old = desk.resource;
    desk.store.remove(KEY);
    desk.store.troubles.conflict();
    expect(await desk.store.announce(old, STATUS)).toBe('stale');
  });
});
