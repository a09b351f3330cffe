import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Clock } from '../ports/process/clock.ts';
import { BUCKETS, codeLabel } from './labelled.ts';

/** Metrics of the exchanges with the Kubernetes API and of its watches. */
export class ClusterSeries {
  /**
   * The time of the last event, by kind and then namespace. Each namespace has its own watch, and a silent one must not
   * be hidden by others.
   */
  readonly #heardAtMs = new Map<string, Map<string, number>>();
  readonly #requests: Counter;
  readonly #requestSeconds: Histogram;
  readonly #relists: Counter;
  readonly #missed: Counter;

  constructor(registry: Registry, clock: Pick<Clock, 'now'>) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'rest_client_requests_total',
      help: 'Requests to the API server, as client-go counts them; code is <error> without an answer.',
      labelNames: ['code', 'method', 'host'],
      registers,
    });
    this.#requestSeconds = new Histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'How long until the answer of the API server begins.',
      labelNames: ['verb', 'host'],
      buckets: [...BUCKETS.exchange],
      registers,
    });
    this.#relists = new Counter({
      name: 'dms_reflector_relists_total',
      help: 'Full lists of a kind.',
      labelNames: ['kind'],
      registers,
    });
    this.#missed = new Counter({
      name: 'dms_reflector_missed_total',
      help: 'Changes that a watch should have told and a list found.',
      labelNames: ['kind'],
      registers,
    });
    const age: Gauge = new Gauge({
      name: 'dms_reflector_last_event_age_seconds',
      help: 'Time since the quietest watch of a kind said something; a bookmark comes every minute or two.',
      labelNames: ['kind'],
      registers,
      collect: () => {
        for (const [kind, heardAtMs] of this.#heardAtMs) {
          const quietestMs = Math.min(...heardAtMs.values());
          age.set({ kind }, Math.max(0, clock.now() - quietestMs) / 1000);
        }
      },
    });
  }

  /** Records an exchange with an API server. `code` is the status, or `<error>` if no answer arrived. */
  requested(
    { method, code, host }: { readonly method: string; readonly code: string; readonly host: string },
    seconds: number,
  ): void {
    this.#requests.inc({ code: codeLabel(code), method, host });
    this.#requestSeconds.observe({ verb: method, host }, seconds);
  }

  /** Records the time of an answer to a list or watch of a kind, and creates the series of a new kind. */
  heard(kind: string, namespace: string, atMs: number): void {
    const known = this.#heardAtMs.get(kind);
    if (known !== undefined) {
      known.set(namespace, atMs);
      return;
    }
    this.#relists.inc({ kind }, 0);
    this.#missed.inc({ kind }, 0);
    this.#heardAtMs.set(kind, new Map([[namespace, atMs]]));
  }

  /** Records a full list of a kind. */
  relisted(kind: string): void {
    this.#relists.inc({ kind });
  }

  /** Records `count` changes that a list showed but the watch before it did not report. */
  missed(kind: string, count: number): void {
    this.#missed.inc({ kind }, count);
  }
}
