import { defined } from '../../base/defined.ts';
import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import type { Event } from '../../model/outcome/event.ts';
import type { JsonObject } from '../../base/json.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { EventRecorder } from '../../ports/stores/event-recorder.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { isApiError } from '../client/api-error.ts';
import { EventBudget } from './event-budget.ts';
import { collectionPath, EVENTS, microTime, objectPath } from '../objects/resource-type.ts';
import { MERGE_PATCH } from '../objects/merge-patch.ts';
import { Shares } from './shares.ts';
import type { Transport } from '../client/exchange.ts';

/** The parts of an event recorder. */
export interface EventRecorderOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The name of this process, for example that of the pod. */
  readonly instance: string;
}

const CONTROLLER = 'dms-operator';
/** A repeat within this time after the last one continues the series. */
const WINDOW_MS = 360_000;
/** The shortest time between two updates of a series that continues. */
const SERIES_INTERVAL_MS = 30_000;
const SEND_TIMEOUT_MS = 10_000;
const FLUSH_TIMEOUT_MS = 5000;
/** The largest number of waiting events, in all and for one namespace; further ones are not sent. */
const MOST_WAITING = 1000;
const MOST_WAITING_OF_ONE = MOST_WAITING / 4;
/** The largest number of remembered series, in all and for one namespace; further ones are not sent. */
const MOST_SERIES = 5000;
const MOST_SERIES_OF_ONE = MOST_SERIES / 4;
/** The shortest time between two searches for series that have ended. */
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
  /** Cancels the wait for the next sending; absent when no sending is due. */
  cancel?: (() => void) | undefined;
}

/**
 * Writes events.k8s.io/v1 events in the background, one at a time. Repeated events become the series of one event. An
 * object with too many events gets none for a while. The recorder drops events that it cannot write, and keeps only a
 * limited number however long the API server is away. A namespace takes at most a quarter of the room.
 */
export class KubernetesEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #budget: EventBudget;
  readonly #series = new Map<string, Series>();
  #sending: Promise<void> = Promise.resolve();
  readonly #waiting = new Shares(MOST_WAITING, MOST_WAITING_OF_ONE);
  readonly #remembered = new Shares(MOST_SERIES, MOST_SERIES_OF_ONE);
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
    } else if (!this.#remember(id, series) || !this.#budget.take(subject, now)) {
      this.#forget(id);
      return;
    }
    this.#schedule(series, now);
  }

  /** False if its namespace has used its share. A series that is over makes room for the new one. */
  #remember(id: string, series: Series): boolean {
    this.#forget(id);
    if (!this.#remembered.take(series.namespace)) return false;
    this.#series.set(id, series);
    return true;
  }

  #forget(id: string): void {
    const series = this.#series.get(id);
    if (series === undefined) return;
    this.#series.delete(id);
    this.#remembered.give(series.namespace);
  }

  /**
   * Sends the events that are due, for a few seconds at most, and records no later events. A second call waits for
   * the first.
   */
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
      ...defined({ uid, resourceVersion }),
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

  /** Schedules the next sending. The event and its first repeat are sent at once, later repeats together. */
  #schedule(series: Series, now: number): void {
    if (series.cancel !== undefined) return;
    const waitMs = series.sentCount <= 1 ? 0 : series.sentMs + SERIES_INTERVAL_MS - now;
    if (waitMs > 0) {
      series.cancel = this.#options.clock.after(waitMs, () => this.#enqueue(series));
      return;
    }
    this.#enqueue(series);
  }

  /** Does nothing if too many events wait: the next repeat sends the count of the series. */
  #enqueue(series: Series): void {
    series.cancel = undefined;
    if (!this.#waiting.take(series.namespace)) return;
    series.cancel = () => undefined;
    this.#sending = this.#sending.then(async () => {
      this.#waiting.give(series.namespace);
      series.cancel = undefined;
      await this.#send(series);
    });
  }

  /** Sends the event. Never rejects: an event that cannot be written is lost. */
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
      // Series that began most recently are last, but a series can outlive younger ones, so the loop checks every
      // entry.
      if (isOver(series, now)) this.#forget(id);
    }
  }
}

/** True if a repeat would start a new series, and nothing is waiting to be sent. */
function isOver({ lastMs, cancel }: Series, now: number): boolean {
  return now - lastMs > WINDOW_MS && cancel === undefined;
}

function repeats(series: Series): JsonObject {
  return { count: series.count, lastObservedTime: microTime(series.lastMs) };
}
