import type { ServerResponse } from 'node:http';
import type { Clock } from '../../ports/process/clock.ts';
import type { ChangedEvent } from '../../views/screens/console-messages.ts';
import type { ConsoleBackend } from './console-backend.ts';
import { Refusal } from './refusal.ts';

/** The shortest time between two events. */
const PACE_MS = 250;

/** The time between two heartbeats. A page that receives nothing for longer assumes that the console has ended. */
const HEARTBEAT_MS = 10_000;

/** The most open streams; a person has fewer windows open. */
const MOST_STREAMS = 16;

/**
 * Tells pages that something changed, without the change itself: pages load what they show. If a page reads too slowly,
 * it gets fewer messages; the server does not buffer them.
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

  /** Begins a stream with the current version, so that a page that reconnects learns whether it missed a change. */
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
      // One message is enough for all changes that the page misses until it reads again.
      if (response.listenerCount('drain') === 0)
        response.once('drain', () => this.#tell(response, 'changed'));
      return;
    }
    const { version } = this.#backend;
    const data: ChangedEvent = { version, freshness: this.#backend.freshness() };
    response.write(`event: ${event}\nid: ${version}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}
