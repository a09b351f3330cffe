import { describe, expect, it } from 'vitest';
import {
  AnswerRoom,
  LARGE_LIMIT_MS,
  type Seat,
  WAIT_LIMIT_MS,
} from '../../../src/service/limits/answer-room.ts';
import { TooMuchError } from '../../../src/service/limits/own-errors.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const ANSWER_BYTES = 8 * MIB;

class Bench {
  readonly clock = new VirtualClock();
  readonly room = new AnswerRoom({ clock: this.clock, answerBytes: ANSWER_BYTES });
  readonly abort = new AbortController();

  async enter(lane: string, usualBytes = 0): Promise<Seat> {
    return this.room.enter(lane, usualBytes, this.abort.signal);
  }

  /** Takes `count` seats in one lane, for small answers of the largest size. */
  async full(lane: string, count = 4): Promise<readonly Seat[]> {
    const seats: Seat[] = [];
    while (seats.length < count) seats.push(await this.enter(lane, 256 * KIB));
    return seats;
  }

  /** Takes a seat for a large answer. */
  async large(lane: string): Promise<Seat> {
    const seat = await this.enter(lane);
    expect(seat.grow(MIB)).toBeUndefined();
    return seat;
  }

  /** Returns for each wait whether it is over. */
  async over(...waits: readonly (Promise<unknown> | undefined)[]): Promise<readonly boolean[]> {
    const all = waits.map((wait) => {
      const state = { over: wait === undefined };
      void wait?.then(() => (state.over = true));
      return state;
    });
    await this.clock.settle();
    return all.map(({ over }) => over);
  }
}

describe('a large answer', () => {
  it('waits for the one before it in its lane, and no longer', async () => {
    const bench = new Bench();
    const [first, second, third] = [await bench.large('a'), await bench.enter('a'), await bench.enter('a')];
    const waits = [second.grow(MIB), third.grow(MIB)];
    expect(await bench.over(...waits)).toEqual([false, false]);
    first.leave();
    expect(await bench.over(...waits)).toEqual([true, false]);
    expect(second.grow(ANSWER_BYTES), 'who has the place needs nothing more').toBeUndefined();
    second.leave();
    expect(await bench.over(...waits)).toEqual([true, true]);
  });

  it('of a lane that waits goes before the next one of a lane that was already served', async () => {
    const bench = new Bench();
    const [a, b] = [await bench.large('a'), await bench.large('b'), await bench.large('c')];
    const [second, third, other] = [await bench.enter('a'), await bench.enter('a'), await bench.enter('d')];
    const waits = [second.grow(MIB), third.grow(MIB), other.grow(MIB)];
    expect(await bench.over(...waits), 'three at once').toEqual([false, false, false]);
    a?.leave();
    expect(await bench.over(...waits)).toEqual([true, false, false]);
    second.leave();
    expect(await bench.over(...waits)).toEqual([true, false, true]);
    b?.leave();
    expect(await bench.over(...waits)).toEqual([true, true, true]);
  });

  it('gives way after a minute, however slowly it arrives', async () => {
    const bench = new Bench();
    const seat = await bench.large('a');
    await bench.clock.advance(LARGE_LIMIT_MS - 1);
    expect(seat.expired.aborted).toBe(false);
    await bench.clock.advance(1);
    expect(seat.expired.reason).toMatchObject({ reason: 'Unreachable', sent: 'perhaps' });
  });

  it('holds no place before its first bytes have arrived, however large the one before was', async () => {
    const bench = new Bench();
    const [first, second] = [await bench.enter('a', 2 * MIB), await bench.enter('a', 2 * MIB)];
    expect(second.grow(MIB)).toBeUndefined();
    expect(await bench.over(first.grow(MIB))).toEqual([false]);
  });

  it('is aborted if no answer may be that long', async () => {
    const seat = await new Bench().large('a');
    expect(() => seat.grow(ANSWER_BYTES + 1)).toThrow(TooMuchError);
    expect(() => seat.grow(ANSWER_BYTES + 1)).toThrow('the answer is larger than 8 MiB');
  });
});

describe('a small answer', () => {
  it('never waits for another lane, nor for large ones of its own', async () => {
    const bench = new Bench();
    for (const lane of ['a', 'b', 'c']) await bench.large(lane);
    for (const lane of ['a', 'd']) expect((await bench.enter(lane)).grow(200 * KIB), lane).toBeUndefined();
  });

  it('waits if small answers fill its lane, and each that leaves admits as many as fit', async () => {
    const bench = new Bench();
    const four = await bench.full('a');
    const waits = [1, 2, 3].map(() => bench.enter('a', 128 * KIB));
    expect(await bench.over(...waits)).toEqual([false, false, false]);
    four[0]?.leave();
    expect(await bench.over(...waits)).toEqual([true, true, false]);
  });

  it('of a write gets its seat at once', async () => {
    const bench = new Bench();
    await bench.full('a');
    expect(() => bench.room.squeeze('a', bench.abort.signal).grow(ANSWER_BYTES / 4 + 1)).toThrow(
      TooMuchError,
    );
    expect(bench.room.squeeze('a', bench.abort.signal).grow(KIB)).toBeUndefined();
  });
});

describe('a wait', () => {
  it('ends with the reason for which it is aborted', async () => {
    const bench = new Bench();
    await bench.large('a');
    const waiting = (await bench.enter('a')).grow(MIB);
    bench.abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('ends after five minutes, and takes no place', async () => {
    const bench = new Bench();
    const [first, second] = [await bench.large('a'), await bench.enter('a')];
    const waiting = second.grow(MIB);
    const told = waiting?.catch((error: unknown) => error);
    await bench.clock.advance(WAIT_LIMIT_MS);
    expect(await told).toMatchObject({ reason: 'Unreachable' });
    second.leave();
    first.leave();
    expect((await bench.enter('a')).grow(MIB)).toBeUndefined();
  });
});

it('a seat that leaves twice leaves once, and a thousand seats leave nothing behind', async () => {
  const bench = new Bench();
  for (let n = 0; n < 1_000; n += 1) {
    const seat = await bench.enter('a', (n % 3) * 100 * KIB);
    expect(seat.grow((n % 5) * 100 * KIB + 1)).toBeUndefined();
    seat.leave();
    seat.leave();
  }
  expect(await bench.full('a')).toHaveLength(4);
  expect((await bench.large('b')).bytes).toBe(MIB);
  expect(bench.clock.pendingTimers).toBe(1);
});
