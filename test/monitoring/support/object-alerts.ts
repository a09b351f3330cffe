import { type AlertCase, condition, constant, type Firing, ofAgent, type Series } from './alert-case.ts';

const AGENT = { namespace: 'team-a', name: 'agent' };
const FROM_STATE = { ...AGENT, job: 'kube-state-metrics' };
const pending = ofAgent('pending_write_timestamp_seconds', 'operation="Patch"');
const deletion = ofAgent('deletion_timestamp_seconds');
const applied = (key: string, instance: string): string =>
  ofAgent('applied_timestamp_seconds', `key="${key}",instance="${instance}"`);

/** The newest edit, and the processed generation. */
const generations = (newest: number, observed: number): Series => ({
  ...constant(newest, ofAgent('generation')),
  ...constant(observed, ofAgent('observed_generation')),
});

/** A condition without a change since the beginning, and the labels of an alert about it. */
const sinceTheBeginning = (
  type: string,
  status: string,
  reason: string,
): Pick<Firing, 'series' | 'labels'> => ({
  series: constant(0, condition(type, status, reason)),
  labels: { ...FROM_STATE, type, status, reason },
});

/** The cases of the group dms-operator-objects. Times are seconds since the beginning. */
export const OBJECT_CASES: readonly AlertCase[] = [
  {
    alert: 'DmsWritePending',
    fires: {
      series: constant(60, pending, condition('Synced', 'Unknown', 'ConnectionNotReady')),
      atMinute: 22,
      labels: { ...FROM_STATE, operation: 'Patch' },
      summary: 'A write of team-a/agent was announced 21m 0s ago and is still open.',
    },
    quiet: [
      { series: constant(60, pending, condition('Synced', 'Unknown', 'OutcomeUnknown')), atMinute: 60 },
      { series: { [pending]: '60x5 _x60' }, atMinute: 30 },
    ],
  },
  {
    alert: 'DmsStatusBehind',
    fires: {
      series: generations(3, 2),
      atMinute: 16,
      labels: AGENT,
      summary: 'No controller has handled the newest edit of team-a/agent.',
    },
    quiet: [
      { series: generations(3, 3), atMinute: 60 },
      {
        series: { ...generations(3, 2), ...constant(60, condition('Synced', 'Unknown', 'Paused')) },
        atMinute: 60,
      },
    ],
  },
  {
    alert: 'DmsFinalizerStuck',
    fires: {
      series: constant(0, deletion),
      atMinute: 70,
      labels: FROM_STATE,
      summary: 'team-a/agent has been in deletion for 1h 10m 0s.',
    },
    quiet: [{ series: constant(0, deletion), atMinute: 60 }],
  },
  {
    alert: 'DmsDigestKeyChanged',
    fires: {
      series: {
        [applied('v2:old:uid-1.mark-1', 'a')]: '0x9 _x90',
        [applied('v2:new:uid-1.mark-2', 'a')]: '_x9 600x90',
      },
      atMinute: 60,
      labels: { namespace: 'team-a' },
      summary: 'The digests of 1 deployment(s) in team-a were made with another key within six hours.',
    },
    quiet: [
      // kube-state-metrics itself was restarted.
      {
        series: {
          [applied('v2:old:uid-1.mark-1', 'a')]: '0x9 _x90',
          [applied('v2:old:uid-1.mark-1', 'b')]: '_x9 600x90',
        },
        atMinute: 60,
      },
      // An upgrade from 0.1.0: the same key, whose digests are bound to the resource from now on.
      {
        series: {
          [applied('v1:old', 'a')]: '0x9 _x90',
          [applied('v2:old:uid-1.mark-1', 'a')]: '_x9 600x90',
        },
        atMinute: 60,
      },
      // The resource was deleted and created again under its name.
      {
        series: {
          [applied('v2:old:uid-1.mark-1', 'a')]: '0x9 _x90',
          [applied('v2:old:uid-2.mark-2', 'a')]: '_x9 600x90',
        },
        atMinute: 60,
      },
    ],
  },
  {
    alert: 'DmsDeploymentWaiting',
    fires: {
      ...sinceTheBeginning('Ready', 'False', 'SecretMissing'),
      atMinute: 130,
      summary: 'team-a/agent has not been ready for 2h 10m 0s: SecretMissing.',
    },
    quiet: [
      { ...sinceTheBeginning('Ready', 'False', 'SecretMissing'), atMinute: 100 },
      { ...sinceTheBeginning('Ready', 'True', 'Active'), atMinute: 300 },
      // It has not been ready for long, and the reason changed. The time changes only with the status.
      {
        series: {
          [condition('Ready', 'False', 'Rejected')]: '0x200 _x200',
          [condition('Ready', 'False', 'SecretMissing')]: '_x200 0x200',
        },
        atMinute: 310,
      },
    ],
  },
  {
    alert: 'DmsApprovalWaiting',
    fires: {
      ...sinceTheBeginning('Synced', 'False', 'AwaitingApproval'),
      atMinute: 1450,
      summary: 'A plan for team-a/agent has waited for approval for more than a day.',
    },
    quiet: [
      { ...sinceTheBeginning('Synced', 'False', 'AwaitingApproval'), atMinute: 1400 },
      {
        series: {
          [condition('Synced', 'False', 'DriftReported')]: '0x1400 _x200',
          [condition('Synced', 'False', 'AwaitingApproval')]: '_x1400 0x200',
        },
        atMinute: 1500,
      },
    ],
  },
];
