import { type ConnectionName, connectionText } from '../../model/connection/connection.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { AnswerRoom, Seat } from '../limits/answer-room.ts';
import type { Operation } from '../http/exchange.ts';
import type { WorkTurns } from '../limits/work-turns.ts';

/** The limits that the answers of all connections share. */
export interface Shared {
  readonly room: AnswerRoom;
  readonly turns: WorkTurns;
}

/**
 * Returns the lane of a connection, whose answers share room and time. A ClusterConnection serves many namespaces, and
 * no namespace may take its share.
 */
export function laneOf(name: ConnectionName): string {
  return name.kind === 'Connection' ? name.namespace : connectionText(name);
}

const MIB = 1024 * 1024;
/** Estimated time to read, inflate and free one MiB, in addition to the measured time. */
const MS_PER_MIB = 5;
/** Estimated time per piece, also in addition: an answer may come byte by byte. */
const MS_PER_PIECE = 0.004;

/** Receives the answers of one connection, which shares room and time with other connections of its namespace. */
export class Intake {
  readonly #lane: string;
  readonly #shared: Shared;
  /** The length of the newest answers, in bytes. */
  readonly #usual = new Map<Operation, number>();
  #waiting = 0;

  constructor(name: ConnectionName, shared: Shared) {
    this.#lane = laneOf(name);
    this.#shared = shared;
  }

  /**
   * Returns a seat for the next answer. A read waits for it, as it waits for the end of a pause. If no wait is
   * necessary, returns the seat at once, so that the request is sent at once. Throws or rejects with the reason of
   * `signal`, or a ConnectionError.
   */
  enter(operation: Operation, isRead: boolean, signal: AbortSignal): Seat | Promise<Seat> {
    const { room, turns } = this.#shared;
    if (!isRead) return room.squeeze(this.#lane, signal);
    const enter = (): Seat | Promise<Seat> => room.enter(this.#lane, this.#usual.get(operation) ?? 0, signal);
    if (turns.isFree(this.#lane)) {
      const seat = enter();
      return seat instanceof Promise ? this.#counted(seat) : seat;
    }
    const pause = turns.run(this.#lane, () => undefined);
    return this.#counted(untilAborted(pause, signal).then(enter));
  }

  /** True while some call of the connection waits for its turn or for room. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** Returns the seat of an answer that was decoded, or that did not arrive. */
  leave(operation: Operation, seat: Seat): void {
    if (seat.bytes > 0) this.#usual.set(operation, seat.bytes);
    const costMs = (seat.bytes / MIB) * MS_PER_MIB + seat.pieces * MS_PER_PIECE;
    // A cost below that of one MiB is not charged in addition to the measured work.
    if (costMs > MS_PER_MIB) this.#shared.turns.spent(this.#lane, costMs);
    seat.leave();
  }

  /** Runs work on an answer when its lane has a turn. */
  work<T>(work: () => T): Promise<T> {
    return this.#counted(this.#shared.turns.run(this.#lane, work));
  }

  async #counted<T>(wait: Promise<T>): Promise<T> {
    this.#waiting += 1;
    try {
      return await wait;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Runs work that follows from an answer at once, and counts its time. */
  measured<T>(work: () => T): T {
    return this.#shared.turns.measured(this.#lane, work);
  }
}
