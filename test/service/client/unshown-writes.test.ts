import { expect, test } from 'vitest';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { KeptRoom } from '../../../src/service/limits/kept-room.ts';
import { ServiceLearning } from '../../../src/service/client/service-learning.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

const WINDOW_MS = 30_000;
const CONFIG = { fields: { installCommand: 'npm ci', buildCommand: 'make' } };
const BLOCK = { imageURI: 'agent:2' };

/** Returns a deployment as a list or an answer shows it. */
const look = (image: number, revision?: string, sourceConfig = CONFIG): ObservedDeployment => ({
  id: 'a',
  name: 'a',
  ...(revision === undefined ? {} : { latestRevisionID: revision }),
  sourceConfig,
  sourceRevisionConfig: { fields: { imageURI: `agent:${image}` } },
});

/** Makes a whole write, reads a lagging list, and makes a second write of the same image that leaves the rest out. */
function afterTwoWrites({ answeredWith }: { readonly answeredWith?: string } = {}) {
  const learning = new ServiceLearning({
    clock: new VirtualClock(),
    windowMs: () => WINDOW_MS,
    onLearned: () => undefined,
    areSecretsListed: () => false,
    newShare: () => new KeptRoom({ keptBytes: 1e9, sweptBytes: 0 }).share('team-a'),
  });
  const see = (deployment: ObservedDeployment, beganMs: number): void =>
    learning.see('a', { kind: 'present', deployment, beganMs, via: 'list' });
  const before = look(1, 'one');
  const first = { before, listed: before, body: { sourceConfig: CONFIG, sourceRevisionConfig: BLOCK } };
  learning.wrote('a', { ...first, answer: look(2), endedMs: 0, dueMs: WINDOW_MS });
  see(before, 2 * WINDOW_MS);
  const { sourceConfig: _, ...partly } = look(2, answeredWith);
  learning.wrote('a', {
    ...{ before, listed: before, body: { sourceRevisionConfig: BLOCK }, answer: partly },
    ...{ endedMs: 2 * WINDOW_MS, dueMs: 3 * WINDOW_MS },
  });
  return { learning, see };
}

test('a value of an earlier write that no list had shown does not prove that a second write arrived', () => {
  const { learning, see } = afterTwoWrites();
  see(look(2, 'two'), 2 * WINDOW_MS + 1);
  expect(learning.written('a'), 'the list may show the first write alone').toBeDefined();
  see(look(2, 'three', { fields: {} as typeof CONFIG.fields }), 2 * WINDOW_MS + 2);
  expect(learning.written('a')?.effect?.lost).toEqual([
    'sourceConfig.installCommand',
    'sourceConfig.buildCommand',
  ]);
});

test("a list under the revision of the second write's answer shows that write", () => {
  const { learning, see } = afterTwoWrites({ answeredWith: 'three' });
  see(look(2, 'two'), 2 * WINDOW_MS + 1);
  expect(learning.written('a')).toBeDefined();
  see(look(2, 'three'), 2 * WINDOW_MS + 2);
  expect(learning.written('a')).toBeUndefined();
});
