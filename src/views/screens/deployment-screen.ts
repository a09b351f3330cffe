import type { Asked } from '../resources/description.ts';
import type { FleetRow } from './fleet-row.ts';
import type { ScreenAction } from './screen-action.ts';

/** Everything about one resource. */
export interface DeploymentScreen {
  readonly row: FleetRow;
  /** The version that an action must name. */
  readonly resourceVersion: string;
  /** One sentence: how it is, and since when. */
  readonly sentence: string;
  readonly state: DeploymentState;
  /** The next steps of a person; empty if there is nothing to do. */
  readonly next: readonly NextStep[];
  /** The differences; absent where there are none. */
  readonly plan?: ScreenPlan;
  /** The newest revision first. */
  readonly history: readonly RevisionLine[];
  /** A write that was announced and is not judged yet. */
  readonly announcement?: AnnouncedWrite;
  readonly lastWrite?: LastWrite;
  readonly conditions: readonly ConditionLine[];
  /** The newest first. */
  readonly events: readonly EventLine[];
  /** Why events could not be read. */
  readonly eventsError?: string;
  /** The declaration as YAML, with nothing secret in it. */
  readonly manifest: string;
  readonly actions: readonly ScreenAction[];
}

/** The resource as the service shows it, and how the resource is kept. */
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
  /** The time at which the service first did not show it. */
  readonly missingSinceTime?: string;
  readonly generation?: number;
  readonly observedGeneration?: number;
  /** True where the spec was changed since the controller last looked. */
  readonly behind: boolean;
  readonly approval: string;
  readonly managementPolicy: string;
  readonly driftPolicy: string;
  /** Values that a write of ours lost, by path. */
  readonly lost: readonly string[];
  /** The fields that it asks for. */
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
  /** The number of further changes for which the status has no room. */
  readonly changesOmitted: number;
  readonly withheld: readonly Withheld[];
  /** Whether sending it makes a revision, as text. */
  readonly revision?: string;
  /** True where it is sent, now or once it is approved. */
  readonly sends: boolean;
}

/** One difference, as text for everybody. */
export interface ChangeLine {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  /** The service was changed since the last write; otherwise the spec was. */
  readonly drift: boolean;
  readonly revision: 'None' | 'Possible' | 'Expected';
}

/** A part that is not sent although it differs. */
export interface Withheld {
  readonly path: string;
  readonly why: string;
}

/** A revision that was seen. */
export interface RevisionLine {
  readonly id: string;
  /** The author of the revision. */
  readonly cause: 'Operator' | 'External' | 'Unknown';
  /** The generation of the spec from which it was made. */
  readonly generation?: number;
  readonly imageURI?: string;
  readonly commit?: string;
  readonly firstSeenTime: string;
  /** The time at which it first was active; absent before. */
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
  /** The service has answered that it took it. */
  readonly accepted: boolean;
}

/** The last write that was judged. */
export interface LastWrite {
  readonly time: string;
  readonly outcome: string;
  readonly paths: readonly string[];
  readonly revisionID?: string;
  /** Why the service refused it, as text. */
  readonly refusal?: string;
}

/** A condition as a sentence. */
export interface ConditionLine {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly since: string;
  /** The meaning of the reason; empty for one that has no page. */
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
