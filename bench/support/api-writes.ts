import type { ApiServerMetrics, ControlPlane } from '../../test/support/control-plane/control-plane.ts';

const GROUP = 'dms-operator.dev';
const VERBS = ['PATCH', 'APPLY', 'PUT', 'POST', 'DELETE'];

/** Writes as the API server itself counts them. */
export interface ApiWrites {
  /** Writes to our kinds and to events. */
  readonly all: number;
  /** Writes to the status of Deployment resources. */
  readonly status: number;
  /** Writes to our kinds that were answered with 409. */
  readonly refused: number;
}

/** Counts the writes so far. */
export async function apiWrites(plane: ControlPlane): Promise<ApiWrites> {
  const metrics = await plane.metrics();
  return {
    all: sum(metrics, { group: GROUP }) + sum(metrics, { group: 'events.k8s.io' }),
    status: sum(metrics, { group: GROUP, resource: 'deployments', subresource: 'status' }),
    refused: sum(metrics, { group: GROUP, code: '409' }),
  };
}

/** Counts the writes between two moments. */
export function writesBetween(before: ApiWrites, after: ApiWrites): ApiWrites {
  return {
    all: after.all - before.all,
    status: after.status - before.status,
    refused: after.refused - before.refused,
  };
}

function sum(metrics: ApiServerMetrics, what: Parameters<ApiServerMetrics['requests']>[0]): number {
  return VERBS.reduce((total, verb) => total + metrics.requests({ verb, ...what }), 0);
}
