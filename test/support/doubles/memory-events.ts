import type { ConnectionResource } from '../../../src/api/connection.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { type Key, keyOf } from '../../../src/api/metadata.ts';
import type { Event } from '../../../src/model/outcome/event.ts';
import type { EventRecorder } from '../../../src/ports/stores/event-recorder.ts';
import { noteTold } from '../leaks/told.ts';

/** An event and its object. */
export interface RecordedEvent {
  readonly about: Key;
  readonly event: Event;
}

/** Keeps every event, in order. */
export class MemoryEvents implements EventRecorder {
  readonly #recorded: RecordedEvent[] = [];

  record(about: DeploymentResource | ConnectionResource, event: Event): void {
    noteTold('an event', event);
    this.#recorded.push({ about: keyOf(about), event });
  }

  /** Every event so far, oldest first. */
  get all(): readonly RecordedEvent[] {
    return this.#recorded;
  }

  /** Returns the reasons so far, oldest first; only those of one resource if `key` is given. */
  reasons(key?: Key): readonly string[] {
    return this.#recorded
      .filter(
        ({ about }) =>
          key === undefined ||
          (about.kind === key.kind && about.namespace === key.namespace && about.name === key.name),
      )
      .map(({ event }) => event.reason);
  }

  /** Forgets the events so far. */
  forget(): void {
    this.#recorded.length = 0;
  }
}
