import type { DeploymentResource } from '../../api/deployment.ts';
import { commandTransport } from '../../kubernetes/client/command-transport.ts';
import { DeploymentClient } from '../../kubernetes/cluster/deployment-client.ts';
import { loadClusterConfig } from '../../kubernetes/client/load-cluster-config.ts';
import type { Transport } from '../../kubernetes/client/exchange.ts';
import type { ClusterAccess } from '../../model/connection/cluster-access.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { systemClock } from '../../runtime/process/system-clock.ts';
import { type Annotated, type Deployments, inOrder, type Selection, type ToAnnotate } from './deployments.ts';
import { userAgent } from '../operator/version.ts';

/**
 * Returns the resources of a cluster, which it reads on demand. Throws an ExpectedError if no cluster is configured.
 */
export async function clusterDeployments(access: ClusterAccess): Promise<Deployments> {
  const clock = systemClock;
  const config = await loadClusterConfig(access, clock);
  const transport = commandTransport(config, { clock, userAgent: userAgent() });
  return new ClusterDeployments(transport, config.contextNamespace ?? 'default', clock);
}

class ClusterDeployments implements Deployments {
  readonly clock: Clock;
  readonly problems = [];
  readonly namespace: string;
  readonly #transport: Transport;
  readonly #client: DeploymentClient;

  constructor(transport: Transport, namespace: string, clock: Clock) {
    this.clock = clock;
    this.#transport = transport;
    this.#client = new DeploymentClient(transport);
    this.namespace = namespace;
  }

  async find(selection: Selection, signal: AbortSignal): Promise<readonly DeploymentResource[]> {
    const namespace = selection.namespace ?? this.namespace;
    if (selection.kind === 'every')
      return inOrder(await this.#client.list(namespace, selection.labels, signal));
    const found = await Promise.all(
      selection.names.map(async (name) => {
        const resource = await this.#client.get({ namespace, name }, signal);
        if (resource !== undefined) return resource;
        throw new ExpectedError(
          `deployments.dms-operator.dev "${name}" not found in namespace "${namespace}"`,
        );
      }),
    );
    return inOrder(found);
  }

  async again({ metadata: { name, namespace = '', uid } }: DeploymentResource, signal: AbortSignal) {
    const resource = await this.#client.get({ namespace, name }, signal);
    return resource?.metadata.uid === uid ? resource : undefined;
  }

  async *annotate(wanted: readonly ToAnnotate[], signal: AbortSignal): AsyncGenerator<Annotated, undefined> {
    for (const asked of wanted) {
      const { name, value } = asked.change;
      await this.#client.annotate(asked.resource, { [name]: value }, signal);
      yield { kind: 'done', asked };
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }
}
