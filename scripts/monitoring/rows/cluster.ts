import { ours, perMinute, quantile, type Row } from '../panel.ts';

/** The watches, the API server and the processes themselves. */
export const CLUSTER: Row = {
  title: 'Watches, API server, processes',
  panels: [
    {
      title: 'Silence of the watches',
      description:
        'Time since the quietest watch of a kind said something. A bookmark comes every minute or two.',
      kind: 'lines',
      unit: 's',
      queries: [{ expr: ours('dms_reflector_last_event_age_seconds'), legend: '{{instance}} {{kind}}' }],
    },
    {
      title: 'Full lists',
      description: 'Lists of a kind beyond the first one; each means that a watch could not go on.',
      kind: 'areas',
      unit: 'cpm',
      queries: [{ expr: perMinute('kind', ours('dms_reflector_relists_total')), legend: '{{kind}}' }],
    },
    {
      title: 'Changes that watches did not tell',
      description:
        'Found by a list instead. Anything but none is an error of something between us and the API server.',
      kind: 'areas',
      unit: 'cpm',
      queries: [{ expr: perMinute('kind', ours('dms_reflector_missed_total')), legend: '{{kind}}' }],
    },
    {
      title: 'Requests to the API server',
      description: 'By answer; <error> where none came.',
      kind: 'areas',
      unit: 'reqps',
      queries: [
        {
          expr: `sum by (method, code) (rate(${ours('rest_client_requests_total')}[$__rate_interval]))`,
          legend: '{{method}} {{code}}',
        },
      ],
    },
    {
      title: 'How long the API server takes',
      description: '99 of 100 answers begin no later.',
      kind: 'lines',
      unit: 's',
      queries: [
        {
          expr: quantile(0.99, ours('rest_client_request_duration_seconds_bucket'), 'verb'),
          legend: '{{verb}}',
        },
      ],
    },
    {
      title: 'Delay of the event loop',
      description:
        '99 of 100 turns come no later. Half a second for minutes means that a process has too much to do.',
      kind: 'lines',
      unit: 's',
      queries: [{ expr: ours('nodejs_eventloop_lag_p99_seconds'), legend: '{{instance}}' }],
    },
    {
      title: 'Memory',
      description: 'Resident memory of the processes; the installation limits it to 512 MiB.',
      kind: 'lines',
      unit: 'bytes',
      queries: [{ expr: ours('process_resident_memory_bytes'), legend: '{{instance}}' }],
    },
    {
      title: 'Processor',
      description: 'Processor time used, as a share of one core.',
      kind: 'lines',
      unit: 'percentunit',
      queries: [
        {
          expr: `rate(${ours('process_cpu_seconds_total')}[$__rate_interval])`,
          legend: '{{instance}}',
        },
      ],
    },
    {
      title: 'Time since the start',
      description: 'A line that falls to zero is a process that was started again.',
      kind: 'lines',
      unit: 's',
      queries: [{ expr: `time() - ${ours('process_start_time_seconds')}`, legend: '{{instance}}' }],
    },
  ],
};
