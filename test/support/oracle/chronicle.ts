import type { ConnectionResource } from '../../../src/api/connection.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import type { Key } from '../../../src/api/metadata.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { Event } from '../../../src/model/outcome/event.ts';
import type { Action } from '../../../src/simulator/faults/act.ts';
import type { DeploymentState } from '../../../src/simulator/state/deployment-state.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../../src/simulator/api/exchange.ts';
import type { MemoryConnectionStore } from '../doubles/memory-connections.ts';
import type { MemoryEvents } from '../doubles/memory-events.ts';
import type { MemorySecrets } from '../doubles/memory-secrets.ts';
import type { MemoryStore } from '../doubles/memory-store.ts';
import type { LoggedRequest } from '../../../src/simulator/api/request-log.ts';
import type { SimulatedService } from '../../../src/simulator/server/simulated-service.ts';
import { shownDeployment } from '../../../src/simulator/api/shown-deployment.ts';
import type { WireObject } from '../../../src/wire/wire-json.ts';

/** The parts of a world that a chronicle observes from outside. */
export interface Watched {
  readonly clock: Clock;
  readonly service: SimulatedService;
  readonly store: MemoryStore;
  readonly connections: MemoryConnectionStore;
  readonly secrets: MemorySecrets;
  readonly events: MemoryEvents;
}

/** A request and the answer that left the service, which a fault may have stopped on its way. */
export interface Exchanged extends Omit<LoggedRequest, 'body'> {
  /** The header that selects the tenant; '' without one. */
  readonly tenant: string;
  readonly body: WireObject;
  readonly answer: string;
  /** The Retry-After header. */
  readonly retryAfter: string | undefined;
  /** The deployment in the path, as the service showed it right before it carried the request out. */
  readonly shownBefore: WireObject | undefined;
}

/** An exchange, as recorded when its answer left. */
interface Noted extends Pick<Exchanged, 'body' | 'tenant' | 'answer' | 'retryAfter'> {
  readonly request: LoggedRequest;
}

/** One change of a deployment's stored content. */
export interface Change {
  readonly atMs: number;
  readonly id: string;
  /** Undefined if the deployment was created. */
  readonly before: DeploymentState | undefined;
  /** Undefined if the deployment was deleted. */
  readonly after: DeploymentState | undefined;
  /** The number of the request that caused it; undefined for a change by a person, a push or time. */
  readonly request: number | undefined;
}

/** A version of an object of the cluster. `object` is undefined after its deletion. */
export interface Version<T> {
  readonly atMs: number;
  readonly key: Key;
  readonly object: T | undefined;
}

/** An event and the time of its record. */
export interface Told {
  readonly atMs: number;
  readonly about: Key;
  readonly event: Event;
}

/** A Secret of the cluster with its values from a time on. */
export interface SecretVersion {
  readonly atMs: number;
  readonly text: string;
  readonly data: Readonly<Record<string, string>>;
}

/**
 * Records everything that happens in a world from outside: the stored content of the service at every time, every
 * request with its answer, every version of every resource, and every event. It never asks the operator.
 */
export class Chronicle {
  readonly service: SimulatedService;
  readonly changes: Change[] = [];
  readonly acts: { readonly atMs: number; readonly action: Action }[] = [];
  readonly resources: Version<DeploymentResource>[] = [];
  readonly connections: Version<ConnectionResource>[] = [];
  readonly events: Told[] = [];
  readonly secrets: SecretVersion[] = [];
  /** The times at which a process started. */
  readonly startsMs: number[] = [];
  /** The number of the last request before each start; 0 if there was none. */
  readonly lastRequests: number[] = [];
  /** The times at which a process died. */
  readonly deathsMs: number[] = [];
  readonly startMs: number;
  readonly #clock: Clock;
  readonly #known = new Map<string, DeploymentState>();
  #seen: readonly DeploymentState[] = [];
  readonly #shown = new Map<number, WireObject>();
  readonly #noted: Noted[] = [];
  readonly #ending = new AbortController();
  /** The request that the service is handling, and the start of that: it causes the next change. */
  #dealing: { readonly request: number; readonly atMs: number } | undefined;

  constructor({ clock, service, store, connections, secrets, events }: Watched) {
    this.service = service;
    this.#clock = clock;
    this.startMs = clock.now();
    for (const state of service.deployments()) this.#known.set(state.id, state);
    this.#watchService();
    this.#watchEvents(events);
    this.#watchSecrets(secrets);
    const note =
      <T>(versions: Version<T>[], peek: (key: Key) => T | undefined) =>
      (key: Key): void => {
        this.#look();
        versions.push({ atMs: clock.now(), key, object: peek(key) });
      };
    void store.start(
      note(this.resources, (key) => store.peek(key)),
      this.#ending.signal,
    );
    void connections.start(
      note(this.connections, (key) => connections.peek(key)),
      this.#ending.signal,
    );
  }

