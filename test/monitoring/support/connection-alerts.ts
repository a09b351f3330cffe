import { type AlertCase, constant, OPERATOR, resources, type Series, TARGET } from './alert-case.ts';
import { byReason } from './by-reason.ts';

const connection = 'Connection/team-a/default';
const of = (metric: string, more = ''): string => `${metric}{${TARGET},connection="${connection}"${more}}`;
/** The seconds since the last read of the list, and the expected interval. */
const swept = (age: string, interval: string): Series => ({
  [of('dms_snapshot_age_seconds')]: age,
  [of('dms_poll_interval_seconds')]: interval,
});
const waits = (bound: string): string => of('dms_service_queue_wait_seconds_bucket', `,le="${bound}"`);

/** The cases of the group dms-operator-connections. */
export const CONNECTION_CASES: readonly AlertCase[] = [
  byReason({
    alert: 'DmsCredentialRefused',
    kind: 'Connection',
    reason: 'AuthFailed',
    atMinute: 6,
    labels: { kind: 'Connection', reason: 'AuthFailed' },
    summary: 'The service refuses the credential of 2 Connection(s) with AuthFailed.',
    // A reason of Deployments, too.
    other: 'Forbidden',
  }),
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
  byReason({
    alert: 'DmsMassAbsence',
    kind: 'Connection',
    reason: 'MassAbsence',
    atMinute: 2,
    labels: { kind: 'Connection' },
    summary: 'Most bound deployments of 2 Connection(s) are missing at once.',
    other: 'NotFound',
  }),
  {
    alert: 'DmsSnapshotOld',
    fires: {
      series: swept('0+60x60', '60x60'),
      atMinute: 40,
      labels: { ...OPERATOR, connection },
      summary: `The list behind ${connection} was read to its end 40m 0s ago.`,
    },
    alsoFires: [
      {
        series: swept('262800x60', '86400x60'),
        atMinute: 6,
        labels: { ...OPERATOR, connection },
        summary: `The list behind ${connection} was read to its end 3d 1h 0m 0s ago.`,
      },
    ],
    quiet: [
      { series: swept('0+60x20 0+60x20', '60x60'), atMinute: 40 },
      // The interval is set to once a day.
      { series: swept('172800x60', '86400x60'), atMinute: 60 },
      // Suspended just before the alert would fire.
      { series: swept('0+60x29 _x60', '60x29 _x60'), atMinute: 60 },
    ],
  },
  {
    alert: 'DmsItemsUnreadable',
    fires: {
      series: constant(1, of('dms_list_unreadable_items')),
      atMinute: 31,
      labels: { ...OPERATOR, connection },
      summary: `1 deployment(s) in the list behind ${connection} cannot be read.`,
    },
    quiet: [{ series: { [of('dms_list_unreadable_items')]: '1x19 0 1x19' }, atMinute: 39 }],
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
      summary: `The service made ${connection} pause for 50% of half an hour.`,
    },
    quiet: [{ series: { [of('dms_service_gate_closed')]: '0x9 1 0x30' }, atMinute: 30 }],
  },
];
