import { ConnectionError } from '../../model/connection/failure.ts';
import type { MemoryLimits } from './memory-limits.ts';
import { partsOf } from './answer-json.ts';

type Limits = Pick<MemoryLimits, 'keptBytes' | 'sweptBytes'>;

/** The size of a list, and of the one that will replace it, in bytes. */
interface Held {
  settled: number;
  taken: number;
}

/** The size of what a sweep has read so far, in bytes. */
export interface Taken {
  /** Bytes of text. */
  readonly read: number;
  /** Estimated bytes in memory. */
  readonly kept: number;
}

/** The room that one list of a connection, or its answers to writes, may take. */
export interface KeptShare {
  /**
   * Records the room that the list takes now. Throws a ConnectionError, and changes nothing, if the list may not read
   * or keep so much.
   */
  take(taken: Taken): void;
  /** Records that the new list replaces the old one. */
  settle(): void;
  /** Records that the new list was dropped. */
  giveUp(): void;
  /** Frees the whole share. */
  leave(): void;
}

/**
 * Limits the memory for kept answers, by lane. All connections of one namespace share one bounded room, since the
 * service of a connection decides how much there is to keep.
 */
export class KeptRoom {
  readonly #limits: Limits;
  readonly #lanes = new Map<string, Set<Held>>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Returns an empty share in the room of a lane. */
  share(lane: string): KeptShare {
    const held: Held = { settled: 0, taken: 0 };
    return {
      take: (taken) => {
        this.#check(lane, held, taken);
        held.taken = taken.kept;
        this.#of(lane).add(held);
      },
      settle: () => {
        held.settled = held.taken;
        held.taken = 0;
      },
      giveUp: () => {
        held.taken = 0;
        if (held.settled === 0) this.#drop(lane, held);
      },
      leave: () => this.#drop(lane, held),
    };
  }

  #drop(lane: string, held: Held): void {
    held.settled = 0;
    held.taken = 0;
    const all = this.#lanes.get(lane);
    all?.delete(held);
    if (all?.size === 0) this.#lanes.delete(lane);
  }

  #of(lane: string): Set<Held> {
    const known = this.#lanes.get(lane) ?? new Set();
    this.#lanes.set(lane, known);
    return known;
  }

  #check(lane: string, held: Held, { read, kept }: Taken): void {
    const { keptBytes, sweptBytes } = this.#limits;
    if (read > sweptBytes) throw tooMuch(`the list does not end after ${mib(sweptBytes)} of text`);
    let sum = kept;
    // A snapshot and its successor exist at the same time. Room for the successor exists outside this limit.
    for (const other of this.#lanes.get(lane) ?? [])
      if (other !== held) sum += Math.max(other.settled, other.taken);
    // The message contains no number except the limit, since statuses contain the message and must not change with
    // every pass.
    if (sum > keptBytes)
      throw tooMuch(
        `the deployments of the list take more than ${mib(keptBytes)} of memory, together with those of other connections of the namespace`,
      );
  }
}

function mib(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MiB`;
}

function tooMuch(what: string): ConnectionError {
  const message = `${what}; does the service know the names in spec.list.parameters? More memory for the controller raises the limit`;
  return new ConnectionError(message, { reason: 'ProtocolError', sent: 'no' });
}

/** Estimated bytes in memory of one part, beside its text. */
const BYTES_PER_PART = 48;

/** Estimates the memory of the value that is parsed from a JSON text, in bytes. */
export function keptSize(text: string): number {
  return textSize(text) + BYTES_PER_PART * partsOf(text);
}

/** Returns the size of a text in memory: one byte per character if all are Latin-1, otherwise two. */
export function textSize(text: string): number {
  return /[\u0100-\uffff]/.test(text) ? 2 * text.length : text.length;
}
