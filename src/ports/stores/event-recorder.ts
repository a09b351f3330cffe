import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { Event } from '../../model/outcome/event.ts';

/** Tells people what happened. Best effort: a lost event never fails a pass. */
export interface EventRecorder {
  record(about: DeploymentResource | ConnectionResource, event: Event): void;
}
