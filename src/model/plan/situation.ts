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

/** Everything that a decision depends on. */
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
  /**
   * The levels at which a body may omit something although the service is believed to empty it, to test whether it
   * still does.
   */
  readonly trial?: ReadonlySet<Level> | undefined;
  /** The deployment as a list showed it last: a field that lists never show is not empty (N31). */
  readonly listed?: ObservedDeployment | undefined;
  /** True if an earlier process made the newest write: only the paths of its omissions are known. */
  readonly inherited: boolean;
  /**
   * True if the next write is the first one on a connection of unknown behaviour: its omissions may have to be put
   * back.
   */
  readonly pioneers?: boolean | undefined;
  /** Our newest write to the deployment, until a list has shown its effect. */
  readonly written?: Written | undefined;
  /** Other resources that are bound to the same deployment, or want to be. */
  readonly rivals: readonly DeploymentResource[];
  /** Other resources that may have asked the same service for a deployment of the name that this one would make. */
  readonly creators: readonly DeploymentResource[];
  /** The time at which a change of a Secret was first seen, while it waits for further ones. */
  readonly rotationSeenMs?: number | undefined;
  /**
   * The time at which this process first saw that a Secret or ConfigMap is missing, up to the first pass that has all
   * of them.
   */
  readonly secretMissedMs?: number | undefined;
  /** The open questions of the pass before, if this process made it. */
  readonly open?: Open | undefined;
  /** True if secrets that cannot be compared wait until a person asks for them. */
  readonly holdUnprovenSecrets?: boolean | undefined;
  readonly digests: Digests;
  readonly nowMs: number;
  /** The time at which this process first saw an announcement of another process; absent without one. */
  readonly foundMs?: number | undefined;
  /** The newest revision that this process saw before that announcement, where no status names it. */
  readonly foundRevisionID?: string | undefined;
  /**
   * The start of the first read of the list after the window that showed the effect of our newest write; absent
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
