import type { ServerResponse } from 'node:http';
import type { Clock } from '../../ports/process/clock.ts';
import type { ChangedEvent } from '../../views/screens/console-messages.ts';
import type { ConsoleBackend } from './console-backend.ts';
import { Refusal } from './refusal.ts';

/** The shortest time between two events. */
const PACE_MS = 250;

/** A page that hears nothing for longer takes the console for gone. */
const HEARTBEAT_MS = 10_000;

/** More windows than a person has open. */
const MOST_STREAMS = 16;

/**
 * Tells pages that something changed, without the change itself: pages load what they show. A page that reads too
 * slowly gets fewer messages, and nothing is kept for it.
 */
export class EventStreams {
  readonly #backend: ConsoleBackend;
  readonly #clock: Clock;
  readonly #open = new Set<ServerResponse>();
  readonly #unsubscribe: () => void;
  #lastMs = 0;
  #cancel: (() => void) | undefined;
  #cancelHeartbeat: (() => void) | undefined;

  constructor(backend: ConsoleBackend, clock: Clock) {
    this.#backend = backend;
    this.#clock = clock;
    this.#unsubscribe = backend.subscribe(() => this.#changed());
  }

  /** Begins a stream; the version comes first, so that a page that was away learns whether it missed anything. */
  open(response: ServerResponse): void {
    if (this.#open.size >= MOST_STREAMS)
      throw new Refusal(429, `${MOST_STREAMS} windows listen already; close some of them`);
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.flushHeaders();
    this.#open.add(response);
    response.on('close', () => this.#open.delete(response));
    response.write('retry: 1000\n\n');
    this.#tell(response, 'changed');
    if (this.#cancelHeartbeat === undefined) this.#beat();
  }

  /** Ends every stream. */
  close(): void {
    this.#unsubscribe();
    this.#cancel?.();
    this.#cancelHeartbeat?.();
    for (const response of this.#open) response.end();
  }

  #changed(): void {
    if (this.#cancel !== undefined) return;
    const waitMs = Math.max(0, this.#lastMs + PACE_MS - this.#clock.now());
    this.#cancel = this.#clock.after(waitMs, () => {
      this.#cancel = undefined;
      this.#lastMs = this.#clock.now();
      this.#tellAll('changed');
    });
  }

  #beat(): void {
    this.#cancelHeartbeat = this.#clock.after(HEARTBEAT_MS, () => {
      this.#tellAll('heartbeat');
      this.#beat();
    });
  }

  #tellAll(event: 'changed' | 'heartbeat'): void {
    for (const response of this.#open) this.#tell(response, event);
  }

  #tell(response: ServerResponse, event: 'changed' | 'heartbeat'): void {
    if (response.writableNeedDrain) {
      // One word is enough for everything that it misses until it reads again.
      if (response.listenerCount('drain') === 0)
        response.once('drain', () => this.#tell(response, 'changed'));
      return;
    }
    const { version } = this.#backend;
    const data: ChangedEvent = { version, freshness: this.#backend.freshness() };
    response.write(`event: ${event}\nid: ${version}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}
