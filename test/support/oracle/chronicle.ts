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

/** The parts of a world that a chronicle watches from outside. */
export interface Watched {
  readonly clock: Clock;
  readonly service: SimulatedService;
  readonly store: MemoryStore;
  readonly connections: MemoryConnectionStore;
  readonly secrets: MemorySecrets;
  readonly events: MemoryEvents;
}

/** A request and the answer that left the service, which a fault may have kept from arriving. */
export interface Exchanged extends Omit<LoggedRequest, 'body'> {
  /** The header that selects the tenant; '' where none does. */
  readonly tenant: string;
  readonly body: WireObject;
  readonly answer: string;
  /** The header of that name. */
  readonly retryAfter: string | undefined;
  /** The deployment in the path, as the service showed it right before it carried the request out. */
  readonly shownBefore: WireObject | undefined;
}

/** An exchange as it was noted when its answer left. */
interface Noted extends Pick<Exchanged, 'body' | 'tenant' | 'answer' | 'retryAfter'> {
  readonly request: LoggedRequest;
}

/** One change of a deployment's stored content. */
export interface Change {
  readonly atMs: number;
  readonly id: string;
  /** Undefined where it was created. */
  readonly before: DeploymentState | undefined;
  /** Undefined where it is gone. */
  readonly after: DeploymentState | undefined;
  /** The number of the request that made it; undefined for a person, a push or time. */
  readonly request: number | undefined;
}

/** A version of an object of the cluster; `object` is undefined once it is gone. */
export interface Version<T> {
  readonly atMs: number;
  readonly key: Key;
  readonly object: T | undefined;
}

/** An event, and when it was recorded. */
export interface Told {
  readonly atMs: number;
  readonly about: Key;
  readonly event: Event;
}

/** A Secret of the cluster with the values that it had from a moment on. */
export interface SecretVersion {
  readonly atMs: number;
  readonly text: string;
  readonly data: Readonly<Record<string, string>>;
}

/**
 * Records everything that happens in a world from outside: the stored content of the service at every moment, every
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
  /** The times at which a process died. */
  readonly deathsMs: number[] = [];
  readonly startMs: number;
  readonly #clock: Clock;
  readonly #known = new Map<string, DeploymentState>();
  readonly #shown = new Map<number, WireObject>();
  readonly #noted: Noted[] = [];
  readonly #ending = new AbortController();
  /** The request that is being dealt with, and since when: what changes right after is its doing. */
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

  /** Notes that a process starts now. */
  started(): void {
    this.startsMs.push(this.#clock.now());
  }

  /** Notes that the process dies now. */
  died(): void {
    this.deathsMs.push(this.#clock.now());
  }

  /** The longest time within a span in which no process was missing; one that takes the place of another at once is none. */
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

  /** The last start of a process within a span; the beginning of the span where none started. */
  lastStartMs(fromMs: number, toMs: number): number {
    return Math.max(fromMs, ...this.startsMs.filter((ms) => ms <= toMs));
  }

  /** From when until when switches of the service were turned. */
  get switchedMs(): readonly { readonly fromMs: number; readonly untilMs: number }[] {
    return this.acts.flatMap(({ atMs, action }) => {
      if (action.kind !== 'switch') return [];
      const { seconds = Number.POSITIVE_INFINITY } = action;
      return [{ fromMs: atMs, untilMs: atMs + seconds * 1000 }];
    });
  }

  /** Takes the last look and stops watching. */
  close(): void {
    this.#look();
    this.#ending.abort();
  }

  /** Returns every request so far, oldest first. A request that is carried out late is known from then on. */
  exchanges(): readonly Exchanged[] {
    const logged = new Map(this.service.log.requests().map((request) => [request.number, request]));
    return this.#noted.map(({ request, ...more }) => ({
      ...(logged.get(request.number) ?? request),
      ...more,
      shownBefore: this.#shown.get(request.number),
    }));
  }

  /** The end of the story so far. */
  get endMs(): number {
    return this.#clock.now();
  }

  /** Returns the stored content of a deployment at a moment; undefined if it does not exist then. */
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

  /** Compares the stored content of the service with that of the last look. */
  #look(): void {
    // The change of a request that is carried out late is noticed with the next request.
    const { request, atMs } = this.#dealing ?? { request: undefined, atMs: this.#clock.now() };
    this.#dealing = undefined;
    const now = new Map(this.service.deployments().map((state) => [state.id, state]));
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
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as WireObject) : {};
  } catch {
    return {};
  }
}
