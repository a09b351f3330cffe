import type { ApiExchange, ClusterMetrics } from '../../../src/kubernetes/client/cluster-metrics.ts';

import { noteMissed } from '../watches/missed-events.ts';

/** Counts the reports of the adapter. */
export class CountingMetrics implements ClusterMetrics {
  readonly requests: string[] = [];
  relists = 0;
  lost = 0;

  requested({ method, code }: ApiExchange): void {
    this.requests.push(`${method} ${code}`);
  }

  heard(): void {}

  relisted(): void {
    this.relists += 1;
  }

  missed(_kind: string, count: number): void {
    this.lost += count;
    noteMissed(count);
  }
}
