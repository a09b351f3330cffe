import { ConnectionError } from '../../model/connection/failure.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { TooMuchError } from './own-errors.ts';

/** An answer up to this size is small, in bytes. */
const SMALL_BYTES = 256 * 1024;
/** The greatest total size of the small answers of one lane, in bytes. */
const SMALL_BYTES_OF_LANE = 1024 * 1024;
/** The least size of an exchange, for the buffers of its socket, in bytes. */
const LEAST_BYTES = 8 * 1024;
/** The number of large answers that are read at once, each from a different lane. */
const LARGE_AT_ONCE = 3;
/** A large answer that takes longer than this to read is aborted, so that others can be read. */
export const LARGE_LIMIT_MS = 60_000;
/**
 * The longest wait of an answer for room. After it the answer fails, since other connections of its namespace hold all
 * of the room.
 */
export const WAIT_LIMIT_MS = 300_000;

/** The parts of an answer room. */
export interface AnswerRoomOptions {
  readonly clock: Clock;
  /** The size of the longest permitted answer, in bytes. */
  readonly answerBytes: number;
}

/** The room that one answer takes, from before its request is sent until it has been decoded. */
export interface Seat {
  /** The size of the longest permitted answer, in bytes. */
  readonly mostBytes: number;
  /** The bytes read so far; `pieces` counts the pieces. */
  readonly bytes: number;
  readonly pieces: number;
  /** Aborts if the answer has blocked others for too long. */
  readonly expired: AbortSignal;
  /**
   * Makes room for the next piece of an answer; `bytes` is its size including that piece. Returns undefined if there is
   * room, and otherwise a promise; the reader reads nothing more until it resolves. Throws a ConnectionError if no
   * answer may be this long. Rejects with one after five minutes.
   */
  grow(bytes: number): Promise<void> | undefined;
  /** Frees the room of the answer; a second call does nothing. */
  leave(): void;
}

/** A wait for room. */
interface Waiting {
  readonly admit: () => boolean;
  readonly done: () => void;
}

/** The answers of the connections of one namespace. */
interface Lane {
  small: number;
  large: SeatInRoom | undefined;
  readonly waiting: Set<Waiting>;
}

/**
 * The room that answers of all services share while they are read. A small answer takes room that its lane has for
 * itself, so no lane waits for another one because of it. A lane reads one large answer at a time, and all lanes
 * together read three. An answer in one of these places never waits again, so some answer can always be read to its
 * end. Lanes take turns.
 */
export class AnswerRoom {
  readonly #options: AnswerRoomOptions;
  readonly #lanes = new Map<string, Lane>();
  #large = 0;

  constructor(options: AnswerRoomOptions) {
    this.#options = options;
  }

  /**
   * Makes room for an answer of the usual size, in bytes, before the request is sent; returns at once if there is
   * room. Rejects with the reason of `signal`.
   */
  enter(laneName: string, usualBytes: number, signal: AbortSignal): Seat | Promise<Seat> {
    signal.throwIfAborted();
    const { answerBytes } = this.#options;
    const seat = this.#seat(laneName, answerBytes, signal);
    // A slow service must not occupy a place for a large answer before its answer arrives.
    const room = seat.reserve(Math.min(Math.max(LEAST_BYTES, usualBytes), SMALL_BYTES));
    return room === undefined ? seat : entered(seat, room);
  }

  /**
   * Returns a seat for the answer to a write. A write is sent as soon as it has its permit, and its answer is no larger
   * than one deployment.
   */
  squeeze(laneName: string, signal: AbortSignal): Seat {
    const mostBytes = Math.ceil(this.#options.answerBytes / 4);
    const seat = this.#seat(laneName, mostBytes, signal);
    this.#lane(laneName).small += LEAST_BYTES;
    seat.held = LEAST_BYTES;
    return seat;
  }

  #lane(name: string): Lane {
    const lane = this.#lanes.get(name) ?? { small: 0, large: undefined, waiting: new Set() };
    this.#lanes.set(name, lane);
    return lane;
  }

