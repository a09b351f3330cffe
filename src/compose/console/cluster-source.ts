import type { DeploymentResource } from '../../api/deployment.ts';
import { defined } from '../../base/defined.ts';
import { loadClusterConfig } from '../../kubernetes/client/load-cluster-config.ts';
import { isApiError } from '../../kubernetes/client/api-error.ts';
import { DeploymentClient } from '../../kubernetes/cluster/deployment-client.ts';
import { FleetWatch } from '../../kubernetes/cluster/fleet-watch.ts';
import { eventsOf } from '../../kubernetes/cluster/resource-events.ts';
import type { AnnotationChange } from '../../model/desired/annotation-change.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { Freshness } from '../../views/screens/overview.ts';
import { userAgent } from '../operator/version.ts';
import type { ClusterScope } from '../session/declarations.ts';
import type { SessionOptions } from '../session/session.ts';
import type { ConsoleSource, FoundEvents, Named, SourceChange } from './console-source.ts';

/** The parts of a source, for a cluster or a folder. */
export interface SourceEnvironment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: () => void;
}

/** Watches a cluster with the rights of the user. Throws one line if it cannot be reached. */
export async function clusterSource(
  options: SessionOptions & { readonly cluster: ClusterScope },
  environment: SourceEnvironment,
  signal: AbortSignal,
): Promise<ConsoleSource> {
  const { cluster } = options;
  const config = await loadClusterConfig(cluster, environment.clock);
  const { namespaces } = cluster;
  const watch = await FleetWatch.start(
    config,
    { ...environment, namespaces, userAgent: userAgent() },
    signal,
  );
  const { server, context } = config;
  const place = context === undefined ? server : `${context} (${server})`;
  const flags = [...flag('--kubeconfig', cluster.kubeconfig), ...flag('--context', context)];
  return new ClusterSource(watch, { place, flags, options, clock: environment.clock });
}

/** The longest wait for events: the rest of the screen is ready at once. */
const EVENTS_LIMIT_MS = 3_000;

const flag = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [name, value];

class ClusterSource implements ConsoleSource {
  readonly mode = 'cluster';
  readonly place: string;
  readonly flags: readonly string[];
  readonly planOptions: ConsoleSource['planOptions'];
  readonly #watch: FleetWatch;
  readonly #client: DeploymentClient;
  readonly #clock: Clock;

  constructor(
    watch: FleetWatch,
    about: {
      readonly place: string;
      readonly flags: readonly string[];
      readonly options: SessionOptions & { readonly cluster: ClusterScope };
      readonly clock: Clock;
    },
  ) {
    const { options } = about;
    this.#watch = watch;
    this.#client = new DeploymentClient(watch.transport);
    this.#clock = about.clock;
    this.place = about.place;
    this.flags = about.flags;
    this.planOptions = (namespace) => ({
      ...options,
      cluster: { ...options.cluster, namespaces: [namespace] },
    });
  }

  deployments() {
    return this.#watch.deployments;
  }

  connections() {
    return this.#watch.connections;
  }

  freshness(): Freshness {
    const { silence, missingRights } = this.#watch;
    const asOf = new Date(silence?.lastMs ?? this.#clock.now()).toISOString();
    const stale = silence && `the API server does not answer: ${silence.why}`;
    return { asOf, ...defined({ stale }), missingRights, problems: [] };
  }

  versionOf({ metadata }: DeploymentResource): string {
    return metadata.resourceVersion ?? '';
  }

  async events(resource: DeploymentResource, signal: AbortSignal): Promise<FoundEvents> {
    const late = new AbortController();
    const cancel = this.#clock.after(EVENTS_LIMIT_MS, () => late.abort(new Error('this takes too long')));
    try {
      const inTime = AbortSignal.any([signal, late.signal]);
      return { events: await eventsOf(this.#watch.transport, resource, inTime) };
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) throw error;
      if (late.signal.aborted) return { events: [], error: 'the API server does not list them in time' };
      const { namespace = '' } = resource.metadata;
      const isRefused = isApiError(error, 'forbidden');
      const why = isRefused ? `you lack the right to list events in namespace ${namespace}` : error.message;
      return { events: [], error: why };
    } finally {
      cancel();
    }
  }

  now(name: Named, signal: AbortSignal): Promise<DeploymentResource | undefined> {
    return this.#client.get(name, signal);
  }

  async annotate(
    resource: DeploymentResource,
    { name, value }: AnnotationChange,
    signal: AbortSignal,
  ): Promise<SourceChange> {
    try {
      await this.#client.annotateUnchanged(resource, { [name]: value }, signal);
      return { kind: 'done' };
    } catch (error) {
      if (isApiError(error, 'conflict', 'notFound')) return { kind: 'changed' };
      if (!isApiError(error, 'forbidden')) throw error;
      const { namespace = '' } = resource.metadata;
      return {
        kind: 'forbidden',
        missingRight: `patch deployments.dms-operator.dev in namespace ${namespace}`,
      };
    }
  }

  close(): Promise<void> {
    return this.#watch.close();
  }
}
