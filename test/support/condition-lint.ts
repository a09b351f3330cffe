import { expect } from 'vitest';
import { ROLLOUT_REASONS, SYNCED_REASONS } from '../../src/api/condition.ts';
import type { DeploymentResource } from '../../src/api/deployment.ts';

const REASONS: ReadonlySet<string> = new Set([...SYNCED_REASONS, ...ROLLOUT_REASONS]);

/** The promises every status keeps, whatever happened: the kstatus contract and our own. */
export function expectSoundConditions(resource: DeploymentResource): void {
  const conditions = resource.status?.conditions ?? [];
  const byType = new Map(conditions.map((condition) => [condition.type, condition]));
  const ready = byType.get('Ready');
  const synced = byType.get('Synced');
  const [reconciling, stalled] = [byType.get('Reconciling'), byType.get('Stalled')];
  expect(byType.size, 'one condition per type').toBe(conditions.length);
  expect(ready, 'Ready is always there').toBeDefined();
  expect(synced, 'Synced is always there').toBeDefined();
  expect(reconciling !== undefined && stalled !== undefined, 'never Reconciling and Stalled').toBe(false);
  for (const abnormal of [reconciling, stalled]) {
    if (abnormal !== undefined)
      expect(abnormal.status, `${abnormal.type} is present only while True`).toBe('True');
  }
  if (stalled !== undefined) expect(ready?.status, 'Stalled implies not Ready').not.toBe('True');
  if (synced?.status === 'True') expect(synced.reason).toBe('InSync');
  const generation = resource.metadata.generation ?? 0;
  for (const condition of conditions) {
    expect(REASONS, `reason ${condition.reason} is one of the closed list`).toContain(condition.reason);
    expect(condition.message.length, 'a message is at most 1 KiB').toBeLessThanOrEqual(1024);
    expect(condition.observedGeneration).toBeLessThanOrEqual(generation);
  }
  expect(resource.status?.observedGeneration ?? -1).toBeLessThanOrEqual(generation);
}
