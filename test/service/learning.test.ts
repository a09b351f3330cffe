import { expect, test } from 'vitest';
import type { Observation, ObservedDeployment } from '../../src/model/observation.ts';
import { ServiceLearning } from '../../src/service/learning.ts';
import { VirtualClock } from '../../src/simulator/virtual-clock.ts';

const WINDOW_MS = 30_000;
const BODY = { sourceConfig: { fields: { customURL: 'https://new.example.com' } } };

/** A deployment with something that a PATCH may lose, as a list shows it now. */
function seen(id: string, clock: VirtualClock): Observation & { readonly kind: 'present' } {
  const deployment: ObservedDeployment = {
    id,
    name: id,
    sourceConfig: { fields: { customURL: 'https://old.example.com', installCommand: 'make install' } },
  };
  return { kind: 'present', deployment, beganMs: clock.now(), via: 'list' };
}

function bench() {
  const clock = new VirtualClock();
  const learning = new ServiceLearning(
    clock,
    () => WINDOW_MS,
    () => undefined,
  );
  const mayWrite = (id: string): boolean => learning.mayWrite(id, seen(id, clock), BODY);
  return { clock, learning, mayWrite };
}

test('a first write that came to nothing lets another deployment be the first', () => {
  const { learning, mayWrite } = bench();
  expect([mayWrite('a'), mayWrite('b')]).toEqual([true, false]);
  learning.abandoned('a');
  expect(mayWrite('b')).toBe(true);
});

test('a second write that came to nothing does not end the watch over the first', async () => {
  const { clock, learning, mayWrite } = bench();
  expect(mayWrite('a')).toBe(true);
  const endedMs = clock.now();
  const { deployment: before } = seen('a', clock);
  learning.wrote('a', { before, body: BODY, endedMs, dueMs: endedMs + WINDOW_MS });
  await clock.advance(1_000);
  expect(mayWrite('a'), 'an edit of the same one').toBe(true);
  learning.abandoned('a');
  expect(mayWrite('b'), 'what the first did is not known yet').toBe(false);
  await clock.advance(WINDOW_MS);
  expect(mayWrite('b')).toBe(true);
});