  /** Records the start of a process. */
  started(): void {
    this.startsMs.push(this.#clock.now());
    this.lastRequests.push(this.service.log.requests().at(-1)?.number ?? 0);
  }

  /** Records the death of the process. */
  died(): void {
    this.deathsMs.push(this.#clock.now());
  }

  /**
   * Returns the longest time within a span in which a process ran without a gap. An immediate replacement is no gap.
   */
  watchedForMs(fromMs: number, untilMs: number): number {
    let sinceMs = fromMs;
    let longestMs = 0;
    for (const diedMs of this.deathsMs.filter((ms) => ms < untilMs)) {
      const backMs = this.startsMs.find((startMs) => startMs >= diedMs) ?? Number.POSITIVE_INFINITY;
      if (backMs === diedMs || backMs <= fromMs) continue;
      longestMs = Math.max(longestMs, diedMs - sinceMs);
      sinceMs = backMs;
    }
    return Math.max(longestMs, untilMs - sinceMs);
  }

  /** Returns the last start of a process within a span, or the beginning of the span if no process started in it. */
  lastStartMs(fromMs: number, toMs: number): number {
    return Math.max(fromMs, ...this.startsMs.filter((ms) => ms <= toMs));
  }

  /** The spans in which switches of the service were changed. */
  get switchedMs(): readonly { readonly fromMs: number; readonly untilMs: number }[] {
    return this.acts.flatMap(({ atMs, action }) => {
      if (action.kind !== 'switch') return [];
      const { seconds = Number.POSITIVE_INFINITY } = action;
      return [{ fromMs: atMs, untilMs: atMs + seconds * 1000 }];
    });
  }

  /** Looks for the last time and stops. */
  close(): void {
    this.#look();
    this.#ending.abort();
  }

  /** Returns every request so far, oldest first. A request that is carried out late is listed from then on. */
  exchanges(): readonly Exchanged[] {
    const logged = new Map(this.service.log.requests().map((request) => [request.number, request]));
    return this.#noted.map(({ request, ...more }) => ({
      ...(logged.get(request.number) ?? request),
      ...more,
      shownBefore: this.#shown.get(request.number),
    }));
  }

  /** The current end of the story. */
  get endMs(): number {
    return this.#clock.now();
  }

  /** Returns the stored content of a deployment at a time; undefined if it does not exist then. */
  stateAt(id: string, atMs: number): DeploymentState | undefined {
    const own = this.changes.filter((change) => change.id === id);
    const last = own.findLast((change) => change.atMs <= atMs);
    if (last !== undefined) return last.after;
    const [first] = own;
    return first === undefined ? this.#known.get(id) : first.before;
  }

  #watchService(): void {
    const { service } = this;
    const { log } = service;
    const handle = service.handle.bind(service);
    const act = service.act.bind(service);
    const dealt = log.dealt.bind(log);
    service.handle = async (request) => {
      this.#look();
      const answering = handle(request);
      const number = log.requests().at(-1)?.number ?? 0;
      const answer = await answering;
      this.#look();
      this.#noteExchange(request, number, answer);
      return answer;
    };
    service.act = (action) => {
      this.#look();
      this.#dealing = undefined;
      this.acts.push({ atMs: this.#clock.now(), action });
      const state = act(action);
      this.#look();
      return state;
    };
    log.dealt = (number, atMs, found) => {
      this.#look();
      dealt(number, atMs, found);
      const request = log.since(number - 1)[0];
      const state = request === undefined ? undefined : service.deployment(request.id);
      if (state !== undefined)
        this.#shown.set(number, shownDeployment(state, atMs, service.semantics(state.id)));
      this.#dealing = { request: number, atMs };
    };
  }

  /** Compares the stored content of the service with that of the previous look. */
  #look(): void {
    // The change of a request that is carried out late is noticed with the next request.
    const { request, atMs } = this.#dealing ?? { request: undefined, atMs: this.#clock.now() };
    this.#dealing = undefined;
    const states = this.service.deployments();
    // Every change makes a new object, so the same objects are the same content. Most looks find just that.
    if (states.length === this.#seen.length && states.every((state, at) => state === this.#seen[at])) return;
    this.#seen = states;
    const now = new Map(states.map((state) => [state.id, state]));
    for (const [id, before] of this.#known) {
      const after = now.get(id);
      if (after !== before) this.changes.push({ atMs, id, before, after, request });
    }
    for (const [id, after] of now) {
      if (!this.#known.has(id)) this.changes.push({ atMs, id, before: undefined, after, request });
    }
    this.#known.clear();
    for (const [id, state] of now) this.#known.set(id, state);
  }

  #noteExchange({ headers, body }: SimulatedRequest, number: number, answer: SimulatedAnswer): void {
    const logged = this.service.log.since(number - 1)[0];
    if (logged === undefined) return;
    this.#noted.push({
      request: logged,
      body: parsed(body),
      tenant: headers['x-tenant'] ?? '',
      answer: answer.body,
      retryAfter: answer.headers['retry-after'],
    });
  }

  #watchEvents(events: MemoryEvents): void {
    const record = events.record.bind(events);
    events.record = (about, event) => {
      record(about, event);
      const last = events.all.at(-1);
      if (last !== undefined) this.events.push({ atMs: this.#clock.now(), ...last });
    };
  }

  #watchSecrets(secrets: MemorySecrets): void {
    const put = secrets.put.bind(secrets);
    secrets.put = (name, data) => {
      put(name, data);
      const texts = Object.entries(data).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : new TextDecoder().decode(value),
      ]);
      const text = `${name.namespace}/${name.name}`;
      this.secrets.push({
        atMs: this.#clock.now(),
        text,
        data: Object.fromEntries(texts) as Record<string, string>,
      });
    };
  }
}

function parsed(body: string): WireObject {
  // Most requests are reads. An error costs much more than this comparison.
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as WireObject) : {};
  } catch {
    return {};
  }
}
