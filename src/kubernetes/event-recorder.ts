import type { ConnectionResource } from '../api/connection.ts';
import type { DeploymentResource } from '../api/deployment.ts';
import { keyOf, keyText } from '../api/metadata.ts';
import type { Event } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import { textForPeople } from '../model/text-for-people.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventRecorder } from '../ports/event-recorder.ts';
import type { Logger } from '../ports/logger.ts';
import { isApiError } from './errors.ts';
import { EventBudget } from './event-budget.ts';
import { microTime } from './micro-time.ts';
import { MERGE_PATCH } from './patches.ts';
import { collectionPath, EVENTS, objectPath } from './resources.ts';
import type { Transport } from './exchange.ts';

/** What an event recorder is made of. */
export interface EventRecorderOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of this process, such as the pod's. */
  readonly instance: string;
}

const CONTROLLER = 'dms-operator';
/** A repeat within this time after the last one continues the series. */
const WINDOW_MS = 360_000;
/** A series that goes on is told at most this often. */
const SERIES_INTERVAL_MS = 30_000;
const SEND_TIMEOUT_MS = 10_000;
const FLUSH_TIMEOUT_MS = 5000;
/** Events that wait to be sent; more than this are not told. */
const WAITING_LIMIT = 1000;
/** Series that are remembered; more than this are not told, whoever they are about. */
const MOST_SERIES = 5000;
/** Series that have ended are looked for at most this often. */
const CLEANING_INTERVAL_MS = 30_000;

/** One event and its repeats. */
interface Series {
  name: string;
  readonly namespace: string;
  readonly body: JsonObject;
  count: number;
  lastMs: number;
  /** The count that the API server knows; 0 before it has the event. */
  sentCount: number;
  sentMs: number;
  /** Ends the wait for the next sending; absent when none is due. */
  cancel?: (() => void) | undefined;
}

/**
 * Writes events.k8s.io/v1 events in the background, one at a time. Repeats become the series of one event, an object
 * that talks too much is cut off for a while, and what cannot be written is lost: however long the API server is away,
 * no more than so many are remembered.
 */
export class KubernetesEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #budget: EventBudget;
  readonly #series = new Map<string, Series>();
  #sending: Promise<void> = Promise.resolve();
  #waiting = 0;
  #cleanedMs = -Infinity;
  #flushing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#budget = new EventBudget();
  }

  record(about: DeploymentResource | ConnectionResource, event: Event): void {
    if (this.#flushing !== undefined) return;
    const now = this.#options.clock.now();
    if (now - this.#cleanedMs >= CLEANING_INTERVAL_MS) this.#dropOld(now);
    const subject = about.metadata.uid ?? keyText(keyOf(about));
    const id = JSON.stringify([subject, event.type, event.reason, event.action, event.message]);
    const known = this.#series.get(id);
    const series = known === undefined || isOver(known, now) ? this.#begin(about, event, now) : known;
    if (series === known) {
      series.count += 1;
      series.lastMs = now;
    } else {
      if (this.#series.size >= MOST_SERIES || !this.#budget.take(subject, now)) return;
      this.#series.set(id, series);
    }
    this.#schedule(series, now);
  }

  /** Sends what is due, for a few seconds at most; later events are not recorded. A second call waits for the first. */
  flush(): Promise<void> {
    return (this.#flushing ??= this.#sendRest());
  }

  async #sendRest(): Promise<void> {
    for (const series of this.#series.values()) {
      if (series.cancel === undefined) continue;
      series.cancel();
      this.#enqueue(series);
    }
    const late = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(FLUSH_TIMEOUT_MS, late.resolve);
    await Promise.race([this.#sending, late.promise]);
    cancel();
  }

  #begin(about: DeploymentResource | ConnectionResource, event: Event, now: number): Series {
    const { name, namespace = '', uid, resourceVersion } = about.metadata;
    // The API demands the namespace of the object, and "default" for one that has none.
    const home = namespace === '' ? 'default' : namespace;
    const regarding = {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name,
      ...(namespace === '' ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    const body = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      eventTime: microTime(now),
      reportingController: CONTROLLER,
      reportingInstance: this.#options.instance.slice(0, 128),
      action: event.action,
      reason: event.reason,
      type: event.type,
      note: textForPeople(event.message),
      regarding,
    };
    return {
      name: this.#eventName(name),
      namespace: home,
      body,
      count: 1,
      lastMs: now,
      sentCount: 0,
      sentMs: now,
    };
  }

  #eventName(about: string): string {
    const { clock } = this.#options;
    const chance = Math.floor(clock.random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
    return `${about.slice(0, 200).replace(/(?<![-.])[-.]+$/, '')}.${clock.now().toString(16)}${chance}`;
  }

  /** The event and its first repeat go at once, later ones together. */
  #schedule(series: Series, now: number): void {
    if (series.cancel !== undefined) return;
    const waitMs = series.sentCount <= 1 ? 0 : series.sentMs + SERIES_INTERVAL_MS - now;
    if (waitMs > 0) {
      series.cancel = this.#options.clock.after(waitMs, () => this.#enqueue(series));
      return;
    }
    if (this.#waiting < WAITING_LIMIT) this.#enqueue(series);
  }

  #enqueue(series: Series): void {
    series.cancel = () => undefined;
    this.#waiting += 1;
    this.#sending = this.#sending.then(async () => {
      this.#waiting -= 1;
      series.cancel = undefined;
      await this.#send(series);
    });
  }

  /** Never rejects: an event that cannot be written is lost. */
  async #send(series: Series): Promise<void> {
    const { count } = series;
    if (count === series.sentCount) return;
    try {
      if (series.sentCount === 0) await this.#create(series);
      else await this.#patch(series);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#options.logger.debug('an event was lost', { error: text });
    }
    series.sentCount = count;
    series.sentMs = this.#options.clock.now();
  }

  async #create(series: Series): Promise<void> {
    const { name, namespace, body } = series;
    await this.#options.transport.request('POST', collectionPath(EVENTS, namespace), {
      body: {
        ...body,
        metadata: { name, namespace },
        ...(series.count > 1 ? { series: repeats(series) } : {}),
      },
      timeoutMs: SEND_TIMEOUT_MS,
    });
  }

  async #patch(series: Series): Promise<void> {
    try {
      await this.#options.transport.request('PATCH', objectPath(EVENTS, series), {
        contentType: MERGE_PATCH,
        body: { series: repeats(series) },
        timeoutMs: SEND_TIMEOUT_MS,
      });
    } catch (error) {
      if (!isApiError(error, 'notFound')) throw error;
      // The API server drops events after an hour.
      series.name = this.#eventName(series.name.slice(0, series.name.lastIndexOf('.')));
      await this.#create(series);
    }
  }

  #dropOld(now: number): void {
    this.#cleanedMs = now;
    for (const [id, series] of this.#series) {
      // Most recently begun last, but a series can outlive younger ones: every entry is looked at.
      if (isOver(series, now)) this.#series.delete(id);
    }
  }
}

/** A repeat would begin anew, and nothing is left to be sent. */
function isOver({ lastMs, cancel }: Series, now: number): boolean {
  return now - lastMs > WINDOW_MS && cancel === undefined;
}

function repeats(series: Series): JsonObject {
  return { count: series.count, lastObservedTime: microTime(series.lastMs) };
}
