import { ours, type Row } from '../panel.ts';

const DEPLOYMENTS = 'kind="Deployment"';
const total = `sum(${ours('dms_resources', DEPLOYMENTS)})`;
const notReady = `sum(${ours('dms_resources', DEPLOYMENTS, 'ready!="True"')})`;
const unusable = `sum(${ours('dms_resources', 'kind!="Deployment"', 'ready="False"', 'reason!="Suspended"')})`;

const notUsable = (kind: string): string =>
  `kube_dms_${kind}_condition_timestamp_seconds{type="Ready", status!="True", reason!="Suspended"}`;

/** The state of all resources. */
export const FLEET: Row = {
  title: 'Fleet',
  panels: [
    {
      title: 'Deployments',
      description: 'Deployment resources that the controller works on.',
      kind: 'number',
      unit: 'short',
      width: 4,
      queries: [{ expr: total, legend: 'deployments' }],
    },
    {
      title: 'Ready',
      description: 'Share of the deployments whose Ready condition is True.',
      kind: 'number',
      unit: 'percentunit',
      width: 4,
      queries: [
        { expr: `sum(${ours('dms_resources', DEPLOYMENTS, 'ready="True"')}) / ${total}`, legend: 'ready' },
      ],
      steps: [
        { color: 'red', from: 0 },
        { color: 'orange', from: 0.8 },
        { color: 'green', from: 0.95 },
      ],
    },
    {
      title: 'Not ready',
      description: 'Deployments whose Ready condition is False or Unknown; the reasons stand below.',
      kind: 'number',
      unit: 'short',
      width: 4,
      queries: [{ expr: `${notReady} or vector(0)`, legend: 'not ready' }],
      steps: [
        { color: 'green', from: 0 },
        { color: 'orange', from: 1 },
      ],
    },
    {
      title: 'Unusable connections',
      description:
        'Connections and ClusterConnections that cannot be used and are not suspended. Their deployments wait.',
      kind: 'number',
      unit: 'short',
      width: 4,
      queries: [{ expr: `${unusable} or vector(0)`, legend: 'unusable' }],
      steps: [
        { color: 'green', from: 0 },
        { color: 'red', from: 1 },
      ],
    },
    {
      title: 'Leaders',
      description:
        'Processes that hold a Lease. One for each Lease is right: one in all, or one for each shard.',
      kind: 'number',
      unit: 'short',
      width: 8,
      queries: [{ expr: `sum by (name) (${ours('leader_election_master_status')})`, legend: '{{name}}' }],
      steps: [
        { color: 'red', from: 0 },
        { color: 'green', from: 1 },
        { color: 'red', from: 2 },
      ],
    },
    {
      title: 'Deployments by reason',
      description: 'Reason of the Ready condition. docs/conditions.md says what each means and what to do.',
      kind: 'areas',
      unit: 'short',
      width: 12,
      queries: [
        { expr: `sum by (reason) (${ours('dms_resources', DEPLOYMENTS)}) > 0`, legend: '{{reason}}' },
      ],
    },
    {
      title: 'Connections by reason',
      description: 'Reason of the Ready condition of Connections and ClusterConnections; Ok is the good one.',
      kind: 'areas',
      unit: 'short',
      width: 12,
      queries: [
        {
          expr: `sum by (kind, reason) (${ours('dms_resources', 'kind!="Deployment"')}) > 0`,
          legend: '{{kind}} {{reason}}',
        },
      ],
    },
    {
      title: 'Waiting for a person',
      description: 'Deployments with the condition Stalled, and for how long. Needs kube-state-metrics.',
      kind: 'table',
      unit: 's',
      width: 12,
      queries: [
        {
          expr: 'time() - kube_dms_deployment_condition_timestamp_seconds{namespace=~"$namespace", type="Stalled"}',
          legend: '',
        },
      ],
      columns: { namespace: 'Namespace', name: 'Deployment', reason: 'Reason', Value: 'For' },
    },
    {
      title: 'Connections that cannot be used',
      description: 'Connections and ClusterConnections, and for how long. Needs kube-state-metrics.',
      kind: 'table',
      unit: 's',
      width: 12,
      queries: [
        {
          expr: `time() - (${notUsable('connection')} or ${notUsable('clusterconnection')})`,
          legend: '',
        },
      ],
      columns: {
        customresource_kind: 'Kind',
        namespace: 'Namespace',
        name: 'Name',
        reason: 'Reason',
        Value: 'For',
      },
    },
  ],
};
