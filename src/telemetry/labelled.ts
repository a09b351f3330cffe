import { STATUS_CODES } from 'node:http';
import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

/** Labels of a series that belongs to a connection. */
export interface ConnectionLabels {
  readonly connection: string;
  readonly [name: string]: string;
}

/** The description of a metric. */
export interface Description {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Upper bounds, in seconds. */
export const BUCKETS = {
  /** For a request over a network. */
  exchange: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  /** For a wait in a queue, or work that may include waits. */
  work: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
  /** For a build and its rollout. */
  rollout: [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200],
} as const;

/**
 * Returns a status code as a label. A code that HTTP does not define becomes its class, which limits the number of
 * series.
 */
export function codeLabel(code: string): string {
  if (!/^\d+$/.test(code)) return code;
  return STATUS_CODES[code] === undefined ? `${code.slice(0, 1)}xx` : code;
}

interface Removable {
  remove(labels: ConnectionLabels): unknown;
}

/** Records which series of a metric exist, so that those of one connection can be removed. */
class KnownSeries {
  readonly #metric: Removable;
  readonly #known = new Map<string, Map<string, ConnectionLabels>>();

  constructor(metric: Removable) {
    this.#metric = metric;
  }

  /** Records a series. Returns true if it is new. */
  learn(labels: ConnectionLabels): boolean {
    const text = JSON.stringify(Object.values(labels));
    const known = this.#known.get(labels.connection) ?? new Map<string, ConnectionLabels>();
    if (known.has(text)) return false;
    this.#known.set(labels.connection, known.set(text, labels));
    return true;
  }

  forget(connection: string): void {
    for (const labels of this.#known.get(connection)?.values() ?? []) this.#metric.remove(labels);
    this.#known.delete(connection);
  }
}

/** A counter with the label `connection`. */
export class ConnectionCounter {
  readonly #counter: Counter;
  readonly #known: KnownSeries;

  constructor(registry: Registry, { name, help, labels }: Description) {
    this.#counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] });
    this.#known = new KnownSeries(this.#counter);
  }

  /** Creates a series. */
  zero(labels: ConnectionLabels): void {
    if (this.#known.learn(labels)) this.#counter.inc(labels, 0);
  }

  /** Increments a series by one. */
  count(labels: ConnectionLabels): void {
    this.#known.learn(labels);
    this.#counter.inc(labels);
  }

  /** Removes every series of a connection. */
  forget(connection: string): void {
    this.#known.forget(connection);
  }
}

/** A histogram with the label `connection`. */
export class ConnectionHistogram {
  readonly #histogram: Histogram;
  readonly #known: KnownSeries;

  constructor(registry: Registry, { name, help, labels }: Description, buckets: readonly number[]) {
    const options = { name, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] };
    this.#histogram = new Histogram(options);
    this.#known = new KnownSeries(this.#histogram);
  }

  /** Creates a series. */
  zero(labels: ConnectionLabels): void {
    if (this.#known.learn(labels)) this.#histogram.zero(labels);
  }

  /** Records one measurement. */
  observe(labels: ConnectionLabels, seconds: number): void {
    this.#known.learn(labels);
    this.#histogram.observe(labels, seconds);
  }

  /** Removes every series of a connection. */
  forget(connection: string): void {
    this.#known.forget(connection);
  }
}
