import { beforeEach, describe, expect, it } from 'vitest';
import type { LeaseRecord } from '../../src/model/election/election-step.ts';
import type { LeaseStore } from '../../src/ports/stores/lease-store.ts';

/** A Lease that does not exist yet, and what others can do to it. */
export interface LeaseStoreUnderTest {
  readonly store: LeaseStore;
  remove(): Promise<void>;
}

const GOING_ON = new AbortController().signal;

/** Whole seconds and milliseconds survive every store. */
export const A_RECORD: LeaseRecord = {
  holder: 'first',
  durationMs: 15_000,
  acquiredMs: Date.parse('2026-11-20T00:00:00.123Z'),
  renewedMs: Date.parse('2026-11-20T00:00:02.045Z'),
  transitions: 3,
};

/** What every LeaseStore promises, whatever it stands on. `make` gives a new one each time. */
export function leaseStoreContract(name: string, make: () => Promise<LeaseStoreUnderTest>): void {
  describe(`${name} keeps the contract of a lease store`, () => {
    let world: LeaseStoreUnderTest;
    let store: LeaseStore;
    beforeEach(async () => {
      world = await make();
      store = world.store;
    });

    const made = async (): Promise<string> => {
      const written = await store.write(A_RECORD, undefined, GOING_ON);
      if (written === 'changed') throw new Error('there was a Lease');
      return written.version;
    };

    it('shows nothing where there is none', async () => {
      expect(await store.read(GOING_ON)).toBeUndefined();
    });

    it('shows what was written, with the version of the write', async () => {
      const version = await made();
      expect(await store.read(GOING_ON)).toEqual({ version, record: A_RECORD });
    });

    it('makes it once: the second maker is told that it changed', async () => {
      await made();
      const other = { ...A_RECORD, holder: 'second' };
      expect(await store.write(other, undefined, GOING_ON)).toBe('changed');
      expect((await store.read(GOING_ON))?.record).toEqual(A_RECORD);
    });

    it('moves the version with every write, also of the same record', async () => {
      const version = await made();
      const renewed = await store.write(
        { ...A_RECORD, renewedMs: A_RECORD.renewedMs + 1 },
        version,
        GOING_ON,
      );
      expect(renewed).toMatchObject({ record: { renewedMs: A_RECORD.renewedMs + 1 } });
      expect(renewed).not.toMatchObject({ version });
    });

    it('writes on nothing but the version that is stored', async () => {
      const version = await made();
      await store.write({ ...A_RECORD, holder: 'second' }, version, GOING_ON);
      expect(await store.write({ ...A_RECORD, holder: 'third' }, version, GOING_ON)).toBe('changed');
      expect((await store.read(GOING_ON))?.record.holder).toBe('second');
    });

    it('of two writers at once one wins', async () => {
      const version = await made();
      const answers = await Promise.all(
        ['second', 'third'].map((holder) => store.write({ ...A_RECORD, holder }, version, GOING_ON)),
      );
      expect(answers.filter((answer) => answer === 'changed')).toHaveLength(1);
    });

    it('can be given back: nobody holds it then', async () => {
      const version = await made();
      await store.write({ ...A_RECORD, holder: '' }, version, GOING_ON);
      expect((await store.read(GOING_ON))?.record.holder).toBe('');
    });

    it('says that it changed where it is gone, and can then be made anew', async () => {
      const version = await made();
      await world.remove();
      expect(await store.read(GOING_ON)).toBeUndefined();
      expect(await store.write(A_RECORD, version, GOING_ON)).toBe('changed');
      expect(await made()).not.toBe(version);
    });

    it('gives up when told to', async () => {
      await expect(store.read(AbortSignal.abort(new Error('enough')))).rejects.toThrow();
      await expect(
        store.write(A_RECORD, undefined, AbortSignal.abort(new Error('enough'))),
      ).rejects.toThrow();
      expect(await store.read(GOING_ON)).toBeUndefined();
    });
  });
}
