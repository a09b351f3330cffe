import { ours, perMinute, quantile, type Row } from '../panel.ts';

/** The work queues and the passes. */
export const QUEUE: Row = {
  title: 'Queues and passes',
  panels: [
    {
      title: 'Keys that wait',
      description: 'Resources that wait to be worked on now.',
      kind: 'lines',
      unit: 'short',
      queries: [{ expr: `sum by (name) (${ours('workqueue_depth')})`, legend: '{{name}}' }],
    },
    {
      title: 'Time in the queue',
      description: 'How long 99 of 100 keys wait at most, from the moment they are due.',
      kind: 'lines',
      unit: 's',
      queries: [
        { expr: quantile(0.99, ours('workqueue_queue_duration_seconds_bucket'), 'name'), legend: '{{name}}' },
      ],
    },
    {
      title: 'Keys at work and put off',
      description: 'Worked on now, and waiting for their time: a resync, a backoff, a rollout poll.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: `sum by (name) (${ours('workqueue_running')})`, legend: '{{name}} at work' },
        { expr: `sum by (name) (${ours('workqueue_delayed')})`, legend: '{{name}} put off' },
      ],
    },
    {
      title: 'Passes by how they end',
      description: 'settled and applied are the good ones; panicked is a bug.',
      kind: 'areas',
      unit: 'cpm',
      width: 12,
      queries: [
        { expr: perMinute('kind, outcome', ours('dms_reconciles_total')), legend: '{{kind}} {{outcome}}' },
      ],
    },
    {
      title: 'How long passes take',
      description: '99 of 100 passes take no longer, waits for the rate limit included.',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [
        { expr: quantile(0.99, ours('dms_reconcile_duration_seconds_bucket'), 'kind'), legend: '{{kind}}' },
      ],
    },
    {
      title: 'Longest pass under way',
      description: 'Passes are aborted after five minutes; what goes on beyond that is stuck.',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [
        {
          expr: `max by (name) (${ours('workqueue_longest_running_processor_seconds')})`,
          legend: '{{name}}',
        },
      ],
    },
    {
      title: 'Keys that come, and come again',
      description: 'Keys that begin to wait, and those among them that go back after a failure.',
      kind: 'lines',
      unit: 'cpm',
      width: 12,
      queries: [
        { expr: perMinute('name', ours('workqueue_adds_total')), legend: '{{name}}' },
        { expr: perMinute('name', ours('workqueue_retries_total')), legend: '{{name}} again' },
      ],
    },
  ],
};
