import { ofConnection, perMinute, quantile, type Row } from '../panel.ts';

/** The way to the service: limiter, requests, sweeps. */
export const SERVICE: Row = {
  title: 'The service and its rate limit',
  panels: [
    {
      title: 'Calls that wait for the rate limit',
      description: 'Calls that have no permit yet. Edits go first.',
      kind: 'lines',
      unit: 'short',
      queries: [
        {
          expr: `max by (connection) (${ofConnection('dms_service_queue_depth')})`,
          legend: '{{connection}}',
        },
      ],
    },
    {
      title: 'Wait for the rate limit',
      description:
        'How long 99 of 100 calls wait at most. Above a minute, spec.rateLimit is too low for the work.',
      kind: 'lines',
      unit: 's',
      queries: [
        {
          expr: quantile(0.99, ofConnection('dms_service_queue_wait_seconds_bucket'), 'connection'),
          legend: '{{connection}}',
        },
      ],
    },
    {
      title: 'Pauses that the service asks for',
      description: 'Red while the service has answered 429 and its Retry-After has not passed.',
      kind: 'states',
      unit: 'short',
      queries: [
        {
          expr: `max by (connection) (${ofConnection('dms_service_gate_closed')})`,
          legend: '{{connection}}',
        },
      ],
      steps: [
        { color: 'green', from: 0 },
        { color: 'red', from: 1 },
      ],
      words: { 0: 'open', 1: 'paused' },
    },
    {
      title: 'Requests by answer',
      description: 'Status code, or the reason where there was no answer.',
      kind: 'areas',
      unit: 'reqps',
      width: 12,
      queries: [
        {
          expr: `sum by (code) (rate(${ofConnection('dms_service_requests_total')}[$__rate_interval]))`,
          legend: '{{code}}',
        },
      ],
    },
    {
      title: 'How long requests take',
      description: '99 of 100 requests take no longer, by what is asked.',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [
        {
          expr: quantile(0.99, ofConnection('dms_service_request_duration_seconds_bucket'), 'operation'),
          legend: '{{operation}}',
        },
      ],
    },
    {
      title: 'Age of what is known',
      description: 'Time since the list was last read to its end. Drift is seen no sooner.',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [
        {
          expr: `max by (connection) (${ofConnection('dms_snapshot_age_seconds')})`,
          legend: '{{connection}}',
        },
      ],
    },
    {
      title: 'Sweeps',
      description: 'Passes over the list of deployments: complete, partial or failed.',
      kind: 'areas',
      unit: 'cpm',
      width: 12,
      queries: [{ expr: perMinute('result', ofConnection('dms_list_passes_total')), legend: '{{result}}' }],
    },
  ],
};
