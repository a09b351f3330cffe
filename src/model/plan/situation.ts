import type { PlainLists } from '../recorded/masks.ts';
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

/** The facts on which a decision depends. */
export interface Situation {
  readonly resource: DeploymentResource;
  readonly desired: DesiredDeployment;
  readonly observation: Observation;
  /** The milliseconds until the look counts, if it may show an older state than the last one. */
  readonly doubtMs?: number | undefined;
  readonly settings: ConnectionSettings;
  readonly secretsListed: boolean;
  /** True if any deployment of the connection has shown a resource spec; then a missing one is empty. */
  readonly resourceSpecsListed: boolean;
  /**
   * The paths of fields that any list of the connection has shown since the start; such a field was emptied if it is
   * missing later.
   */
  readonly listedPaths: ReadonlySet<string>;
  /** The OAuth providers that the service lists, read only if the spec requires some. */
  readonly providers: Listed<ObservedProvider>;
  /** The repository of spec.repository, read only for a creation. */
  readonly repository?: FoundRepository | undefined;
  /** The deployment with the name for a creation, looked up if the bound deployment is gone. */
  readonly namesake?: Observation | undefined;
  /** True if this process has proof that the service shows values exactly as sent. */
  readonly secretsPlain: boolean;
  readonly plainLists: PlainLists;
  readonly learned: Learned;
  /**
   * The levels at which a body may omit values to test whether the service, which is believed to empty them, still
   * does.
   */
  readonly trial?: ReadonlySet<Level> | undefined;
  /** The deployment in the last list: a field that lists never show is not empty (N31). */
  readonly listed?: ObservedDeployment | undefined;
  /** True if an earlier process made the newest write; then only the paths of its omissions are known. */
  readonly inherited: boolean;
  /**
   * True if the next write is the first one on a connection with unknown behaviour: its omissions may have to be
   * restored.
   */
  readonly pioneers?: boolean | undefined;
  /** Our newest write to the deployment, as long as no list has shown its effect. */
  readonly written?: Written | undefined;
  /** The other resources that are bound to the same deployment, or want to be. */
  readonly rivals: readonly DeploymentResource[];
  /** The other resources that may have asked the same service for a deployment of the same name. */
  readonly creators: readonly DeploymentResource[];
  /** The time when a change of a Secret was first seen, while the pass waits for further changes. */
  readonly rotationSeenMs?: number | undefined;
  /**
   * The time when this process first saw that a Secret or ConfigMap is missing; absent after a pass that has all of
   * them.
   */
  readonly secretMissedMs?: number | undefined;
  /** The open fields of the previous pass, if this process made it. */
  readonly open?: Open | undefined;
  /**
   * The declared fields that this process sent again because they were gone after a write of ours that left them out,
   * each with the end of that write.
   */
  readonly refilled?: ReadonlyMap<string, number> | undefined;
  /** True if secrets that cannot be compared wait until a person asks to send them. */
  readonly holdUnprovenSecrets?: boolean | undefined;
  readonly digests: Digests;
  readonly nowMs: number;
  /** The time when this process first saw an announcement of another process; absent without one. */
  readonly foundMs?: number | undefined;
  /** The newest revision that this process saw before that announcement, if no status contains it. */
  readonly foundRevisionID?: string | undefined;
  /**
   * The start of the first read of the list, after the window, that showed the effect of our newest write; absent
   * before that.
   */
  readonly settledMs?: number | undefined;
  /** True if this process also read a list within that window, so that no other process read the first one after it. */
  readonly sawWindow?: boolean | undefined;
  /**
   * True if a list after that window showed a resource spec, and the newest that did so showed no text, list or object of
   * others in it.
   */
  readonly showedSpec?: boolean | undefined;
  /** True if this is the second read after the window of an announced write. */
  readonly secondRead: boolean;
  /** The deployment in the read before this one in the same pass. This one may be from a replica that lags. */
  readonly earlier?: ObservedDeployment | undefined;
  /** The paths of an announced write that an earlier read after its window proved. */
  readonly provenBefore?: readonly string[] | undefined;
}

/** A situation in which the deployment exists and was compared. */
export interface Present extends Situation {
  readonly observed: ObservedDeployment;
  readonly assessment: Assessment;
}
