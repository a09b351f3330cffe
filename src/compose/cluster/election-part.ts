import { createHash, randomBytes } from 'node:crypto';
import type { RunConfig } from '../../config.ts';
import type { OpenCluster } from '../../kubernetes/cluster/cluster-adapter.ts';
import { DEFAULTS } from '../../model/connection/connection.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { LeaderElector } from '../../runtime/election/leader-elector.ts';
import type { Part } from '../../runtime/process/manager.ts';
import { systemInstant } from '../../runtime/process/system-clock.ts';
import type { MetricsRegistry } from '../../telemetry/metrics-registry.ts';

const LEASE = 'dms-operator';

/** The parts of an election. */
export interface ElectionEnvironment {
  /** The name of this process. */
  readonly identity: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/**
 * Returns a name for this process that no other process has had: the pod's name and a random part. Services receive it,
 * so it is plain text.
 */
export function newIdentity(hostname: string): string {
  return `${hostname.replaceAll(/[^A-Za-z0-9._-]/g, '-')}_${randomBytes(4).toString('hex')}`;
}

/** Returns the name of the Lease that all replicas with the same namespaces and the same shard share. */
export function leaseName({
  namespaces,
  shardSelector,
}: Pick<RunConfig, 'namespaces' | 'shardSelector'>): string {
  if (namespaces.length === 0 && shardSelector === undefined) return LEASE;
  const work = `${namespaces.toSorted().join(',')}/${shardSelector?.text ?? ''}`;
  return `${LEASE}-${createHash('sha256').update(work).digest('hex').slice(0, 10)}`;
}

/** Makes a candidate for the leader election in a cluster. */
export function newElector(
  config: RunConfig,
  cluster: Pick<OpenCluster, 'operatorNamespace' | 'leaseStore'>,
  { identity, clock, logger, metrics }: ElectionEnvironment,
): LeaderElector {
  const namespace = config.leaderElectionNamespace ?? cluster.operatorNamespace;
  const name = leaseName(config);
  return new LeaderElector({
    identity,
    leaseMs: DEFAULTS.leaseMs,
    renewDeadlineMs: DEFAULTS.renewDeadlineMs,
    retryMs: DEFAULTS.leaseRetryMs,
    lease: `${namespace}/${name}`,
    store: cluster.leaseStore({ namespace, name }),
    ...{ clock, logger },
    instant: systemInstant,
    onChange: metrics.election.standsFor(name),
  });
}

/**
 * Returns the election as a part. Its start ends when this process leads; its stop, after all later parts, releases the
 * Lease.
 */
export function electionPart(elector: LeaderElector): Omit<Part, 'name'> {
  return {
    start: (signal) => elector.lead(signal),
    idle: () => 'standing by',
    stop: (withinMs) => elector.release(withinMs),
  };
}
