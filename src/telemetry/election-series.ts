import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Which Leases this process holds, under the name that other controllers use for it. */
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

  /** Shows a Lease from now on, as not held; answers what tells that this changed. */
  standsFor(name: string): (leading: boolean) => void {
    const show = (leading: boolean): void => this.#leading.set({ name }, leading ? 1 : 0);
    show(false);
    return show;
  }
}
