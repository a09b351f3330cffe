import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { serveSimulator } from '../../../src/simulator/server/simulator-server.ts';
import {
  type DeploymentSeed,
  deploymentSeed,
  EMPTY_SEED,
} from '../../../src/simulator/state/service-seed.ts';
import { SimulatedService, type SimulationSeed } from '../../../src/simulator/server/simulated-service.ts';
import { noteSecret } from '../leaks/told.ts';

/** A simulated service that listens until the test ends. */
export interface ServedService {
  readonly service: SimulatedService;
  readonly url: string;
}

/**
 * Serves these deployments over HTTP. Their ids are unique, as with real services, because several services share a
 * cluster.
 */
export async function servedService(
  deployments: readonly (Partial<DeploymentSeed> & { readonly name: string })[],
  more: Partial<SimulationSeed> = {},
): Promise<ServedService> {
  for (const { secrets = [] } of deployments) for (const { value } of secrets) noteSecret(value);
  const seeds = deployments.map(({ name, ...seed }) => deploymentSeed(name, seed));
  const service = new SimulatedService({
    clock: systemClock,
    seed: { ...EMPTY_SEED, ...more, deployments: seeds },
    idSeed: randomUUID(),
  });
  const server = await serveSimulator({ service });
  onTestFinished(() => server.close());
  return { service, url: server.url };
}

interface ConnectionParts {
  /** Default `Connection`. A ClusterConnection serves every namespace and has none. */
  readonly kind?: 'Connection' | 'ClusterConnection';
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** More lines of the spec, as YAML. */
  readonly spec?: string;
}

/** Returns a connection `default` to a service, fast enough for tests. */
export function connectionTo(url: string, more: ConnectionParts = {}): string {
  const { kind = 'Connection', namespace = 'team-a', labels = {}, spec = '' } = more;
  const isOfCluster = kind === 'ClusterConnection';
  const metadata = { name: 'default', labels, ...(isOfCluster ? {} : { namespace }) };
  return `apiVersion: dms-operator.dev/v1alpha1
kind: ${kind}
metadata: ${JSON.stringify(metadata)}
spec:
  baseURL: ${url}
  rateLimit: {requestsPerSecond: 1000, burst: 1000, concurrency: 20}
${isOfCluster ? '  namespaceSelector: {}\n' : ''}${spec}`;
}
