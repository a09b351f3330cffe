import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';

/** The progress of a resource, for a caller that waits for it. */
export interface Standing {
  /**
   * The kind of progress. `waiting` continues by itself, `held` waits until a person agrees, and `failed` until a
   * person changes something. A wait for something in manifests counts as failed, since they are not read again.
   */
  readonly kind: 'settled' | 'waiting' | 'held' | 'failed';
  /** A reason of docs/conditions.md. */
  readonly reason: string;
  readonly message: string;
}

/** The state to wait for: the service shows the spec; or, in addition, its newest revision is active. */
export type Goal = 'synced' | 'active';

/** Returns the progress of a resource by its status, and by that of its connection. */
export function standingOf(
  resource: DeploymentResource,
  connection: ConnectionResource | undefined,
  goal: Goal,
): Standing {
  const synced = conditionOf(resource, 'Synced');
  if (synced === undefined) return NOT_LOOKED_AT;
  const stalled = conditionOf(resource, 'Stalled');
  if (stalled !== undefined) return standing('failed', stalled);
  switch (synced.reason) {
    case 'InSync':
    case 'DriftReported':
    case 'Differs':
      return goal === 'synced' || isActive(resource)
        ? standing('settled', synced)
        : standing('waiting', conditionOf(resource, 'Ready') ?? synced);
    case 'Paused':
    case 'AwaitingApproval':
      return standing('held', synced);
    case 'ConnectionNotFound':
    case 'SecretMissing':
      return standing('failed', synced);
    case 'ConnectionNotReady':
      return standing(isStalled(connection) ? 'failed' : 'waiting', synced);
    case 'Deleting':
      // Only the message says what the resource waits for. Without a usable connection, it waits for the connection.
      return standing(connection === undefined || isStalled(connection) ? 'failed' : 'waiting', synced);
    default:
      return standing('waiting', synced);
  }
}

const NOT_LOOKED_AT: Standing = {
  kind: 'waiting',
  reason: 'Pending',
  message: 'the service was not looked at yet',
};

interface Told {
  readonly reason: string;
  readonly message: string;
}

function standing(kind: Standing['kind'], { reason, message }: Told): Standing {
  return { kind, reason, message };
}

function isStalled(connection: ConnectionResource | undefined): boolean {
  return connection !== undefined && conditionOf(connection, 'Stalled') !== undefined;
}

/** True if the newest revision is the active one, whether or not the service reports it as ready. */
function isActive(resource: DeploymentResource): boolean {
  const { latestRevisionID, activeRevisionID } = resource.status ?? {};
  if (conditionOf(resource, 'Reconciling') !== undefined) return false;
  return latestRevisionID !== undefined && latestRevisionID === activeRevisionID;
}

function conditionOf({ status }: DeploymentResource | ConnectionResource, type: string): Told | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
