import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { Event } from '../../model/outcome/event.ts';

/** Records events for people. A lost event never fails a pass. */
export interface EventRecorder {
  record(about: DeploymentResource | ConnectionResource, event: Event): void;
}
