import type { ActionName } from './screen-action.ts';
import type { DeploymentScreen } from './deployment-screen.ts';
import type { Freshness } from './overview.ts';

/** The answer to a session that begins or continues. */
export interface SessionAnswer {
  /** Goes into the header `X-CSRF-Token` of every POST. */
  readonly csrf: string;
}

/** The body of `POST /api/plan`. */
export interface PlanRequest {
  readonly namespace: string;
  readonly name: string;
}

/** The body of `POST /api/actions`. */
export interface ActionRequest extends PlanRequest {
  readonly action: ActionName;
  /** The version that the person saw; another one is refused. */
  readonly resourceVersion: string;
  /** For approve: the plan that the person saw. */
  readonly hash?: string;
}

/** The answer to an action that was done. */
export interface ActionAnswer {
  /** A sentence. */
  readonly done: string;
}

/** Why something was refused, for people. */
export interface ErrorAnswer {
  readonly error: string;
  /** The right that the user lacks, such as `patch deployments.dms-operator.dev in namespace team-a`. */
  readonly missingRight?: string;
  /** The current resource, if the person saw another version. */
  readonly screen?: DeploymentScreen;
}

/** The data of an event `changed` of the stream. */
export interface ChangedEvent {
  readonly version: number;
  readonly freshness: Freshness;
}
