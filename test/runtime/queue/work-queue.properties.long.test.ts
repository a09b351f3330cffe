import * as fc from 'fast-check';
import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { keyText } from '../../../src/api/metadata.ts';
import type { Key } from '../../../src/api/metadata.ts';
import { Lane } from '../../../src/runtime/queue/lane.ts';
import { PATIENCE, PRIORITIES } from '../../../src/runtime/queue/priorities.ts';
import { WorkItem } from '../../../src/runtime/queue/work-item.ts';
import { WorkQueue } from '../../../src/runtime/queue/work-queue.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { drain, QueueUnderTest, WORKING, WORKING_AND_ENDING } from '../support/queue-commands.ts';
import { QueueModel } from '../support/queue-model.ts';

type Commands = Iterable<fc.AsyncCommand<QueueModel, QueueUnderTest>>;

/** Plays commands on a queue and on its model. */
async function play(commands: Commands): Promise<{ model: QueueModel; real: QueueUnderTest }> {
  const model = new QueueModel();
  const real = new QueueUnderTest(model);
  await fc.asyncModelRun(() => ({ model, real }), commands);
  return { model, real };
}

describe('a work queue in any run', () => {
  it('loses no key, runs none twice at once and keeps every limit', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(WORKING, { maxCommands: 80, size: 'max' }), async (commands) => {
        const { model, real } = await play(commands);
        await drain(model, real);
        expect(model.counts).toEqual({ waiting: 0, delayed: 0, running: 0 });
      }),
      { numRuns: 250 },
    );
  });

  it('can be shut down at any moment', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands(WORKING_AND_ENDING, { maxCommands: 40, size: 'max' }),
        async (commands) => {
          const { model, real } = await play(commands);
          await drain(model, real);
          model.shutdown();
          real.queue.shutdown();
          await real.settle(model);
        },
      ),
      { numRuns: 150 },
    );
  });
});

const LANES = 4;
const NAMESPACES = 3;

/** Returns a key of one of four lanes, by the last digit of its name, and of one of three namespaces. */
function keyOf(n: number): Key {
  return { kind: 'Deployment', namespace: `ns-${n % NAMESPACES}`, name: `name-${n}` };
}

function laneOf({ name }: Key): string {
  return `lane-${Number(name.slice('name-'.length)) % LANES}`;
}

/**
 * In a lane an urgency gets at least every (PATIENCE + 2)th turn, and so do the lanes whose next key has that urgency.
 * A lane may have to go to the end of the line once, when an edit makes it more urgent. Within an urgency a key waits
 * for the keys before it in its namespace, once for each namespace.
 */
const LONGEST_WAIT = (ahead: number): number => 2 * LANES * (PATIENCE + 2) ** 2 * NAMESPACES * ahead;

describe('a work queue with endless edits', () => {
  it('gives every key its turn within a bound', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(23), { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(fc.nat(1_000), fc.nat(2)), { minLength: 1, maxLength: 30 }),
        async (waiting, edits) => {
          const queue = new WorkQueue({ clock: new VirtualClock(), laneOf, laneLimit: () => 1 });
          for (const n of waiting) queue.add(keyOf(n), 'resync');
          const owed = new Set(waiting.map((n) => keyText(keyOf(n))));
          for (let turn = 0; owed.size > 0; turn += 1) {
            expect(turn, `${[...owed].join()} still wait`).toBeLessThan(LONGEST_WAIT(waiting.length));
            const [n, level] = edits[turn % edits.length]!;
            queue.add(keyOf(1_000 + turn * 1_000 + n), PRIORITIES[level]);
            const key = await queue.get();
            owed.delete(keyText(key!));
            queue.done(key!);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** Returns how many objects of a class are still reachable. */
function countOf(what: typeof WorkItem | typeof Lane): number {
  return queryObjects(what, { format: 'count' });
}

describe('a work queue after its work', () => {
  it('keeps no key and no lane', async () => {
    const queue = new WorkQueue({
      clock: new VirtualClock(),
      laneOf: ({ namespace }) => namespace,
      laneLimit: () => 2,
    });
    const known = { items: countOf(WorkItem), lanes: countOf(Lane) };
    for (let n = 0; n < 2_000; n += 1) {
      queue.add({ kind: 'Deployment', namespace: `ns-${n % 300}`, name: `name-${n}` });
      queue.addAfter({ kind: 'Connection', namespace: `ns-${n}`, name: 'c' }, 60_000, 'resync');
      queue.add({ kind: 'Connection', namespace: `ns-${n}`, name: 'c' }, 'resync');
    }
    expect(countOf(WorkItem)).toBe(known.items + 4_000);
    for (let n = 0; n < 4_000; n += 1) queue.done((await queue.get())!);
    expect({ items: countOf(WorkItem), lanes: countOf(Lane) }).toEqual(known);
    expect(queue.state()).toMatchObject({ waiting: 0, delayed: 0, running: 0 });
  });
});
