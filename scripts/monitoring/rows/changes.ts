import { ofConnection, perMinute, quantile, type Query, type Row } from '../panel.ts';

const halfAndMost = (histogram: string): readonly [Query, Query] => [
  { expr: quantile(0.5, ofConnection(`${histogram}_bucket`)), legend: 'half' },
  { expr: quantile(0.99, ofConnection(`${histogram}_bucket`)), legend: '99 of 100' },
];

/** Writes and their causes. */
export const CHANGES: Row = {
  title: 'Edits, drift and revisions',
  panels: [
    {
      title: 'Writes by cause',
      description: 'Requests that change something at the service, each for what made it necessary.',
      kind: 'areas',
      unit: 'cpm',
      queries: [{ expr: perMinute('cause', ofConnection('dms_patches_total')), legend: '{{cause}}' }],
    },
    {
      title: 'Writes that did not succeed',
      description: 'failed: refused; waiting: put off, or the answer is not clear.',
      kind: 'areas',
      unit: 'cpm',
      queries: [
        {
          expr: perMinute('connection, outcome', ofConnection('dms_patches_total', 'outcome!="applied"')),
          legend: '{{connection}} {{outcome}}',
        },
      ],
    },
    {
      title: 'Revisions by cause',
      description:
        'New revisions seen. Operator: made by a request of ours; External: by something else, such as a push.',
      kind: 'areas',
      unit: 'cpm',
      queries: [{ expr: perMinute('cause', ofConnection('dms_revisions_total')), legend: '{{cause}}' }],
    },
    {
      title: 'Drift',
      description:
        'Changes of others to managed fields. suspended: corrected three times within a day, and given up.',
      kind: 'areas',
      unit: 'cpm',
      queries: [
        {
          expr: perMinute('connection, action', ofConnection('dms_drift_total')),
          legend: '{{connection}} {{action}}',
        },
      ],
    },
    {
      title: 'From an edit to its write',
      description: 'From the first look at an edit to the end of the write that carries it.',
      kind: 'lines',
      unit: 's',
      queries: halfAndMost('dms_edit_to_patch_seconds'),
    },
    {
      title: 'From an edit to its revision',
      description: 'From the first look at an edit until the revision that it made is active.',
      kind: 'lines',
      unit: 's',
      queries: halfAndMost('dms_edit_to_active_seconds'),
    },
  ],
};
