import { type AlertCase, constant, OPERATOR, resources, TARGET } from './alert-case.ts';

const connection = 'Connection/team-a/default';
const of = (metric: string, more = ''): string => `${metric}{${TARGET},connection="${connection}"${more}}`;
const waits = (bound: string): string => of('dms_service_queue_wait_seconds_bucket', `,le="${bound}"`);

/** Cases of the group dms-operator-connections. */
export const CONNECTION_CASES: readonly AlertCase[] = [
  {
    alert: 'DmsCredentialRefused',
    fires: {
      series: constant(1, resources('Connection', 'AuthFailed')),
      atMinute: 6,
      labels: { ...OPERATOR, kind: 'Connection', reason: 'AuthFailed' },
      summary: 'The service refuses the credential of 1 Connection(s) with AuthFailed.',
    },
    // Forbidden is a reason of Deployments, too.
    quiet: [{ series: constant(1, resources('Deployment', 'Forbidden')), atMinute: 9 }],
  },
  {
    alert: 'DmsConnectionUnusable',
    fires: {
      series: constant(1, resources('ClusterConnection', 'Unreachable')),
      atMinute: 16,
      labels: { ...OPERATOR, kind: 'ClusterConnection', reason: 'Unreachable' },
      summary: '1 ClusterConnection(s) cannot be used: Unreachable.',
    },
    quiet: [
      { series: constant(1, resources('Connection', 'Suspended')), atMinute: 30 },
      { series: { [resources('Connection', 'Timeout')]: '1x9 0 1x9' }, atMinute: 19 },
    ],
  },
  {
    alert: 'DmsMassAbsence',
    fires: {
      series: constant(1, resources('Connection', 'MassAbsence')),
      atMinute: 2,
      labels: { ...OPERATOR, kind: 'Connection' },
      summary: 'Most bound deployments of 1 Connection(s) are missing at once.',
    },
    quiet: [{ series: constant(2, resources('Deployment', 'NotFound')), atMinute: 9 }],
  },
  {
    alert: 'DmsSnapshotOld',
    fires: {
      series: { [of('dms_snapshot_age_seconds')]: '0+60x60' },
      atMinute: 40,
      labels: { ...OPERATOR, connection },
      summary: `The list behind ${connection} was read to its end 40m 0s ago.`,
    },
    quiet: [{ series: { [of('dms_snapshot_age_seconds')]: '0+60x20 0+60x20' }, atMinute: 40 }],
  },
  {
    alert: 'DmsRateLimitSaturated',
    fires: {
      series: { [waits('60')]: '0x60', [waits('300')]: '0+10x60', [waits('+Inf')]: '0+10x60' },
      atMinute: 30,
      labels: { ...OPERATOR, connection },
      summary: `Calls through ${connection} wait 4m 57s for the rate limit.`,
    },
    quiet: [{ series: { [waits('30')]: '0+10x60', [waits('+Inf')]: '0+10x60' }, atMinute: 30 }],
  },
  {
    alert: 'DmsServiceAsksForPauses',
    fires: {
      series: { [of('dms_service_gate_closed')]: '0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1' },
      atMinute: 19,
      labels: { ...OPERATOR, connection },
      summary: `The service had ${connection} pause for 50% of half an hour.`,
    },
    quiet: [{ series: { [of('dms_service_gate_closed')]: '0x9 1 0x30' }, atMinute: 30 }],
  },
];
