import type { DirectoryAdapter } from '../../directory/store/directory-adapter.ts';
import type { Egress } from '../../model/connection/egress.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { Phase } from '../../runtime/process/manager.ts';
import { fleetBy } from './fleet.ts';
import { type OperatorMetrics, operatorPhases } from './operator-phases.ts';
import type { Oversight } from './oversight.ts';
import { userAgent } from './version.ts';

/** Options of an operator on a directory. */
export interface ClusterlessOptions {
  readonly workers: number;
  readonly dryRun: boolean;
  readonly egress: Egress;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: OperatorMetrics;
  readonly oversight?: Oversight;
}

/** Returns the phases of an operator whose desired state is a directory, in the order in which they start. */
export function directoryPhases(adapter: DirectoryAdapter, options: ClusterlessOptions): readonly Phase[] {
  return [
    {
      name: 'directory',
      parts: [{ name: 'directory', start: (signal) => adapter.start(signal), stop: () => adapter.stop() }],
    },
    ...operatorPhases({
      ...options,
      adapter,
      fleet: fleetBy(adapter.index, (text) => adapter.deployment(text)),
      digester: adapter.digester,
      operatorNamespace: 'default',
      userAgent: userAgent(),
      inCluster: false,
    }),
  ];
}
