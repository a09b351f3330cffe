import { describe, expect, it } from 'vitest';
import type { ApiResponse } from '../support/control-plane/control-plane.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { INSTALL, kustomized } from './support/rendered.ts';

const cluster = useControlPlane();
const SHIPPED = 'PodDisruptionBudget dms-operator/dms-operator';

interface BudgetSpec {
  readonly selector: { readonly matchLabels: object };
  readonly [member: string]: unknown;
}

/** Requests the eviction of a running, unready pod of the controller, as a drain does. */
async function evicted(spec: BudgetSpec): Promise<ApiResponse> {
  const namespace = await cluster().createNamespace('drained');
  const post = async (path: string, body: object): Promise<ApiResponse> =>
    await cluster().request('POST', path, body);
  const of = (group: string, plural: string): string => `/${group}/namespaces/${namespace}/${plural}`;
  await post(of('api/v1', 'serviceaccounts'), { metadata: { name: 'default' } });
  await post(of('apis/policy/v1', 'poddisruptionbudgets'), { metadata: { name: 'budget' }, spec });
  const pod = {
    metadata: { name: 'replica', labels: spec.selector.matchLabels },
    spec: { containers: [{ name: 'controller', image: 'dms-operator' }] },
  };
  expect((await post(of('api/v1', 'pods'), pod)).status).toBe(201);
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
  const path = of('api/v1', 'pods/replica');
  await cluster().request('PATCH', `${path}/status`, { status }, 'application/merge-patch+json');
  return await post(`${path}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: pod.metadata,
  });
}

describe('the disruption budget', () => {
  const shipped = async (): Promise<BudgetSpec> =>
    (await kustomized(cluster(), INSTALL)).get(SHIPPED)?.['spec'] as BudgetSpec;

  it('does not block a drain for a replica that never becomes ready', async () => {
    expect(await evicted(await shipped())).toMatchObject({ status: 201 });
  });

  it('would block it without that setting', async () => {
    const { unhealthyPodEvictionPolicy, ...silent } = await shipped();
    expect(unhealthyPodEvictionPolicy).toBe('AlwaysAllow');
    expect(await evicted(silent)).toMatchObject({ status: 429 });
  });
});