  #seat(laneName: string, mostBytes: number, signal: AbortSignal): SeatInRoom {
    const lane = this.#lane(laneName);
    const seat: SeatInRoom = new SeatInRoom(this.#options.clock, mostBytes, {
      take: (bytes) => this.#take(lane, seat, bytes),
      wait: (admit) => this.#wait(lane, admit, signal),
      leave: () => {
        this.#giveBack(lane, seat);
        this.#admit();
        const isIdle = lane.small === 0 && lane.large === undefined && lane.waiting.size === 0;
        if (isIdle && this.#lanes.get(laneName) === lane) this.#lanes.delete(laneName);
      },
    });
    return seat;
  }

  /** Takes room and returns true if there is enough. */
  #take(lane: Lane, seat: SeatInRoom, bytes: number): boolean {
    if (seat.held === 'large' || (seat.held !== undefined && seat.held >= bytes)) return true;
    const own = seat.held ?? 0;
    if (bytes <= SMALL_BYTES) {
      if (lane.small - own + bytes > SMALL_BYTES_OF_LANE) return false;
      lane.small += bytes - own;
      seat.held = bytes;
      return true;
    }
    if (lane.large !== undefined || this.#large >= LARGE_AT_ONCE) return false;
    lane.small -= own;
    lane.large = seat;
    this.#large += 1;
    seat.held = 'large';
    seat.expireAfter(LARGE_LIMIT_MS);
    return true;
  }

  #giveBack(lane: Lane, seat: SeatInRoom): void {
    if (seat.held === 'large') {
      lane.large = undefined;
      this.#large -= 1;
    } else lane.small -= seat.held ?? 0;
    seat.held = undefined;
  }

  #wait(lane: Lane, admit: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        lane.waiting.delete(waiting);
        cancel();
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        end();
        reject(signal.reason);
      };
      const waiting: Waiting = {
        admit,
        done: () => {
          end();
          resolve();
        },
      };
      const cancel = this.#options.clock.after(WAIT_LIMIT_MS, () => {
        end();
        reject(noRoom());
      });
      lane.waiting.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Admits waiting answers that have room now: the first possible one of each lane, with the lanes in turn. */
  #admit(): void {
    for (const [name, lane] of [...this.#lanes]) {
      const before = this.#large;
      for (const waiting of [...lane.waiting]) if (waiting.admit()) waiting.done();
      if (this.#large === before) continue;
      // An admitted lane comes last the next time.
      this.#lanes.delete(name);
      this.#lanes.set(name, lane);
    }
  }
}

/** The requests that a seat makes to its room. */
interface Keeper {
  readonly take: (bytes: number) => boolean;
  readonly wait: (admit: () => boolean) => Promise<void>;
  readonly leave: () => void;
}

class SeatInRoom implements Seat {
  /** The bytes that it holds of the small room of its lane, or the one place for a large answer. */
  held: number | 'large' | undefined;
  bytes = 0;
  pieces = 0;
  readonly mostBytes: number;
  readonly #clock: Clock;
  readonly #keeper: Keeper;
  readonly #expiring = new AbortController();
  #cancelExpiry: (() => void) | undefined;

  constructor(clock: Clock, mostBytes: number, keeper: Keeper) {
    this.#clock = clock;
    this.mostBytes = mostBytes;
    this.#keeper = keeper;
  }

  get expired(): AbortSignal {
    return this.#expiring.signal;
  }

  reserve(bytes: number): Promise<void> | undefined {
    const { take, wait } = this.#keeper;
    return take(bytes) ? undefined : wait(() => take(bytes));
  }

  grow(bytes: number): Promise<void> | undefined {
    if (bytes > this.mostBytes) throw tooLarge(this.mostBytes);
    this.bytes = bytes;
    this.pieces += 1;
    if (this.held === 'large' || (this.held ?? 0) >= bytes) return undefined;
    // Small steps would cause a request for every piece.
    return this.reserve(bytes > SMALL_BYTES ? bytes : Math.min(SMALL_BYTES, 2 * bytes));
  }

  leave(): void {
    this.#cancelExpiry?.();
    this.#cancelExpiry = undefined;
    this.#keeper.leave();
  }

  expireAfter(ms: number): void {
    this.#cancelExpiry = this.#clock.after(ms, () => this.#expiring.abort(tooSlow()));
  }
}

async function entered(seat: Seat, room: Promise<void>): Promise<Seat> {
  try {
    await room;
    return seat;
  } catch (error) {
    seat.leave();
    throw error;
  }
}

function tooLarge(mostBytes: number): ConnectionError {
  return new TooMuchError(`the answer is larger than ${Math.round(mostBytes / 1024 / 1024)} MiB`);
}

function tooSlow(): ConnectionError {
  const message = `the answer is larger than ${SMALL_BYTES / 1024} KiB and was not read within ${LARGE_LIMIT_MS / 1000} s`;
  return new ConnectionError(message, { reason: 'Unreachable', sent: 'perhaps' });
}

function noRoom(): ConnectionError {
  const message = `other answers took up all room for ${WAIT_LIMIT_MS / 1000} s; connections of a namespace read one large answer at a time`;
  return new ConnectionError(message, { reason: 'Unreachable', sent: 'perhaps' });
}
