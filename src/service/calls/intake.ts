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

/** Whose answers share room and time: a ClusterConnection serves many namespaces, and none may take its share. */
export function laneOf(name: ConnectionName): string {
  return name.kind === 'Connection' ? name.namespace : connectionText(name);
}

const MIB = 1024 * 1024;
/** Estimated time to read, inflate and free one MiB, in addition to the measured time. */
const MS_PER_MIB = 5;
/** So does a piece, however small: an answer may come byte by byte. */
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
   * A seat for the next answer, which a read waits for, as for the end of a pause; where neither is needed it is
   * given at once, so that the request goes at once. Throws or rejects with the reason of `signal`, or a
   * ConnectionError.
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

  /** True while some call of the connection waits for its turn, or for room. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** Gives back the seat of an answer that was decoded, or did not come. */
  leave(operation: Operation, seat: Seat): void {
    if (seat.bytes > 0) this.#usual.set(operation, seat.bytes);
    const costMs = (seat.bytes / MIB) * MS_PER_MIB + seat.pieces * MS_PER_PIECE;
    // Below the cost of one MiB nothing is charged beside the work that is measured.
    if (costMs > MS_PER_MIB) this.#shared.turns.spent(this.#lane, costMs);
    seat.leave();
  }

  /** Runs work on an answer in its turn. */
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

  /** Runs at once what follows from an answer, and counts it. */
  measured<T>(work: () => T): T {
    return this.#shared.turns.measured(this.#lane, work);
  }
}
