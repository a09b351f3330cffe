import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { type CallFate, Replica } from '../../support/worlds/electorate.ts';
import { MemoryLease } from '../../support/doubles/memory-lease.ts';

const REPLICAS = 3;

/** The interval between two looks at who acts. */
const LOOK_MS = 250;

/** A fault of one replica, for some time. */
type Trouble =
  | { readonly kind: 'stopped' | 'asleep' }
  | { readonly kind: 'clock set'; readonly byMs: number }
  | { readonly kind: 'network'; readonly fates: readonly CallFate[] };

/** Occurs `afterMs` after the one before, and lasts for `forMs`. */
interface Incident {
  readonly replica: number;
  readonly afterMs: number;
  readonly forMs: number;
  readonly trouble: Trouble;
}

const fate: fc.Arbitrary<CallFate> = fc.record({
  delayMs: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 40_000 })),
  fails: fc.constantFrom('never' as const, 'before' as const, 'after' as const),
});

const hourMs = 3_600_000;

/**
 * A machine that sleeps while its wall clock is set back cannot know that time has passed. So if machines sleep, clocks
 * are only set forward here.
 */
function incidents(sleep: boolean): fc.Arbitrary<readonly Incident[]> {
  const trouble: fc.Arbitrary<Trouble> = fc.oneof(
    fc.record({ kind: fc.constant(sleep ? ('asleep' as const) : ('stopped' as const)) }),
    fc.record({
      kind: fc.constant('clock set' as const),
      byMs: fc.integer({ min: sleep ? 0 : -hourMs, max: hourMs }),
    }),
    fc.record({
      kind: fc.constant('network' as const),
      fates: fc.array(fate, { minLength: 1, maxLength: 8 }),
    }),
  );
  const incident = fc.record({
    replica: fc.nat(REPLICAS - 1),
    afterMs: fc.integer({ min: 0, max: 20_000 }),
    forMs: fc.integer({ min: 0, max: 40_000 }),
    trouble,
  });
  return fc.array(incident, { maxLength: 12 });
}

/** Replicas that restart when they end, as a pod does. */
class Election {
  readonly clock = new VirtualClock({ startMs: hourMs * 1_000 });
  readonly lease = new MemoryLease();
  readonly #replicas: Replica[] = [];
  #started = 0;

  constructor() {
    for (let at = 0; at < REPLICAS; at += 1) this.#startAt(at);
  }

  /** Advances the time and looks who acts on the way. No two replicas may act at the same time. */
  async pass(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= LOOK_MS) {
      await this.clock.advance(Math.min(LOOK_MS, leftMs));
      this.look();
    }
  }

  look(): void {
    const acting = this.#replicas.filter((replica) => replica.acts);
    expect(acting.length).toBeLessThanOrEqual(1);
    for (const [at, replica] of this.#replicas.entries())
      if (!replica.stopped && replica.elector.closed.aborted) this.#startAt(at);
  }

  get someoneActs(): boolean {
    return this.#replicas.some((replica) => replica.acts);
  }

  async play({ replica: at, afterMs, forMs, trouble }: Incident): Promise<void> {
    await this.pass(afterMs);
    const replica = this.#replicas[at];
    if (replica === undefined) return;
    if (trouble.kind === 'clock set') replica.setWallClock(trouble.byMs);
    else if (trouble.kind === 'network') {
      let call = 0;
      replica.fate = () =>
        trouble.fates[(call += 1) % trouble.fates.length] ?? { delayMs: 0, fails: 'never' };
    } else replica.pause(trouble.kind === 'asleep');
    // The loop does not wait for the end of a fault, so that faults overlap.
    this.clock.after(forMs, () => {
      replica.fate = () => ({ delayMs: 10, fails: 'never' });
      replica.resume();
      this.look();
    });
  }

  #startAt(at: number): void {
    this.#started += 1;
    const replica = new Replica(`replica-${at}-${this.#started}`, this.lease, this.clock);
    this.#replicas[at] = replica;
    void replica.start();
  }
}

describe.each([
  ['processes are stopped and clocks are set', false],
  ['machines sleep', true],
])('in every run in which %s (H60)', (_, sleep) => {
  it('no two replicas act at the same moment, and in the end one acts', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(incidents(sleep), async (all) => {
        const election = new Election();
        for (const incident of all) await election.play(incident);
        // The duration of the last fault, of the lease of a dead holder, and of a turn of the next replica.
        await election.pass(40_000 + 15_000 + 5_000);
        expect(election.someoneActs).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
