import type { ConnectionFault, Fault } from './fault.ts';
import type { ProxiedRequest } from './proxied-request.ts';

/** A completed fault and its target. */
export interface DoneFault {
  readonly atMs: number;
  readonly fault: Fault | ConnectionFault;
  /** Absent if a connection met the fault before its first request. */
  readonly request?: ProxiedRequest;
}

/** Everything that a proxy has seen and done: every request, every fault, and the number of connections. */
export class ProxyLog {
  readonly #requests: ProxiedRequest[] = [];
  readonly #faults: DoneFault[] = [];
  readonly #counts = new Map<string, number>();
  readonly #open = new Set<number>();
  #connections = 0;
  #mostConnections = 0;

  /** Records a connection and returns its number. */
  connected(): number {
    this.#connections += 1;
    this.#open.add(this.#connections);
    this.#mostConnections = Math.max(this.#mostConnections, this.#open.size);
    return this.#connections;
  }

  disconnected(connection: number): void {
    this.#open.delete(connection);
  }

  /** Records a request and returns it with its number. */
  asked(request: Omit<ProxiedRequest, 'number'>): ProxiedRequest {
    const numbered = { ...request, number: this.#requests.length + 1 };
    this.#requests.push(numbered);
    this.#counts.set(request.kind, this.count(request.kind) + 1);
    return numbered;
  }

  struck(atMs: number, fault: Fault | ConnectionFault, request?: ProxiedRequest): void {
    this.#faults.push({ atMs, fault, ...(request === undefined ? {} : { request }) });
  }

  get requests(): readonly ProxiedRequest[] {
    return this.#requests;
  }

  get faults(): readonly DoneFault[] {
    return this.#faults;
  }

  /** The number of connections so far. */
  get connections(): number {
    return this.#connections;
  }

  get openConnections(): number {
    return this.#open.size;
  }

  /** The largest number of connections that were open at the same time. */
  get mostConnections(): number {
    return this.#mostConnections;
  }

  /** Returns the number of requests of one kind, such as `watch secrets`. */
  count(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** Returns the number of requests of each kind. */
  requestCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the number of faults of each kind. */
  faultCounts(): Readonly<Record<string, number>> {
    return counted(this.#faults.map(({ fault }) => fault.kind));
  }

  /** Returns the largest number of watches of one resource that began within any span of `withinMs`. */
  mostWatchStarts(withinMs: number): number {
    const times = new Map<string, number[]>();
    for (const { watch, url, atMs } of this.#requests) {
      const [path = ''] = url.split('?');
      if (watch) times.set(path, [...(times.get(path) ?? []), atMs]);
    }
    return Math.max(0, ...[...times.values()].map((starts) => mostWithin(starts, withinMs)));
  }
}

function mostWithin(timesMs: readonly number[], spanMs: number): number {
  let first = 0;
  let most = 0;
  for (const [at, timeMs] of timesMs.entries()) {
    while (timeMs - (timesMs[first] ?? timeMs) > spanMs) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return most;
}

function counted(texts: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const text of texts.toSorted()) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}
