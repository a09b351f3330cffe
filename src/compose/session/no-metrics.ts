import type { ConnectionMetrics, Metrics, ResourceMetrics } from '../../ports/process/metrics.ts';

const ignore = (): void => undefined;

/** Metrics that record nothing, for a command that ends before a scrape. */
export const NO_METRICS: Metrics & ConnectionMetrics & ResourceMetrics = {
  reconciled: ignore,
  patched: ignore,
  exchanged: ignore,
  swept: ignore,
  drifted: ignore,
  connectionSeen: ignore,
  connectionGone: ignore,
  permitted: ignore,
  resourceShown: ignore,
  resourceGone: ignore,
  revised: ignore,
  editSent: ignore,
  editActive: ignore,
};
