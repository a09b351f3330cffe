import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyText } from '../../src/api/metadata.ts';
import type { Key } from '../../src/api/metadata.ts';
import { PRIORITIES } from '../../src/runtime/priority.ts';
import { WorkQueue } from '../../src/runtime/work-queue.ts';
import { VirtualClock } from '../../src/simulator/virtual-clock.ts';

const KEYS: readonly Key[] = Array.from({ length: 12 }, (_, n) => ({
  kind: 'Deployment',
  namespace: `ns-${n % 3}`,
  name: `name-${n}`,
}));

const LIMITS: Readonly<Record<string, number>> = { left: 1, right: 2 };

function laneOf(key: Key): string | undefined {
  const n = Number(key.name.slice('name-'.length));
  return n % 4 === 0 ? undefined : n % 2 === 0 ? 'left' : 'right';
}

/** What must be true of one key, written down in the plainest way. */
interface Known {
  wanted: boolean;
  running: boolean;
  dueAtMs: number | undefined;
}

/** Plays the queue and the plain account of it side by side. */
class Game {
  readonly clock = new VirtualClock({ startMs: 0 });
  readonly queue = new WorkQueue({ clock: this.clock, laneOf, laneLimit: (lane) => LIMITS[lane] ?? 1 });
  readonly known = new Map<string, Known>(
    KEYS.map((key) => [keyText(key), { wanted: false, running: false, dueAtMs: undefined }]),
  );
  readonly running: Key[] = [];

  of(key: Key): Known {
    return this.known.get(keyText(key))!;
  }

  add(key: Key, priority: number): void {
    Object.assign(this.of(key), { wanted: true, dueAtMs: undefined });
    this.queue.add(key, PRIORITIES[priority]);
  }

  addAfter(key: Key, ms: number, priority: number): void {
    const known = this.of(key);
    if (!known.wanted) known.dueAtMs = Math.min(known.dueAtMs ?? Infinity, this.clock.now() + ms);
    this.queue.addAfter(key, ms, PRIORITIES[priority]!);
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    for (const known of this.known.values()) {
      if (known.dueAtMs === undefined || known.dueAtMs > this.clock.now()) continue;
      Object.assign(known, { wanted: true, dueAtMs: undefined });
    }
  }

  /** Takes a key where one may run and says whether it did. */
  async take(): Promise<boolean> {
    const abort = new AbortController();
    const got = this.queue.get(abort.signal);
    abort.abort();
    const key = await got;
    if (key === undefined) {
      const forgotten = KEYS.filter((k) => this.of(k).wanted && !this.of(k).running && this.hasRoom(k));
      expect(forgotten, 'nothing may wait that could run').toEqual([]);
      return false;
    }
    const known = this.of(key);
    expect(known.wanted, `${keyText(key)} was asked for`).toBe(true);
    expect(known.running, `${keyText(key)} does not run already`).toBe(false);
    expect(this.hasRoom(key), `the lane of ${keyText(key)} has room`).toBe(true);
    Object.assign(known, { wanted: false, running: true });
    this.running.push(key);
    return true;
  }

  done(nth: number): void {
    const [key] = this.running.splice(nth % Math.max(1, this.running.length), 1);
    if (key === undefined) return;
    this.of(key).running = false;
    this.queue.done({ ...key });
  }

  hasRoom(key: Key): boolean {
    const lane = laneOf(key);
    return (
      lane === undefined || this.running.filter((other) => laneOf(other) === lane).length < LIMITS[lane]!
    );
  }

  check(): void {
    const waiting = KEYS.filter((key) => this.of(key).wanted && !this.of(key).running).length;
    const delayed = KEYS.filter((key) => this.of(key).dueAtMs !== undefined).length;
    expect(this.queue.state()).toMatchObject({ waiting, delayed, running: this.running.length });
    expect(this.clock.pendingTimers).toBeLessThanOrEqual(1);
  }
}

const anyKey = fc.integer({ min: 0, max: KEYS.length - 1 });
const anyPriority = fc.integer({ min: 0, max: 2 });
const anyMove = fc.oneof(
  fc.record({ move: fc.constant('add' as const), key: anyKey, priority: anyPriority }),
  fc.record({
    move: fc.constant('addAfter' as const),
    key: anyKey,
    priority: anyPriority,
    ms: fc.integer({ min: 1, max: 50 }),
  }),
  fc.record({ move: fc.constant('take' as const) }),
  fc.record({ move: fc.constant('done' as const), nth: fc.nat(11) }),
  fc.record({ move: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 40 }) }),
);

describe('work queue, whatever happens', () => {
  it('loses no key, runs none twice at once and keeps every limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMove, { maxLength: 60 }), async (moves) => {
        const game = new Game();
        for (const move of moves) {
          if (move.move === 'add') game.add(KEYS[move.key]!, move.priority);
          else if (move.move === 'addAfter') game.addAfter(KEYS[move.key]!, move.ms, move.priority);
          else if (move.move === 'take') await game.take();
          else if (move.move === 'done') game.done(move.nth);
          else await game.advance(move.ms);
          game.check();
        }
        await game.advance(1_000);
        while ((await game.take()) || game.running.length > 0) game.done(0);
        expect([...game.known.values()].some((known) => known.wanted || known.dueAtMs !== undefined)).toBe(
          false,
        );
        game.check();
      }),
      { numRuns: 300 },
    );
  });

  it('gives every waiting key its turn while edits never stop', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyKey, anyPriority), { minLength: 1, maxLength: 12 }),
        async (adds) => {
          const game = new Game();
          for (const [n, priority] of adds) game.add(KEYS[n]!, priority);
          const owed = new Set(adds.map(([n]) => keyText(KEYS[n]!)));
          for (let turn = 0; turn < 400 && owed.size > 0; turn += 1) {
            game.queue.add({ kind: 'Deployment', namespace: `edits-${turn % 2}`, name: `name-${turn}` });
            const key = await game.queue.get();
            owed.delete(keyText(key!));
            game.queue.done(key!);
          }
          expect([...owed]).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
