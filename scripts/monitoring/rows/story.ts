import { ofResource, type Panel, type Row } from '../panel.ts';

const CONDITION = 'kube_dms_deployment_condition_timestamp_seconds';

/** 1 while a condition is True, 0 while it is False, -1 while it is Unknown. */
function statusOf(type: string): string {
  const since = (status: string): string => ofResource(CONDITION, `type="${type}"`, `status="${status}"`);
  return `max by (type) (${since('True')} > bool 0 or ${since('False')} * 0 or ${since('Unknown')} * 0 - 1)`;
}

const table = (
  about: Pick<Panel, 'title' | 'description' | 'columns'>,
  metric: string,
  width: number,
): Panel => ({
  ...about,
  kind: 'table',
  unit: 's',
  width,
  queries: [{ expr: ofResource(metric), legend: '' }],
});

const age = (metric: string): string => `time() - ${ofResource(metric)}`;

/** The history of one resource. */
export const STORY: Row = {
  title: 'The story of one deployment: $namespace/$deployment (needs kube-state-metrics)',
  folded: true,
  panels: [
    table(
      {
        title: 'What it is bound to',
        description: 'Connection, id and name at the service, source, and the state that the service shows.',
        columns: {
          connection_kind: 'Kind',
          connection: 'Connection',
          deployment: 'Name there',
          deployment_id: 'Id',
          source: 'Source',
          service_status: 'State',
        },
      },
      'kube_dms_deployment_info',
      16,
    ),
    table(
      {
        title: 'Revisions',
        description: 'Newest and active revision. That they differ means that one is on its way, or failed.',
        columns: { latest: 'Newest', active: 'Active' },
      },
      'kube_dms_deployment_revision_info',
      8,
    ),
    {
      title: 'Conditions',
      description: 'Ready: it serves what is asked for; Synced: the service shows the spec.',
      kind: 'states',
      unit: 'short',
      width: 12,
      queries: [
        { expr: statusOf('Ready'), legend: 'Ready' },
        { expr: statusOf('Synced'), legend: 'Synced' },
      ],
      steps: [
        { color: 'orange', from: -1 },
        { color: 'red', from: 0 },
        { color: 'green', from: 1 },
      ],
      words: { '-1': 'Unknown', 0: 'False', 1: 'True' },
    },
    {
      title: 'Why',
      description: 'The reason of Synced over time. docs/conditions.md says what to do about each.',
      kind: 'states',
      unit: 'short',
      width: 12,
      queries: [
        { expr: `count by (reason) (${ofResource(CONDITION, 'type="Synced"')})`, legend: '{{reason}}' },
      ],
      words: { 1: ' ' },
    },
    {
      title: 'Generations',
      description: 'The newest edit, and the newest one that the controller has taken up.',
      kind: 'lines',
      unit: 'short',
      width: 6,
      queries: [
        { expr: ofResource('kube_dms_deployment_generation'), legend: 'edited' },
        { expr: ofResource('kube_dms_deployment_observed_generation'), legend: 'taken up' },
      ],
    },
    {
      title: 'Open write',
      description:
        'How long ago a write was announced that is not verified yet; nothing while there is none.',
      kind: 'lines',
      unit: 's',
      width: 6,
      queries: [
        { expr: age('kube_dms_deployment_pending_write_timestamp_seconds'), legend: '{{operation}}' },
      ],
    },
    {
      title: 'Newest write',
      description: 'How long ago the newest change was sent, and what became of it.',
      kind: 'lines',
      unit: 's',
      width: 6,
      queries: [{ expr: age('kube_dms_deployment_last_patch_timestamp_seconds'), legend: '{{outcome}}' }],
    },
    {
      title: 'Newest revision',
      description: 'How long ago it was first seen, and whether a request of ours made it.',
      kind: 'lines',
      unit: 's',
      width: 6,
      queries: [{ expr: age('kube_dms_deployment_newest_revision_timestamp_seconds'), legend: '{{cause}}' }],
    },
  ],
};
