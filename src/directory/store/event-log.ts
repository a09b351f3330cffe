import { defined } from '../../base/defined.ts';
import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { Event } from '../../model/outcome/event.ts';
import type { EventRecorder } from '../../ports/stores/event-recorder.ts';
import type { Logger } from '../../ports/process/logger.ts';

/** Writes events as log lines, since a folder has no other place for them. */
export class EventLog implements EventRecorder {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  record(about: DeploymentResource | ConnectionResource, { type, reason, action, message }: Event): void {
    const { namespace, name } = about.metadata;
    const fields = {
      kind: about.kind,
      ...defined({ namespace }),
      name,
      reason,
      action,
    };
    if (type === 'Warning') this.#logger.warn(message, fields);
    else this.#logger.info(message, fields);
  }
}
