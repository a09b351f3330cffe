import { expect, it } from 'vitest';
import { Intake } from '../../../src/service/calls/intake.ts';
import { sharedMemory } from '../../../src/service/calls/shared-memory.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

const HEAP_BYTES = 256 * 1024 * 1024;
const FOREVER = new AbortController().signal;
const named = (namespace: string, name: string) => ({ kind: 'Connection', namespace, name }) as const;

it('connections of one namespace wait for each other, and not for another namespace or the cluster', async () => {
  const clock = new VirtualClock();
  const shared = sharedMemory(HEAP_BYTES, clock);
  const [first, second, other] = [named('a', 'x'), named('a', 'y'), named('b', 'x')].map(
    (name) => new Intake(name, shared),
  );
  const cluster = new Intake({ kind: 'ClusterConnection', namespace: '', name: 'a' }, shared);
  shared.turns.spent('a', 1_000);
  // Lets all other pending work run first.
  await clock.settle();
  for (const intake of [other, cluster])
    expect(intake?.enter('list', true, FOREVER)).not.toBeInstanceOf(Promise);
  const waits = [first, second].map((intake) => intake?.enter('list', true, FOREVER));
  expect([first?.isWaiting, second?.isWaiting, other?.isWaiting]).toEqual([true, true, false]);
  expect(first?.enter('patch', false, FOREVER), 'a write that has its permit goes').not.toBeInstanceOf(
    Promise,
  );
  await clock.runUntil(Promise.all(waits.map((wait) => Promise.resolve(wait))));
  expect([first?.isWaiting, second?.isWaiting]).toEqual([false, false]);
});

it('a long answer, or one in very many pieces, costs time', async () => {
  const clock = new VirtualClock();
  const shared = sharedMemory(HEAP_BYTES, clock);
  const intake = new Intake(named('a', 'x'), shared);
  const costs = (seat: { bytes: number; pieces: number }): boolean => {
    intake.leave('list', { ...seat, mostBytes: 0, expired: FOREVER, grow: () => undefined, leave: () => {} });
    return !shared.turns.isFree('a');
  };
  for (let n = 0; n < 1_000; n += 1) expect(costs({ bytes: 300_000, pieces: 10 })).toBe(false);
  expect(costs({ bytes: 300_000, pieces: 300_000 })).toBe(true);
});
