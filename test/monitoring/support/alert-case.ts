/** Series with their values from minute to minute in promtool notation, such as `0x10` or `0 1 2`. */
export type Series = Readonly<Record<string, string>>;

/** A moment of an invented history, in minutes after its beginning. */
export interface Moment {
  readonly series: Series;
  readonly atMinute: number;
}

/** A moment at which an alert fires, and its texts. */
export interface Firing extends Moment {
  /** Labels in addition to alertname and severity. */
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** A history in which an alert fires, and a similar history in which it does not. */
export interface AlertCase {
  readonly alert: string;
  readonly fires: Firing;
  /** Histories for other causes. */
  readonly alsoFires?: readonly Firing[];
  /** The healthy history is always the first. These are the near cases. */
  readonly quiet: readonly Moment[];
}

/** The labels that Prometheus adds to every series of a controller, and the name of one replica. */
export const TARGET = 'job="dms-operator",namespace="dms-operator",instance="a:8080"';

/** The labels that remain if rules sum over instances. */
export const OPERATOR = { namespace: 'dms-operator' };

/** Returns a history of one gauge with one value. */
export function constant(value: number, ...names: readonly string[]): Series {
  return Object.fromEntries(names.map((name) => [name, `${value}x1600`]));
}

/** Returns a series of resources of a kind with a reason. */
export function resources(kind: string, reason: string, ready = 'False'): string {
  return `dms_resources{${TARGET},kind="${kind}",ready="${ready}",reason="${reason}"}`;
}

/** Returns a fact about deployment team-a/agent, as kube-state-metrics exports it. */
export function ofAgent(metric: string, labels = ''): string {
  return `kube_dms_deployment_${metric}{job="kube-state-metrics",namespace="team-a",name="agent"${labels === '' ? '' : `,${labels}`}}`;
}

/** Returns a condition of deployment team-a/agent. */
export function condition(type: string, status: string, reason: string): string {
  return ofAgent('condition_timestamp_seconds', `type="${type}",status="${status}",reason="${reason}"`);
}

/** Returns a fact about a workload in the namespace of the controller, as kube-state-metrics exports it. */
export function ofPods(metric: string, labels: string): string {
  return `kube_${metric}{job="kube-state-metrics",namespace="dms-operator",${labels}}`;
}
