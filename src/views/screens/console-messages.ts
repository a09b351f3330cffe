import type { ActionName } from './screen-action.ts';
import type { DeploymentScreen } from './deployment-screen.ts';
import type { Freshness } from './overview.ts';

/** The answer to a session that begins or continues. */
export interface SessionAnswer {
  /** The value for the header `X-CSRF-Token` of every POST. */
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
  /** The resource version that the person saw; any other version is refused. */
  readonly resourceVersion: string;
  /** The hash of the plan that the person saw; only for `approve`. */
  readonly hash?: string;
}

/** The answer to a successful action. */
export interface ActionAnswer {
  /** A sentence about the result. */
  readonly done: string;
}

/** The reason for a refusal, for people. */
export interface ErrorAnswer {
  readonly error: string;
  /** The missing right of the user, such as `patch deployments.dms-operator.dev in namespace team-a`. */
  readonly missingRight?: string;
  /** The current resource, if the person saw another version. */
  readonly screen?: DeploymentScreen;
}

/** The data of a `changed` event of the stream. */
export interface ChangedEvent {
  readonly version: number;
  readonly freshness: Freshness;
}
