import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Shows which Leases this process holds, under the metric name that other controllers use. */
export class ElectionSeries {
  readonly #leading: Gauge;

  constructor(registry: Registry) {
    this.#leading = new Gauge({
      name: 'leader_election_master_status',
      help: '1 while this process holds the Lease, 0 while it stands by.',
      labelNames: ['name'],
      registers: [registry],
    });
  }

  /** Adds a Lease, at first as not held. Returns a function that sets its state. */
  standsFor(name: string): (leading: boolean) => void {
    const show = (leading: boolean): void => this.#leading.set({ name }, leading ? 1 : 0);
    show(false);
    return show;
  }
}
