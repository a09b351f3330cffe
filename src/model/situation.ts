import type { DeploymentResource } from '../api/deployment.ts';
import type { Assessment } from './assess.ts';
import type { Digests } from './baseline.ts';
import type { ConnectionSettings } from './connection.ts';
import type { DesiredDeployment } from './desired.ts';
import type { Observation, ObservedDeployment } from './observation.ts';

/** Everything a decision is made of. */
export interface Situation {
  readonly resource: DeploymentResource;
  readonly desired: DesiredDeployment;
  readonly observation: Observation;
  readonly settings: ConnectionSettings;
  readonly secretsListed: boolean;
  readonly digests: Digests;
  readonly nowMs: number;
  /** True when this is the second read after the window of an announced write. */
  readonly secondRead: boolean;
}

/** A situation where the deployment exists, compared. */
export interface Present extends Situation {
  readonly observed: ObservedDeployment;
  readonly assessment: Assessment;
}
