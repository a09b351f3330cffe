import { expect } from 'vitest';
import { ROLLOUT_REASONS, SYNCED_REASONS } from '../../../src/api/condition.ts';
import type { DeploymentResource, DeploymentStatus } from '../../../src/api/deployment.ts';

type Conditions = readonly Pick<
  NonNullable<DeploymentStatus['conditions']>[number],
  'type' | 'status' | 'lastTransitionTime'
>[];

const REASONS: ReadonlySet<string> = new Set([...SYNCED_REASONS, ...ROLLOUT_REASONS]);

/** Checks the promises of every status: the kstatus contract and our own. */
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

/** R2: checks that a transition time changes exactly when the status changes, to a time of the pass that changed it. */
export function expectTimesByStatus(
  before: Conditions | undefined,
  after: Conditions | undefined,
  pass: { readonly fromMs: number; readonly toMs: number },
): void {
  for (const { type, status, lastTransitionTime } of after ?? []) {
    const old = before?.find((condition) => condition.type === type);
    const what = `the time of ${type}, ${old?.status} before and ${status} now`;
    if (old?.status === status) expect(lastTransitionTime, what).toBe(old.lastTransitionTime);
    else {
      expect(Date.parse(lastTransitionTime), what).toBeGreaterThanOrEqual(pass.fromMs);
      expect(Date.parse(lastTransitionTime), what).toBeLessThanOrEqual(pass.toMs);
    }
  }
}

/**
 * R1: checks all statuses of one resource, oldest first. `Ready=True` never has a generation before a pass found that
 * the service shows its spec, or the part of it that may be sent.
 */
export function expectReadyDeserved(statuses: readonly DeploymentStatus[]): void {
  const carriedOut = new Set<number | undefined>();
  for (const { conditions = [], applied } of statuses) {
    const [ready, synced] = ['Ready', 'Synced'].map((type) => conditions.find((c) => c.type === type));
    if (synced?.status === 'True') carriedOut.add(synced.observedGeneration);
    if (synced?.reason === 'DriftReported') carriedOut.add(applied?.generation);
    if (ready?.status === 'True')
      expect(carriedOut, `Ready of generation ${ready.observedGeneration}`).toContain(
        ready.observedGeneration,
      );
  }
}
