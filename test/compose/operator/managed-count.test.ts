import { expect, test } from 'vitest';
import { fleetBy } from '../../../src/compose/operator/fleet.ts';
import { ManagedCount } from '../../../src/compose/operator/managed-count.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { API_VERSION, keyOf, keyText } from '../../../src/api/metadata.ts';
import { ResourceIndex } from '../../../src/model/desired/resource-index.ts';

const CONNECTION = { kind: 'Connection', namespace: 'team-a', name: 'default' } as const;

test('a count is outdated when a resource becomes bound or leaves, once until the next count', () => {
  const resources = new Map<string, DeploymentResource>();
  const index = new ResourceIndex();
  const put = (name: string, resource: DeploymentResource | undefined): void => {
    const text = keyText({ kind: 'Deployment', namespace: 'team-a', name });
    index.put(text, resource);
    if (resource === undefined) resources.delete(text);
    else resources.set(keyText(keyOf(resource)), resource);
  };
  const counts = new ManagedCount(
    fleetBy(index, (text) => resources.get(text)),
    () => CONNECTION,
  );
  expect(counts.becameOutdated(CONNECTION)).toBe(false);
  put('a', resourceNamed('a'));
  expect(counts.forStatus(CONNECTION)).toBe(0);
  expect(counts.becameOutdated(CONNECTION)).toBe(false);
  put('a', { ...resourceNamed('a'), status: { deploymentID: 'd-1' } });
  expect(counts.becameOutdated(CONNECTION)).toBe(true);
  expect(counts.becameOutdated(CONNECTION)).toBe(false);
  expect(counts.forStatus(CONNECTION)).toBe(1);
  put('a', undefined);
  expect(counts.becameOutdated(CONNECTION)).toBe(true);
  expect(counts.forStatus(CONNECTION)).toBe(0);
  counts.forget(CONNECTION);
  put('a', { ...resourceNamed('a'), status: { deploymentID: 'd-1' } });
  expect(counts.becameOutdated(CONNECTION)).toBe(false);
});

function resourceNamed(name: string): DeploymentResource {
  return {
    apiVersion: API_VERSION,
    kind: 'Deployment',
    metadata: { namespace: 'team-a', name },
    spec: { source: 'external_container', deploymentRef: { name } },
  };
}
