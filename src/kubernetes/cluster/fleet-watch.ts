import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { isApiError, unreachableServer } from '../client/api-error.ts';
import { createTransport } from '../client/create-transport.ts';
import type { Transport } from '../client/exchange.ts';
import type { ClusterConfig } from '../client/load-cluster-config.ts';
import { asClusterConnection, asConnection, asDeployment } from '../objects/decoders.ts';
import {
  CLUSTER_CONNECTIONS,
  collectionPath,
  CONNECTIONS,
  DEPLOYMENTS,
  type KubernetesObject,
  type ResourceType,
} from '../objects/resource-type.ts';
import { Informer } from '../watch/informer.ts';
import type { ReflectorTuning } from '../watch/reflector-state.ts';
import { unknownKinds } from './cluster-look.ts';
import { type Silence, WatchedAnswers } from './watched-answers.ts';

/** The part of a cluster to watch, and the environment of the watcher. */
export interface FleetWatchOptions {
  /** The namespaces to watch. Empty: all, or the namespace of the context if this user may not list all. */
  readonly namespaces: readonly string[];
  readonly userAgent: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after every change. */
  readonly onChange: () => void;
}

/** An informer of either kind of connection. */
type ConnectionInformer = Pick<Informer<KubernetesObject>, 'subscribe' | 'start' | 'ended'> & {
  list(): readonly ConnectionResource[];
};

/** Shorter pauses than in a controller, since a person waits for the picture. */
const TUNING: Partial<ReflectorTuning> = { backoffCapMs: 4_000, refusedCapMs: 30_000 };

/** Watches the kinds that interest a person, with the rights of that person; it lists no Secret. */
export class FleetWatch {
  /** The watched namespaces; [''] means all. */
  readonly namespaces: readonly string[];
  readonly transport: Transport;
  readonly #answers: WatchedAnswers;
  readonly #ending = new AbortController();
  readonly #deployments: Informer<DeploymentResource>;
  readonly #connections: readonly ConnectionInformer[];
  readonly #paths: readonly (readonly [type: ResourceType, namespace: string])[];

  private constructor(
    namespaces: readonly string[],
    parts: {
      readonly transport: Transport;
      readonly answers: WatchedAnswers;
      readonly clock: Clock;
      readonly logger: Logger;
    },
  ) {
    this.namespaces = namespaces;
    this.transport = parts.transport;
    this.#answers = parts.answers;
    const common = { emptyWhenForbidden: true, indexers: {}, tuning: TUNING };
    const everywhere = [''];
    this.#deployments = new Informer(
      { ...common, namespaces, type: DEPLOYMENTS, decode: asDeployment },
      parts,
    );
    this.#connections = [
      new Informer({ ...common, namespaces, type: CONNECTIONS, decode: asConnection }, parts),
      new Informer(
        { ...common, namespaces: everywhere, type: CLUSTER_CONNECTIONS, decode: asClusterConnection },
        parts,
      ),
    ];
    this.#paths = [
      ...[DEPLOYMENTS, CONNECTIONS].flatMap((type) => namespaces.map((inside) => [type, inside] as const)),
      [CLUSTER_CONNECTIONS, ''],
    ];
    // The attempt to list all namespaces came first, and was refused.
    if (!namespaces.includes('')) this.#paths = [[DEPLOYMENTS, ''], ...this.#paths];
  }

  /**
   * Makes one request, and starts the watches; resolves when everything that may be listed was listed. Throws an error
   * of one line if the cluster cannot be reached, or does not know the kinds.
   */
  static async start(
    config: ClusterConfig,
    options: FleetWatchOptions,
    signal: AbortSignal,
  ): Promise<FleetWatch> {
    const { clock, logger, onChange } = options;
    const answers = new WatchedAnswers(() => clock.now(), onChange);
    const transport = answers.through(
      createTransport(config, { clock, userAgent: options.userAgent, metrics: answers.metrics }),
    );
    try {
      const namespaces = await namespacesToWatch(transport, { ...config, asked: options.namespaces }, signal);
      const watch = new FleetWatch(namespaces, { transport, answers, clock, logger });
      await watch.#begin(onChange, signal);
      return watch;
    } catch (error) {
      await transport.close();
      throw unreachableServer(error, config);
    }
  }

  get deployments(): readonly DeploymentResource[] {
    return this.#deployments.list();
  }

  get connections(): readonly ConnectionResource[] {
    return this.#connections.flatMap((informer) => informer.list());
  }

  /** Why the data is outdated; undefined while it is live. */
  get silence(): Silence | undefined {
    return this.#answers.silence;
  }

  /** The lists that this user may not make. */
  get missingRights(): readonly string[] {
    return this.#paths
      .filter(([type, namespace]) => this.#answers.isRefused(collectionPath(type, namespace)))
      .map(([{ plural, group, namespaced }, namespace]) => {
        const where = !namespaced
          ? ''
          : namespace === ''
            ? ' in all namespaces'
            : ` in namespace ${namespace}`;
        return `list ${plural}.${group}${where}`;
      });
  }

  async close(): Promise<void> {
    this.#ending.abort(new Error('the watch was ended'));
    await Promise.all([this.#deployments, ...this.#connections].map((informer) => informer.ended()));
    await this.transport.close();
  }

  async #begin(onChange: () => void, signal: AbortSignal): Promise<void> {
    const all = [this.#deployments, ...this.#connections];
    for (const informer of all) informer.subscribe({ onChange });
    await Promise.all(all.map((informer) => informer.start(AbortSignal.any([signal, this.#ending.signal]))));
  }
}

async function namespacesToWatch(
  transport: Transport,
  {
    asked,
    contextNamespace,
  }: Pick<ClusterConfig, 'contextNamespace'> & { readonly asked: readonly string[] },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [first = ''] = asked;
  try {
    await transport.request('GET', collectionPath(DEPLOYMENTS, first), { query: { limit: 1 }, signal });
  } catch (error) {
    if (isApiError(error, 'notFound')) throw unknownKinds(error);
    if (!isApiError(error, 'forbidden')) throw error;
    // A user with rights in one namespace sees that one; the page still names the missing rights.
    if (asked.length === 0) return [contextNamespace ?? 'default'];
  }
  return asked.length === 0 ? [''] : asked;
}
