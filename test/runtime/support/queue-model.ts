import { expect } from 'vitest';
import { keyText } from '../../../src/api/metadata.ts';
import type { Key } from '../../../src/api/metadata.ts';
import { PATIENCE } from '../../../src/runtime/queue/priorities.ts';

/** The lanes of a model. */
export const LANES = ['left', 'right'] as const;

/** The lanes of keys and the limits of lanes, which may change at any moment. */
class Rules {
  readonly #lanes = new Map<string, string | undefined>();
  readonly #limits = new Map<string, number>([
    ['left', 1],
    ['right', 3],
  ]);

  laneOf(key: Key): string | undefined {
    return this.#lanes.has(keyText(key)) ? this.#lanes.get(keyText(key)) : LANES[key.name.length % 3];
  }

  move(key: Key, lane: string | undefined): void {
    this.#lanes.set(keyText(key), lane);
  }

  limitOf(lane: string): number {
    return this.#limits.get(lane) ?? 1;
  }

  limit(lane: string, limit: number): void {
    this.#limits.set(lane, limit);
  }
}

/** The state of one key in its simplest form. Levels count from 0, the most urgent. */
interface Account {
  readonly key: Key;
  waits?: { readonly level: number; readonly lane: string | undefined } | undefined;
  runs?: { readonly lane: string | undefined } | undefined;
  /** The level of an add that occurred while the key ran. */
  again?: number | undefined;
  due?: { readonly atMs: number; readonly level: number } | undefined;
}

/** The required behaviour of a work queue, as a state for every key: slow, and easy to verify. */
export class QueueModel {
  readonly rules = new Rules();
  readonly #accounts = new Map<string, Account>();
  closed = false;
  idleWorkers = 0;
  #taken = 0;
  #passedOver = 0;

  add(key: Key, level: number): void {
    if (this.closed) return;
    const account = this.#of(key);
    account.due = undefined;
    this.#want(account, level);
  }

  addAfter(key: Key, atMs: number, level: number): void {
    const account = this.#of(key);
    if (this.closed || account.waits !== undefined || account.again !== undefined) return;
    account.due = {
      atMs: Math.min(atMs, account.due?.atMs ?? Infinity),
      level: Math.min(level, account.due?.level ?? Infinity),
    };
  }

  /** The next time at which a delay ends. */
  get nextDueMs(): number {
    return Math.min(...[...this.#accounts.values()].map(({ due }) => due?.atMs ?? Infinity));
  }

  delaysEnd(nowMs: number): void {
    for (const account of this.#accounts.values()) {
      const { due } = account;
      if (due === undefined || due.atMs > nowMs) continue;
      account.due = undefined;
      this.#want(account, due.level);
    }
  }

  /** Records that a worker got this key. It must have been added, and no limit may forbid it. */
  handedOut(key: Key): void {
    const account = this.#of(key);
    const text = keyText(key);
    expect(this.closed, `${text} was handed out after the end`).toBe(false);
    expect(account.waits, `${text} was handed out and nobody had asked for it`).toBeDefined();
    expect(account.runs, `${text} was handed out while it runs`).toBeUndefined();
    const { level, lane } = account.waits!;
    expect(this.#hasRoom(lane, key), `${text} was handed out beyond the limit of its lane`).toBe(true);
    this.#taken += 1;
    if (this.runnable.some(({ waits }) => waits!.level < level)) this.#passedOver += 1;
    const most = 4 * Math.floor(this.#taken / PATIENCE);
    expect(this.#passedOver, `${text} came before what is more urgent`).toBeLessThanOrEqual(most);
    this.idleWorkers -= 1;
    account.runs = { lane };
    account.waits = undefined;
  }

  done(key: Key): void {
    const account = this.#of(key);
    const { again } = account;
    account.runs = undefined;
    account.again = undefined;
    if (again !== undefined) this.#want(account, again);
  }

  shutdown(): void {
    this.closed = true;
    this.idleWorkers = 0;
    for (const account of this.#accounts.values()) account.due = undefined;
  }

  /** Waiting keys that no limit holds back. */
  get runnable(): readonly Account[] {
    return [...this.#accounts.values()].filter(
      ({ key, waits }) => waits !== undefined && this.#hasRoom(waits.lane, key),
    );
  }

  get running(): readonly Key[] {
    return [...this.#accounts.values()].filter(({ runs }) => runs !== undefined).map(({ key }) => key);
  }

  /** Returns a key that waits in this lane. */
  waitingIn(lane: string): Key | undefined {
    return [...this.#accounts.values()].find(({ waits }) => waits !== undefined && waits.lane === lane)?.key;
  }

  get counts(): { readonly waiting: number; readonly delayed: number; readonly running: number } {
    const all = [...this.#accounts.values()];
    return {
      waiting: all.filter(({ waits }) => waits !== undefined).length,
      delayed: all.filter(({ due }) => due !== undefined).length,
      running: this.running.length,
    };
  }

  #want(account: Account, level: number): void {
    if (account.runs !== undefined) account.again = Math.min(level, account.again ?? level);
    else {
      const lane = this.rules.laneOf(account.key);
      account.waits = { level: Math.min(level, account.waits?.level ?? level), lane };
    }
  }

  #hasRoom(lane: string | undefined, { namespace }: Key): boolean {
    if (lane === undefined) return true;
    const taken = [...this.#accounts.values()].filter(({ runs }) => runs?.lane === lane);
    const ofNamespace = taken.filter(({ key }) => key.namespace === namespace);
    const limit = Math.max(1, this.rules.limitOf(lane));
    return taken.length < limit && ofNamespace.length < Math.ceil(limit / 2);
  }

  #of(key: Key): Account {
    const known = this.#accounts.get(keyText(key)) ?? { key };
    this.#accounts.set(keyText(key), known);
    return known;
  }
}
