import type { Cluster } from '../cluster.ts';
import type { LeaseChange } from './writers.ts';

interface Lease {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

/** The interval at which leases are read; renewals are seconds apart. */
const LOOK_EVERY_MS = 200;

/** Reads the leases of a namespace until the signal aborts, and adds every change to `log`. */
export async function followLeases(
  cluster: Cluster,
  namespace: string,
  log: LeaseChange[],
  stopped: AbortSignal,
): Promise<void> {
  const seen = new Map<string, string>();
  while (!stopped.aborted) {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    for (const { metadata, spec = {} } of await cluster.items<Lease>(path)) {
      if (seen.get(metadata.name) === metadata.resourceVersion) continue;
      seen.set(metadata.name, metadata.resourceVersion);
      const renewedMs = Date.parse(spec.renewTime ?? '');
      log.push({
        atMs: Number.isNaN(renewedMs) ? Date.now() : renewedMs,
        name: metadata.name,
        holder: spec.holderIdentity ?? '',
        untilMs: renewedMs + (spec.leaseDurationSeconds ?? 0) * 1000,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
