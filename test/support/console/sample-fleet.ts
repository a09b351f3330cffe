import type { SyncedReason } from '../../../src/api/condition.ts';
import type { ConnectionResource } from '../../../src/api/connection.ts';
import type { DeploymentResource, DeploymentStatus } from '../../../src/api/deployment.ts';
import { aConnection, inState } from './fleet-of-states.ts';

const MINUTE_MS = 60_000;

/** Returns the time this many minutes ago. */
const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

/** Returns a UUID for a number. */
const idOf = (number: number): string =>
  `${(0x5eed0000 + number * 7919).toString(16)}-4c1b-4e0a-9c55-${(number * 65_537).toString(16).padStart(12, '0')}`;

/** States with their messages, and the number of resources in each. */
const STATES: readonly (readonly [reason: SyncedReason, message: string, count: number])[] = [
  ['NotFound', 'no deployment is called like this; two complete looks at the list agree', 1],
  ['InvalidSpec', 'the service refuses sourceConfig.resourceSpec.cpu: it must be at most 4', 1],
  ['AwaitingApproval', 'plan 5c1e0b7a90d2 waits for approval: 2 changes', 3],
  ['Pending', 'a change waits for the end of the rollout', 3],
  ['DriftReported', 'changed at the service: sourceConfig.resourceSpec.maxScale', 4],
  ['Paused', 'paused by the annotation dms-operator.dev/paused', 2],
  ['InSync', 'the service shows what is declared', 32],
];
const NAMES = [
  'support-agent',
  'invoice-reader',
  'search-index',
  'mail-sorter',
  'claims-intake',
  'price-watch',
];
const NAMESPACES = ['team-a', 'team-b', 'payments'];

/** The hash of every waiting plan. */
export const PLAN_HASH = '5c1e0b7a90d2f1c44e07';

type Plan = NonNullable<DeploymentStatus['plan']>;

const image = (name: string, tag: number): string => `images.example.com/agents/${name}:1.${tag}`;

/** Returns the plan of a deployment in a state. */
const PLANS: Partial<Record<SyncedReason, (name: string) => Plan>> = {
  AwaitingApproval: (name) => ({
    hash: PLAN_HASH,
    changesOmitted: 0,
    changes: [
      {
        ...{ path: 'sourceRevisionConfig.imageURI', revision: 'Expected' },
        ...{ from: image(name, 20), to: image(name, 21) },
      },
      { path: 'sourceConfig.resourceSpec.memoryMB', from: '2048', to: '4096', revision: 'Possible' },
    ],
  }),
  DriftReported: () => ({
    changesOmitted: 0,
    changes: [{ path: 'sourceConfig.resourceSpec.maxScale', from: '4', to: '8', revision: 'None' }],
  }),
};

/** Returns Deployment resources in every kind of state, most of them healthy. */
export function sampleResources(): readonly DeploymentResource[] {
  return STATES.flatMap(([reason, message, count], state) =>
    Array.from({ length: count }, (_, index) => resourceOf(reason, message, state * 8 + index)),
  );
}

function resourceOf(reason: SyncedReason, message: string, number: number): DeploymentResource {
  const name = NAMES[number % NAMES.length] ?? '';
  const resource = inState(`${name}-${number}`, reason, {
    namespace: NAMESPACES[number % NAMESPACES.length] ?? '',
    labels: { tier: number % 2 === 0 ? 'gold' : 'silver' },
    spec: {
      connectionRef: { name: number % 4 === 0 ? 'staging' : 'default', kind: 'ClusterConnection' },
      ...(reason === 'AwaitingApproval' && { approval: 'Manual' }),
      ...(reason === 'DriftReported' && { driftPolicy: 'Report' }),
      sourceRevisionConfig: { imageURI: image(name, 21) },
    },
    ...(reason === 'Paused' && { annotations: { 'dms-operator.dev/paused': 'true' } }),
  });
  const { conditions = [] } = resource.status ?? {};
  const plan = PLANS[reason]?.(name);
  return {
    ...resource,
    status: {
      observedGeneration: 1,
      conditions: conditions.map((condition) => ({
        ...condition,
        message: condition.reason === reason ? message : condition.message,
        lastTransitionTime: ago(3 + number * number),
      })),
      ...shownOf(name, number),
      ...(plan !== undefined && { plan }),
    },
  };
}

/** Returns the fields of a status that come from the service. */
function shownOf(name: string, number: number): DeploymentStatus {
  const [old, former, active] = [idOf(number), idOf(number + 300), idOf(number + 600)];
  return {
    ...{ deploymentID: idOf(number + 900), name, serviceStatus: 'READY', createdTime: ago(90_000) },
    ...{ latestRevisionID: active, activeRevisionID: active },
    observed: { sourceRevisionConfig: { imageURI: image(name, 20) } },
    revisions: [
      {
        id: old,
        cause: 'External',
        imageURI: image(name, 18),
        firstSeenTime: ago(9000),
        activeTime: ago(8300),
      },
      {
        ...{ id: former, cause: 'Operator', generation: 1, imageURI: image(name, 19) },
        ...{ firstSeenTime: ago(6000), activeTime: ago(5200) },
      },
      {
        ...{ id: active, cause: 'Operator', generation: 1, imageURI: image(name, 20) },
        ...{ firstSeenTime: ago(2000), activeTime: ago(1500) },
      },
    ],
    lastPatch: {
      ...{ time: ago(2001), outcome: 'Confirmed', paths: ['sourceRevisionConfig.imageURI'] },
      revisionID: active,
    },
  };
}

/** Returns two connections, one of which is not usable. */
export function sampleConnections(): readonly ConnectionResource[] {
  const staging = aConnection('staging', { reason: 'AuthFailed', stalled: true });
  return [aConnection('default'), staging].map(
    ({ apiVersion, metadata, spec, status }): ConnectionResource => {
      const { namespace: _, ...clusterWide } = metadata;
      return {
        ...{ apiVersion, kind: 'ClusterConnection', metadata: clusterWide },
        spec: { ...spec, baseURL: `https://${metadata.name}.example.com/api` },
        ...(status !== undefined && { status }),
      };
    },
  );
}
