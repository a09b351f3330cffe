import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Clock } from '../ports/process/clock.ts';
import { BUCKETS, codeLabel } from './labelled.ts';

/** Metrics of the exchanges with the Kubernetes API and of its watches. */
export class ClusterSeries {
  /** By kind, and then by namespace: there is a watch for each, and one that is silent must not hide behind others. */
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

  /** One exchange with an API server ended; `code` is the status, or `<error>` where none came. */
  requested(
    { method, code, host }: { readonly method: string; readonly code: string; readonly host: string },
    seconds: number,
  ): void {
    this.#requests.inc({ code: codeLabel(code), method, host });
    this.#requestSeconds.observe({ verb: method, host }, seconds);
  }

  /** A list or a watch of a kind said something, at this time of the clock; from then on the kind has its series. */
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

  /** A full list was made of this kind. */
  relisted(kind: string): void {
    this.#relists.inc({ kind });
  }

  /** A list showed so many changes that the watch before it did not tell. */
  missed(kind: string, count: number): void {
    this.#missed.inc({ kind }, count);
  }
}
