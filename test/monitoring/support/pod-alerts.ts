import { type AlertCase, constant, OPERATOR, ofPods } from './alert-case.ts';

const wanted = (deployment: string): string =>
  ofPods('deployment_spec_replicas', `deployment="${deployment}"`);
const available = (deployment: string): string =>
  ofPods('deployment_status_replicas_available', `deployment="${deployment}"`);
const restarts = (pod: string): string =>
  ofPods('pod_container_status_restarts_total', `pod="${pod}",container="controller"`);

/** The cases of the group dms-operator-pods. */
export const POD_CASES: readonly AlertCase[] = [
  {
    alert: 'DmsReplicaMissing',
    fires: {
      series: {
        ...constant(2, wanted('agents-dms-operator')),
        ...constant(1, available('agents-dms-operator')),
      },
      atMinute: 11,
      labels: { ...OPERATOR, deployment: 'agents-dms-operator' },
      summary: 'The workload dms-operator/agents-dms-operator has fewer than 2 replicas.',
    },
    quiet: [
      {
        series: { ...constant(2, wanted('dms-operator')), [available('dms-operator')]: '2 1x8 2x9' },
        atMinute: 12,
      },
      { series: { ...constant(2, wanted('coredns')), ...constant(1, available('coredns')) }, atMinute: 30 },
    ],
  },
  {
    alert: 'DmsContainerRestarted',
    fires: {
      series: { [restarts('dms-operator-1')]: '0x9 1x9 2x90' },
      atMinute: 60,
      labels: { ...OPERATOR, pod: 'dms-operator-1' },
      summary: 'The container of dms-operator/dms-operator-1 was restarted 2 times in an hour.',
    },
    quiet: [
      { series: { [restarts('dms-operator-1')]: '4x9 5x90' }, atMinute: 65 },
      { series: { [restarts('ingress-nginx-1')]: '0+1x90' }, atMinute: 65 },
    ],
  },
];
