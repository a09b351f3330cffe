import { type AlertCase, constant, OPERATOR, resources } from './alert-case.ts';
import { byReason } from './by-reason.ts';

/** The cases of the group dms-operator-deployments. */
export const DEPLOYMENT_CASES: readonly AlertCase[] = [
  {
    alert: 'DmsFleetDegraded',
    fires: {
      series: {
        ...constant(5, resources('Deployment', 'ConnectionNotReady', 'Unknown')),
        ...constant(5, resources('Deployment', 'Active', 'True')),
      },
      atMinute: 31,
      labels: OPERATOR,
      summary: '50% of the deployments are not ready.',
    },
    quiet: [
      // Half of them, but few in number.
      {
        series: {
          ...constant(2, resources('Deployment', 'NotFound')),
          ...constant(2, resources('Deployment', 'Active', 'True')),
        },
        atMinute: 60,
      },
      {
        series: {
          ...constant(5, resources('Deployment', 'NotFound')),
          ...constant(95, resources('Deployment', 'Active', 'True')),
        },
        atMinute: 60,
      },
    ],
  },
  byReason({
    alert: 'DmsTenantChanged',
    reason: 'TenantChanged',
    ready: 'Unknown',
    atMinute: 2,
    labels: { kind: 'Deployment' },
    summary: '2 Deployment(s) show another tenant than when they were bound.',
    other: 'ConnectionChanged',
  }),
  byReason({
    alert: 'DmsRevisionBudgetExhausted',
    reason: 'RevisionBudgetExhausted',
    atMinute: 6,
    summary: '2 deployment(s) used up their revisions for this hour.',
    other: 'NotConverging',
  }),
  byReason({
    alert: 'DmsSemanticsMismatch',
    reason: 'SemanticsMismatch',
    atMinute: 6,
    summary: '2 deployment(s) cannot be changed without a loss.',
    other: 'SourceMismatch',
  }),
  byReason({
    alert: 'DmsCorrectionStopped',
    reason: 'DriftCorrectionSuspended',
    atMinute: 6,
    labels: { reason: 'DriftCorrectionSuspended' },
    summary: '2 deployment(s) do not keep the values that are sent: DriftCorrectionSuspended.',
    other: 'DriftReported',
  }),
  byReason({
    alert: 'DmsRolloutFailed',
    reason: 'DeadlineExceeded',
    atMinute: 2,
    summary: 'The newest revision of 2 deployment(s) does not become active.',
    other: 'RolloutInProgress',
  }),
  byReason({
    alert: 'DmsDeploymentStalled',
    reason: 'Rejected',
    atMinute: 61,
    labels: { reason: 'Rejected' },
    summary: '2 deployment(s) wait for a person: Rejected.',
    other: 'RolloutInProgress',
  }),
  byReason({
    alert: 'DmsWriteUnclear',
    reason: 'OutcomeUnknown',
    ready: 'Unknown',
    atMinute: 16,
    labels: { reason: 'OutcomeUnknown' },
    summary: 'The outcome of the last write of 2 deployment(s) is not known: OutcomeUnknown.',
    other: 'Sent',
  }),
];
