import { describe, expect, it } from 'vitest';
import { MetricsRegistry } from '../../src/telemetry/metrics-registry.ts';

const CONNECTION = 'Connection/team/default';
const KEY = { kind: 'Deployment', namespace: 'team', name: 'one' };

/** Series and their values as they are exposed. */
async function series(registry: MetricsRegistry): Promise<Map<string, number>> {
  const text = await registry.expose();
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

function registryAt(clock = { now: () => 0 }): MetricsRegistry {
  return new MetricsRegistry(clock);
}

describe('at the start', () => {
  it('what can be foreseen is zero', async () => {
    const registry = registryAt();
    registry.queue('deployments', () => ({
      waiting: 0,
      delayed: 0,
      running: 0,
      unfinishedSeconds: 0,
      longestRunningSeconds: 0,
    }));
    const shown = await series(registry);
    for (const name of [
      'dms_reconciles_total{kind="Deployment",outcome="settled"}',
      'dms_reconciles_total{kind="ClusterConnection",outcome="panicked"}',
      'dms_reconcile_duration_seconds_count{kind="Connection"}',
      'workqueue_adds_total{name="deployments"}',
      'workqueue_retries_total{name="deployments"}',
      'workqueue_depth{name="deployments"}',
      'workqueue_work_duration_seconds_count{name="deployments"}',
    ]) {
      expect([name, shown.get(name)]).toEqual([name, 0]);
    }
  });
});

describe('a connection', () => {
  it('has all its series from the moment it is first seen', async () => {
    const registry = registryAt();
    registry.connectionSeen(CONNECTION, () => ({
      ...{ waiting: 2, gateClosed: true },
      ...{ snapshotAgeSeconds: 7, pollIntervalSeconds: 60, unreadableItems: 3 },
    }));
    const shown = await series(registry);
    const of = (name: string, rest = ''): number | undefined =>
      shown.get(`${name}{connection="${CONNECTION}"${rest}}`);
    expect(of('dms_patches_total', ',cause="drift",outcome="applied"')).toBe(0);
    expect(of('dms_revisions_total', ',cause="External"')).toBe(0);
    expect(of('dms_drift_total', ',action="suspended"')).toBe(0);
    expect(of('dms_list_passes_total', ',result="failed"')).toBe(0);
    expect(of('dms_service_queue_wait_seconds_count')).toBe(0);
    expect(of('dms_edit_to_patch_seconds_count')).toBe(0);
    expect(of('dms_edit_to_active_seconds_count')).toBe(0);
    expect(of('dms_service_queue_depth')).toBe(2);
    expect(of('dms_service_gate_closed')).toBe(1);
    expect(of('dms_snapshot_age_seconds')).toBe(7);
    expect(of('dms_poll_interval_seconds')).toBe(60);
    expect(of('dms_list_unreadable_items')).toBe(3);
  });

  it('shows its state as it is whenever it is asked, and nothing of its list where there is nothing to say', async () => {
    const registry = registryAt();
    let waiting = 1;
    registry.connectionSeen(CONNECTION, () => ({ waiting, gateClosed: false }));
    waiting = 5;
    const shown = await series(registry);
    expect(shown.get(`dms_service_queue_depth{connection="${CONNECTION}"}`)).toBe(5);
    for (const name of ['dms_snapshot_age_seconds', 'dms_poll_interval_seconds', 'dms_list_unreadable_items'])
      expect([name, shown.has(`${name}{connection="${CONNECTION}"}`)]).toEqual([name, false]);
  });

  it('has calls that went well and those that alerts look for at zero', async () => {
    const registry = registryAt();
    registry.connectionSeen(CONNECTION, () => ({ waiting: 0, gateClosed: false }));
    const shown = await series(registry);
    const of = (name: string, rest: string): number | undefined =>
      shown.get(`${name}{connection="${CONNECTION}"${rest}}`);
    expect(of('dms_service_requests_total', ',operation="patch",code="200"')).toBe(0);
    expect(of('dms_service_requests_total', ',operation="list",code="Timeout"')).toBe(0);
    expect(of('dms_service_requests_total', ',operation="delete",code="503"')).toBe(0);
    expect(of('dms_service_request_duration_seconds_count', ',operation="create",code="201"')).toBe(0);
  });

  it('makes no series of status codes that nobody knows', async () => {
    const registry = registryAt();
    registry.connectionSeen(CONNECTION, () => ({ waiting: 0, gateClosed: false }));
    for (let code = 430; code < 500; code += 1)
      registry.exchanged(CONNECTION, { operation: 'list', code: `${code}`, seconds: 1 });
    const text = await registry.expose();
    const codes = new Set(
      [...text.matchAll(/operation="list",code="(4\d\d|4xx)"/g)].map((match) => match[1]),
    );
    expect(codes).toEqual(new Set(['429', '431', '451', '4xx']));
  });

  it('stays gone when what began before ends after', async () => {
    const registry = registryAt();
    registry.connectionSeen(CONNECTION, () => ({ waiting: 0, gateClosed: false }));
    registry.connectionGone(CONNECTION);
    registry.exchanged(CONNECTION, { operation: 'patch', code: '200', seconds: 0.2 });
    registry.patched(CONNECTION, 'spec', 'applied');
    registry.swept(CONNECTION, 'failed');
    registry.drifted(CONNECTION, 'corrected');
    registry.permitted(CONNECTION, 1);
    registry.revised(CONNECTION, 'Operator');
    registry.editSent(CONNECTION, 1);
    registry.editActive(CONNECTION, 1);
    expect(await registry.expose()).not.toContain(CONNECTION);
  });

  it('takes every one of its series along when it goes', async () => {
    const registry = registryAt();
    registry.connectionSeen(CONNECTION, () => ({ waiting: 0, gateClosed: false, snapshotAgeSeconds: 1 }));
    registry.exchanged(CONNECTION, { operation: 'patch', code: '200', seconds: 0.2 });
    registry.exchanged(CONNECTION, { operation: 'patch', code: '429', seconds: 0.1 });
    registry.patched(CONNECTION, 'unforeseen', 'also unforeseen');
    registry.permitted(CONNECTION, 1);
    registry.connectionGone(CONNECTION);
    expect(await registry.expose()).not.toContain(CONNECTION);
  });

  it('counts what is reported', async () => {
    const registry = registryAt();
    registry.connectionSeen(CONNECTION, () => ({ waiting: 0, gateClosed: false }));
    registry.exchanged(CONNECTION, { operation: 'list', code: '200', seconds: 0.02 });
    registry.exchanged(CONNECTION, { operation: 'list', code: '200', seconds: 3 });
    registry.patched(CONNECTION, 'spec', 'applied');
    registry.drifted(CONNECTION, 'corrected');
    registry.revised(CONNECTION, 'Operator');
    registry.permitted(CONNECTION, 0.3);
    registry.editSent(CONNECTION, 2);
    registry.editActive(CONNECTION, 200);
    registry.reconciled('Deployment', 'applied', 0.4);
    const shown = await series(registry);
    const of = (name: string, rest = ''): number | undefined =>
      shown.get(`${name}{connection="${CONNECTION}"${rest}}`);
    expect(of('dms_service_requests_total', ',operation="list",code="200"')).toBe(2);
    expect(of('dms_service_request_duration_seconds_sum', ',operation="list",code="200"')).toBeCloseTo(3.02);
    expect(of('dms_patches_total', ',cause="spec",outcome="applied"')).toBe(1);
    expect(of('dms_drift_total', ',action="corrected"')).toBe(1);
    expect(of('dms_revisions_total', ',cause="Operator"')).toBe(1);
    expect(of('dms_service_queue_wait_seconds_count')).toBe(1);
    expect(of('dms_edit_to_patch_seconds_sum')).toBe(2);
    expect(of('dms_edit_to_active_seconds_sum')).toBe(200);
    expect(shown.get('dms_reconciles_total{kind="Deployment",outcome="applied"}')).toBe(1);
    expect(shown.get('dms_reconcile_duration_seconds_sum{kind="Deployment"}')).toBe(0.4);
  });
});

describe('resources', () => {
  it('are counted by what they show now, without their names', async () => {
    const registry = registryAt();
    const other = { ...KEY, name: 'other' };
    registry.resourceShown(KEY, 'Unknown', 'Pending');
    registry.resourceShown(other, 'True', 'Active');
    registry.resourceShown(KEY, 'True', 'Active');
    registry.resourceShown(KEY, 'True', 'Active');
    const active = 'dms_resources{kind="Deployment",ready="True",reason="Active"}';
    expect((await series(registry)).get(active)).toBe(2);
    expect(
      (await series(registry)).get('dms_resources{kind="Deployment",ready="Unknown",reason="Pending"}'),
    ).toBe(0);
    registry.resourceGone(KEY);
    registry.resourceGone(KEY);
    expect((await series(registry)).get(active)).toBe(1);
    expect(await registry.expose()).not.toContain('other');
  });
});

describe('the word of a status', () => {
  it('is a label only where it is one of ours', async () => {
    const registry = registryAt();
    registry.resourceShown(KEY, 'Perhaps', `written by hand at ${Date.now()}`);
    const shown = await series(registry);
    expect(shown.get('dms_resources{kind="Deployment",ready="Unknown",reason="Other"}')).toBe(1);
  });
});

describe('a queue and the cluster', () => {
  it('show themselves under the names that dashboards know', async () => {
    const registry = registryAt();
    const reporter = registry.queue('deployments', () => ({
      waiting: 3,
      delayed: 4,
      running: 2,
      unfinishedSeconds: 9,
      longestRunningSeconds: 8,
    }));
    reporter.added();
    reporter.started(0.5);
    reporter.finished(1.5);
    reporter.retried();
    const shown = await series(registry);
    const of = (name: string): number | undefined => shown.get(`${name}{name="deployments"}`);
    expect(of('workqueue_depth')).toBe(3);
    expect(of('workqueue_unfinished_work_seconds')).toBe(9);
    expect(of('workqueue_longest_running_processor_seconds')).toBe(8);
    expect(of('workqueue_adds_total')).toBe(1);
    expect(of('workqueue_retries_total')).toBe(1);
    expect(of('workqueue_queue_duration_seconds_sum')).toBe(0.5);
    expect(of('workqueue_work_duration_seconds_sum')).toBe(1.5);
  });

  it('tell requests, relists, lost events and silence of watches', async () => {
    let nowMs = 1_000;
    const registry = registryAt({ now: () => nowMs });
    registry.cluster.requested({ method: 'GET', code: '200', host: 'api:6443' }, 0.05);
    registry.cluster.heard('Deployment', 'team-a', nowMs);
    registry.cluster.heard('Deployment', 'team-b', nowMs);
    nowMs = 31_000;
    registry.cluster.heard('Deployment', 'team-b', nowMs);
    let shown = await series(registry);
    expect(shown.get('rest_client_requests_total{code="200",method="GET",host="api:6443"}')).toBe(1);
    expect(shown.get('rest_client_request_duration_seconds_count{verb="GET",host="api:6443"}')).toBe(1);
    expect(shown.get('dms_reflector_last_event_age_seconds{kind="Deployment"}')).toBe(30);
    expect(shown.get('dms_reflector_missed_total{kind="Deployment"}')).toBe(0);
    expect(shown.get('dms_reflector_relists_total{kind="Deployment"}')).toBe(0);
    registry.cluster.relisted('Deployment');
    registry.cluster.missed('Deployment', 3);
    shown = await series(registry);
    expect(shown.get('dms_reflector_missed_total{kind="Deployment"}')).toBe(3);
    expect(shown.get('dms_reflector_relists_total{kind="Deployment"}')).toBe(1);
  });
});
