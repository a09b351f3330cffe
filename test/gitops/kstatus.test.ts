import { expect, test } from 'vitest';
import { useGoProgram } from '../support/programs/go-program.ts';
import { besideOf, isBehind, type Judged, judgedResources, statusOf } from './support/judged.ts';

const kstatus = useGoProgram('kstatus');

/** Returns the meaning of our reasons for tools that wait (docs/conditions.md). */
function promised(resource: Judged['resource']): string {
  if (resource.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (isBehind(resource)) return 'InProgress';
  switch (besideOf(resource)) {
    case 'Stalled':
      return 'Failed';
    case 'Reconciling':
      return 'InProgress';
    case 'neither':
      return statusOf(resource, 'Ready') === 'True' ? 'Current' : 'InProgress';
  }
}

test('kstatus agrees with our conditions for every status', async () => {
  const judged = judgedResources();
  const said = (await kstatus(judged.map(({ resource }) => resource))) as string[];
  expect(said).toHaveLength(judged.length);
  expect(judged.map(({ line }, index) => `${line}: ${said[index]}`)).toEqual(
    judged.map(({ line, resource }) => `${line}: ${promised(resource)}`),
  );
});

test('kstatus waits for a resource that no controller has handled', async () => {
  const resource = {
    ...{ apiVersion: 'dms-operator.dev/v1alpha1', kind: 'Deployment' },
    metadata: { name: 'new', namespace: 'team-a', generation: 1 },
    status: { observedGeneration: -1 }, // as the API server writes it
  };
  expect(await kstatus([resource])).toEqual(['InProgress']);
});
