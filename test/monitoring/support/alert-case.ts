/** Series with the values that promtool gives them from minute to minute, such as `0x10` or `0 1 2`. */
export type Series = Readonly<Record<string, string>>;

/** A moment of a made-up history, minutes after its beginning. */
export interface Moment {
  readonly series: Series;
  readonly atMinute: number;
}

/** A moment at which an alert fires, and what it says. */
export interface Firing extends Moment {
  /** Besides alertname and severity. */
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** When an alert fires, and a history close to it in which it does not. */
export interface AlertCase {
  readonly alert: string;
  readonly fires: Firing;
  /** For other causes. */
  readonly alsoFires?: readonly Firing[];
  /** The first is always the history in which all is well; these are the near ones. */
  readonly quiet: readonly Moment[];
}

/** What Prometheus adds to every series of a controller, and what one replica is called. */
export const TARGET = 'job="dms-operator",namespace="dms-operator",instance="a:8080"';

/** Labels that remain where rules sum over instances. */
export const OPERATOR = { namespace: 'dms-operator' };

/** A history of one gauge with one value. */
export function constant(value: number, ...names: readonly string[]): Series {
  return Object.fromEntries(names.map((name) => [name, `${value}x1600`]));
}

/** Resources of a kind that show a reason. */
export function resources(kind: string, reason: string, ready = 'False'): string {
  return `dms_resources{${TARGET},kind="${kind}",ready="${ready}",reason="${reason}"}`;
}

/** A fact about deployment team-a/agent, as kube-state-metrics tells it. */
export function ofAgent(metric: string, labels = ''): string {
  return `kube_dms_deployment_${metric}{job="kube-state-metrics",namespace="team-a",name="agent"${labels === '' ? '' : `,${labels}`}}`;
}

/** A condition of deployment team-a/agent. */
export function condition(type: string, status: string, reason: string): string {
  return ofAgent('condition_timestamp_seconds', `type="${type}",status="${status}",reason="${reason}"`);
}

/** A fact about what runs in the namespace of the controller, as kube-state-metrics tells it. */
export function ofPods(metric: string, labels: string): string {
  return `kube_${metric}{job="kube-state-metrics",namespace="dms-operator",${labels}}`;
}
