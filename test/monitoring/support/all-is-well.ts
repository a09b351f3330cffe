import { condition, constant, ofAgent, ofPods, resources, type Series, TARGET } from './alert-case.ts';

const OF_DEFAULT = `${TARGET},connection="Connection/team-a/default"`;

/** A healthy day, with every series that alerts read. No alert fires at any time. */
export const ALL_IS_WELL: Series = {
  ...constant(
    1,
    `up{${TARGET}}`,
    `leader_election_master_status{${TARGET},name="dms-operator"}`,
    resources('Connection', 'Ok', 'True'),
    resources('Deployment', 'RolloutInProgress'),
  ),
  ...constant(
    0,
    `leader_election_master_status{${TARGET.replace('a:8080', 'b:8080')},name="dms-operator"}`,
    `process_start_time_seconds{${TARGET}}`,
    `dms_reconciles_total{${TARGET},kind="Deployment",outcome="panicked"}`,
    `workqueue_longest_running_processor_seconds{${TARGET},name="deployments"}`,
    `dms_reflector_missed_total{${TARGET},kind="Deployment"}`,
    `dms_service_gate_closed{${OF_DEFAULT}}`,
    `dms_list_unreadable_items{${OF_DEFAULT}}`,
    ofPods('pod_container_status_restarts_total', 'pod="dms-operator-1",container="controller"'),
  ),
  ...constant(
    2,
    ofPods('deployment_spec_replicas', 'deployment="dms-operator"'),
    ofPods('deployment_status_replicas_available', 'deployment="dms-operator"'),
  ),
  ...constant(60, `dms_reflector_last_event_age_seconds{${TARGET},kind="Connection"}`),
  ...constant(60, `dms_snapshot_age_seconds{${OF_DEFAULT}}`, `dms_poll_interval_seconds{${OF_DEFAULT}}`),
  ...constant(50, resources('Deployment', 'Active', 'True')),
  [`rest_client_requests_total{${TARGET},method="PATCH",host="10.0.0.1",code="200"}`]: '0+60x1600',
  [`workqueue_queue_duration_seconds_bucket{${TARGET},name="deployments",le="1"}`]: '0+60x1600',
  [`workqueue_queue_duration_seconds_bucket{${TARGET},name="deployments",le="+Inf"}`]: '0+60x1600',
  [`dms_service_queue_wait_seconds_bucket{${OF_DEFAULT},le="1"}`]: '0+60x1600',
  [`dms_service_queue_wait_seconds_bucket{${OF_DEFAULT},le="+Inf"}`]: '0+60x1600',
  ...constant(4, ofAgent('generation'), ofAgent('observed_generation')),
  ...constant(0, ofAgent('applied_timestamp_seconds', 'key="v1:k"')),
  ...constant(0, condition('Ready', 'True', 'Active'), condition('Synced', 'True', 'InSync')),
};

/** The same day for installations beside that of `TARGET`: in another cluster, and in another namespace. */
export const OTHERS_ARE_WELL: Series = Object.fromEntries(
  Object.entries(ALL_IS_WELL).flatMap(([series, values]) => [
    [series.replace('{', '{cluster="west",'), values],
    [series.replaceAll(/namespace="[^"]*"/g, 'namespace="elsewhere"'), values],
  ]),
);
