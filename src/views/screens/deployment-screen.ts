import type { Asked } from '../resources/description.ts';
import type { FleetRow } from './fleet-row.ts';
import type { ScreenAction } from './screen-action.ts';

/** Everything about one resource. */
export interface DeploymentScreen {
  readonly row: FleetRow;
  /** The resource version that an action must name. */
  readonly resourceVersion: string;
  /** One sentence about the state and its age. */
  readonly sentence: string;
  readonly state: DeploymentState;
  /** The next steps of a person; empty if there is nothing to do. */
  readonly next: readonly NextStep[];
  /** The differences; absent if there are none. */
  readonly plan?: ScreenPlan;
  /** The newest revision first. */
  readonly history: readonly RevisionLine[];
  /** A write that was announced and whose outcome is not known yet. */
  readonly announcement?: AnnouncedWrite;
  readonly lastWrite?: LastWrite;
  readonly conditions: readonly ConditionLine[];
  /** The newest first. */
  readonly events: readonly EventLine[];
  /** The reason why events could not be read. */
  readonly eventsError?: string;
  /** The declaration as YAML, with nothing secret in it. */
  readonly manifest: string;
  readonly actions: readonly ScreenAction[];
}

/** The resource as the service shows it, and the policies by which the operator keeps it. */
export interface DeploymentState {
  readonly deploymentID?: string;
  /** The name at the service. */
  readonly deploymentName: string;
  readonly connectionKind?: string;
  readonly endpoint?: string;
  readonly tenantID?: string;
  readonly imageVersion?: string;
  readonly activeRevisionID?: string;
  readonly activeSince?: string;
  readonly latestRevisionID?: string;
  readonly latestSince?: string;
  readonly createdTime?: string;
  readonly updatedTime?: string;
  /** The start of the current rollout. */
  readonly rolloutStartedTime?: string;
  /** The time when the service first did not show it. */
  readonly missingSinceTime?: string;
  readonly generation?: number;
  readonly observedGeneration?: number;
  /** True if the spec was changed since the controller's last pass. */
  readonly behind: boolean;
  readonly approval: string;
  readonly managementPolicy: string;
  readonly driftPolicy: string;
  /** The paths of values that a write of the operator lost. */
  readonly lost: readonly string[];
  /** The fields of the spec. */
  readonly asked: readonly Asked[];
  /** The fields of the newest revision, as the service shows them. */
  readonly observed: readonly Asked[];
}

/** A reason, its meaning, and what to do about it. */
export interface NextStep {
  readonly reason: string;
  readonly message: string;
  readonly means: string;
  readonly todo: string;
  /** The command that helps, if there is one. */
  readonly command?: string;
}

/** The differences between the spec and the service, and whether they are sent. */
export interface ScreenPlan {
  /** The hash of a plan that waits for approval. */
  readonly hash?: string;
  readonly changes: readonly ChangeLine[];
  /** The number of further changes, which do not fit into the status. */
  readonly changesOmitted: number;
  readonly withheld: readonly Withheld[];
  /** Whether the write makes a revision, as text. */
  readonly revision?: string;
  /** True if it is sent, now or after approval. */
  readonly sends: boolean;
}

/** One difference as text, without secrets. */
export interface ChangeLine {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  /** True if the service was changed since the last write; false if the spec was changed. */
  readonly drift: boolean;
  readonly revision: 'None' | 'Possible' | 'Expected';
}

/** A part that is not sent although it differs. */
export interface Withheld {
  readonly path: string;
  readonly why: string;
}

/** A revision that the controller has seen. */
export interface RevisionLine {
  readonly id: string;
  /** The author of the revision. */
  readonly cause: 'Operator' | 'External' | 'Unknown';
  /** The generation of the spec from which it was made. */
  readonly generation?: number;
  readonly imageURI?: string;
  readonly commit?: string;
  readonly firstSeenTime: string;
  /** The time when it first was active; absent before that. */
  readonly activeTime?: string;
  readonly isActive: boolean;
  readonly isNewest: boolean;
}

/** A write that was announced before it was sent, and whose outcome is not known yet. */
export interface AnnouncedWrite {
  readonly operation: 'Create' | 'Patch' | 'Delete';
  readonly paths: readonly string[];
  readonly time: string;
  readonly attempt: number;
  /** True if the service has answered that it accepted the write. */
  readonly accepted: boolean;
}

/** The last write with a known outcome. */
export interface LastWrite {
  readonly time: string;
  readonly outcome: string;
  readonly paths: readonly string[];
  readonly revisionID?: string;
  /** The service's reason for a refusal, as text. */
  readonly refusal?: string;
}

/** A condition as a sentence. */
export interface ConditionLine {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly since: string;
  /** The meaning of the reason; empty if docs/conditions.md does not explain it. */
  readonly means: string;
  readonly todo?: string;
}

/** An event of the resource. */
export interface EventLine {
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}
