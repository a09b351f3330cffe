import {
  CONNECTION_REASONS,
  type ConnectionReason,
  SYNCED_REASONS,
  type SyncedReason,
} from '../../../src/api/condition.ts';
import type { ConnectionResource } from '../../../src/api/connection.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { conditionsFor, MEANING } from '../../../src/model/status/conditions-for.ts';
import { CONNECTION_MEANING, connectionStatus } from '../../../src/model/status/connection-status.ts';
import { recordedResources } from '../../support/resources/recorded-statuses.ts';

/** A resource that tools judge, with the line that names it in failures. */
export interface Judged {
  readonly line: string;
  readonly resource: DeploymentResource | ConnectionResource;
}

const GENERATION = 7;
const NOW_MS = Date.UTC(2026, 10, 20);
const METADATA = { name: 'sample', namespace: 'team-a', generation: GENERATION };

/**
 * Every status from the test scenarios: each reason of each kind, and all of them once more after an unprocessed edit.
 */
export function judgedResources(): readonly Judged[] {
  const now = [...recordedResources(), ...deployments(), ...connections()];
  return [
    ...now,
    ...now.map(({ line, resource }) => ({ line: `edited: ${line}`, resource: edited(resource) })),
  ];
}

function deployments(): readonly Judged[] {
  return SYNCED_REASONS.map((reason) => {
    const facts = {
      reason,
      message: 'told',
      rollout: undefined,
      generation: GENERATION,
      carriedOut: true,
      nowMs: NOW_MS,
    };
    return {
      line: `Deployment ${reason}`,
      resource: {
        ...{ apiVersion: API_VERSION, kind: 'Deployment', metadata: METADATA },
        spec: { source: 'external_container' },
        status: { observedGeneration: GENERATION, conditions: conditionsFor(undefined, facts) },
      },
    };
  });
}

function connections(): readonly Judged[] {
  return CONNECTION_REASONS.map((reason) => ({
    line: `Connection ${reason}`,
    resource: {
      ...{ apiVersion: API_VERSION, kind: 'Connection', metadata: METADATA },
      spec: { baseURL: 'https://dms.example.com', ...(reason === 'Suspended' ? { suspend: true } : {}) },
      status: connectionStatus({}, { generation: GENERATION, reason, message: 'told', nowMs: NOW_MS }),
    },
  }));
}

function edited(resource: Judged['resource']): Judged['resource'] {
  return { ...resource, metadata: { ...resource.metadata, generation: GENERATION + 1 } };
}

/** The reasons of a rollout that come with one of the two abnormal conditions (docs/conditions.md). */
const ROLLOUTS: Readonly<Record<string, 'Reconciling' | 'Stalled'>> = {
  RolloutInProgress: 'Reconciling',
  AwaitingDatabase: 'Reconciling',
  DeadlineExceeded: 'Stalled',
};

/** Returns the meaning of a resource's reasons for a waiting tool: continue to wait, give up, or neither. */
export function besideOf(resource: Judged['resource']): 'Reconciling' | 'Stalled' | 'neither' {
  const ready = reasonOf(resource, 'Ready') ?? '';
  if (resource.kind === 'Connection') return CONNECTION_MEANING[ready as ConnectionReason].beside;
  const meaning = MEANING[reasonOf(resource, 'Synced') as SyncedReason];
  return meaning.ready === 'rollout' ? (ROLLOUTS[ready] ?? 'neither') : meaning.beside;
}

/** Returns the status of a condition. Absent if the resource has none of that type. */
export function statusOf({ status }: Judged['resource'], type: string): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.status;
}

/** Returns the reason of a condition. Absent if the resource has none of that type. */
export function reasonOf({ status }: Judged['resource'], type: string): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.reason;
}

/** True if the status belongs to an earlier generation. */
export function isBehind({ metadata, status }: Judged['resource']): boolean {
  return (status?.observedGeneration ?? -1) < (metadata.generation ?? 0);
}
