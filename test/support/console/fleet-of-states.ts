import type { ConnectionResource } from '../../../src/api/connection.ts';
import type { DeploymentResource, DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import { MEANING } from '../../../src/model/status/conditions-for.ts';
import type { SyncedReason } from '../../../src/api/condition.ts';
import { at } from '../resources/builders.ts';

type Conditions = NonNullable<DeploymentStatus['conditions']>;

/** Returns conditions as the controller writes them for a reason of `Synced`. */
function conditionsOf(reason: SyncedReason, message = `because of ${reason}`): Conditions {
  const { synced, ready, beside } = MEANING[reason];
  const rollout = ready === 'rollout' || ready === 'unchanged' || ready === 'kept';
  const common = { observedGeneration: 1, lastTransitionTime: at(-60_000) };
  return [
    rollout
      ? {
          type: 'Ready',
          status: 'True',
          reason: 'Active',
          message: 'the newest revision is active',
          ...common,
        }
      : { type: 'Ready', status: ready, reason, message, ...common },
    { type: 'Synced', status: synced, reason, message, ...common },
    ...(beside === 'neither' ? [] : [{ type: beside, status: 'True' as const, reason, message, ...common }]),
  ];
}

/** Returns a resource in the state of a reason. `more` overrides its parts. */
export function inState(
  name: string,
  reason: SyncedReason | undefined,
  more: {
    readonly namespace?: string;
    readonly spec?: Partial<DeploymentSpec>;
    readonly status?: DeploymentStatus;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): DeploymentResource {
  const revisions = { latestRevisionID: 'rev-2', activeRevisionID: 'rev-2' };
  return {
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Deployment',
    metadata: {
      ...{
        name,
        namespace: more.namespace ?? 'team-a',
        uid: `uid-${name}`,
        resourceVersion: '7',
        generation: 1,
      },
      ...(more.labels !== undefined && { labels: more.labels }),
      ...(more.annotations !== undefined && { annotations: more.annotations }),
    },
    spec: { source: 'external_container', ...more.spec },
    ...(reason !== undefined && {
      status: {
        ...{ observedGeneration: 1, conditions: conditionsOf(reason), ...revisions },
        ...more.status,
      },
    }),
  };
}

/** Returns a plan with one change, as a status holds it. */
export function aPlan(to = 'agent:2', hash?: string): NonNullable<DeploymentStatus['plan']> {
  const change = {
    path: 'sourceRevisionConfig.imageURI',
    from: 'agent:1',
    to,
    revision: 'Expected',
  } as const;
  return { ...(hash !== undefined && { hash }), changesOmitted: 0, changes: [change] };
}

/** Returns a resource whose plan waits for approval. */
export function awaitingApproval(name: string, hash: string, to?: string): DeploymentResource {
  return inState(name, 'AwaitingApproval', {
    spec: { approval: 'Manual' },
    status: { ...statusOf('AwaitingApproval'), plan: aPlan(to, hash) },
  });
}

/** Returns a resource that was changed at the service. */
export function drifting(name: string, from: string, connection = 'default'): DeploymentResource {
  const change = { path: 'sourceConfig.resourceSpec.maxScale', from, to: '3', revision: 'None' } as const;
  return inState(name, 'DriftReported', {
    spec: { driftPolicy: 'Report', connectionRef: { name: connection } },
    status: { ...statusOf('DriftReported'), plan: { changesOmitted: 0, changes: [change] } },
  });
}

/** Returns the status of a reason, to which a test may add fields. */
export function statusOf(reason: SyncedReason): DeploymentStatus {
  return { observedGeneration: 1, conditions: conditionsOf(reason) };
}

/** Returns a usable connection, unless `ready` gives a reason why it is not usable. */
export function aConnection(
  name: string,
  ready: { readonly reason: string; readonly stalled?: boolean } = { reason: 'Ok' },
): ConnectionResource {
  const common = {
    reason: ready.reason,
    message: `it is ${ready.reason}`,
    observedGeneration: 1,
    lastTransitionTime: at(-60_000),
  };
  return {
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Connection',
    metadata: { name, namespace: 'team-a', uid: `uid-${name}`, resourceVersion: '3', generation: 1 },
    spec: { baseURL: 'https://user:hunter2@dms.example.com/v2', rateLimit: { requestsPerSecond: 5 } },
    status: {
      conditions: [
        { type: 'Ready', status: ready.reason === 'Ok' ? 'True' : 'False', ...common },
        ...(ready.stalled === true ? [{ type: 'Stalled', status: 'True' as const, ...common }] : []),
      ],
      deployments: { total: 4, managed: 2 },
      learned: { nulls: { verdict: 'Clears', count: 2, time: at(-1000) } },
    },
  };
}
