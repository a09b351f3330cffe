import type { DirectoryAdapter } from '../directory/directory-adapter.ts';
import type { DeploymentResource } from '../api/deployment.ts';
import { keyText } from '../api/metadata.ts';
import { connectionReferences } from '../model/references.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { hmacDigester } from '../runtime/digester.ts';
import type { Phase } from '../runtime/manager.ts';
import type { Fleet } from './fleet.ts';
import { type OperatorMetrics, operatorPhases } from './operator.ts';
import { userAgent } from './version.ts';

/** How an operator on a directory works. */
export interface ClusterlessOptions {
  readonly workers: number;
  readonly dryRun: boolean;
  readonly allowHosts: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: OperatorMetrics;
}

/** An operator whose desired state is a directory, in the order in which its parts start. */
export function directoryPhases(adapter: DirectoryAdapter, options: ClusterlessOptions): readonly Phase[] {
  const { keyID, key } = adapter.digestKey;
  return [
    {
      name: 'directory',
      parts: [{ name: 'directory', start: (signal) => adapter.start(signal), stop: () => adapter.stop() }],
    },
    ...operatorPhases({
      ...options,
      adapter,
      fleet: directoryFleet(adapter),
      digester: hmacDigester({ keyID, bytes: key }),
      operatorNamespace: 'default',
      userAgent: userAgent(),
      inCluster: false,
    }),
  ];
}

/** Look-ups over the resources of a directory; there are few enough of them to go through. */
function directoryFleet(adapter: DirectoryAdapter): Fleet {
  const list = (): readonly DeploymentResource[] => adapter.list();
  const where = (test: (resource: DeploymentResource) => boolean): readonly DeploymentResource[] =>
    list().filter(test);
  return {
    get: ({ namespace, name }) =>
      list().find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace),
    boundTo: (id) =>
      where(({ status, spec }) => status?.deploymentID === id || spec.deploymentRef?.id === id),
    named: (name) => where(({ spec, metadata }) => (spec.deploymentRef?.name ?? metadata.name) === name),
    usersOf: (connection) =>
      where((resource) => connectionReferences(resource).some((key) => keyText(key) === keyText(connection))),
  };
}
