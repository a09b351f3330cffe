import type { DeploymentResource } from '../../api/deployment.ts';
import type { Assessment } from '../compare/assess.ts';
import type { Digests } from '../recorded/digests.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import type { DesiredDeployment } from '../desired/desired-deployment.ts';
import type { Open } from '../compare/judge-fields.ts';
import type { FoundRepository, Listed, ObservedProvider } from '../external/inventory.ts';
import type { Written } from '../effects/effect-of.ts';
import type { Level } from '../external/patch-body.ts';
import type { Observation, ObservedDeployment } from '../external/observation.ts';
import type { Learned } from '../effects/learned.ts';

/** Everything a decision is made of. */
export interface Situation {
  readonly resource: DeploymentResource;
  readonly desired: DesiredDeployment;
  readonly observation: Observation;
  readonly settings: ConnectionSettings;
  readonly secretsListed: boolean;
  /** Some deployment of the connection has shown a resource spec: one that is missing is empty. */
  readonly resourceSpecsListed: boolean;
  /**
   * Paths of fields that some list of the connection has shown since the start: one that is missing later was
   * emptied.
   */
  readonly listedPaths: ReadonlySet<string>;
  /** OAuth providers that the service lists, looked up only where some are required. */
  readonly providers: Listed<ObservedProvider>;
  /** The repository of spec.repository, looked up only for a creation. */
  readonly repository?: FoundRepository | undefined;
  /** The deployment with the name that a creation would take, looked up where the bound one is gone. */
  readonly namesake?: Observation | undefined;
  /** Values are shown exactly as they were sent, proven in this process. */
  readonly secretsPlain: boolean;
  /** The newest list shows a secret of another deployment of the connection as we applied it. */
  readonly shownBeside: boolean;
  readonly learned: Learned;
  /** Where a body may leave something out although the service is believed to empty it, to see whether it still does. */
  readonly trial?: ReadonlySet<Level> | undefined;
  /** The deployment as a list showed it last: a field that lists never show is not empty (N31). */
  readonly listed?: ObservedDeployment | undefined;
  /** True where an earlier process made the newest write: what it left out is known by its paths only. */
  readonly inherited: boolean;
  /** The next write is the first one on a connection of unknown behaviour: what it leaves out may have to be put back. */
  readonly pioneers?: boolean | undefined;
  /** Our newest write to the deployment, while the list has not shown what became of it. */
  readonly written?: Written | undefined;
  /** Other resources that are bound to the same deployment, or want to be. */
  readonly rivals: readonly DeploymentResource[];
  /** Other resources that may have asked the same service for a deployment of the name that this one would make. */
  readonly creators: readonly DeploymentResource[];
  /** When a change of a Secret was first seen, where one waits for others to follow. */
  readonly rotationSeenMs?: number | undefined;
  /** When this process first saw that a Secret or ConfigMap is missing, up to the first pass that has all of them. */
  readonly secretMissedMs?: number | undefined;
  /** The open questions of the pass before, if this process made it. */
  readonly open?: Open | undefined;
  /** Secrets that cannot be compared with what is there wait for a person to ask for them. */
  readonly holdUnprovenSecrets?: boolean | undefined;
  readonly digests: Digests;
  readonly nowMs: number;
  /** When this process first saw an announcement that is not its own; absent where there is none. */
  readonly foundMs?: number | undefined;
  /** The newest revision that this process saw before that announcement, where no status names it. */
  readonly foundRevisionID?: string | undefined;
  /**
   * When the first read of the list began that showed, after its window, what became of our newest write; absent
   * before.
   */
  readonly settledMs?: number | undefined;
  /** True when this is the second read after the window of an announced write. */
  readonly secondRead: boolean;
}

/** A situation where the deployment exists, compared. */
export interface Present extends Situation {
  readonly observed: ObservedDeployment;
  readonly assessment: Assessment;
}
