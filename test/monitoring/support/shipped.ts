import { parse } from 'yaml';
import { type Alert, alertGroups } from '../../../scripts/monitoring/rules.ts';
import { textOf } from '../../docs/support.ts';

/** The folder of the rules, below the project. */
export const RULES = 'manifests/monitoring/rules.yaml';

/** Every shipped alert. */
export const ALERTS: readonly Alert[] = alertGroups(textOf(RULES)).flatMap(({ rules }) => rules);

/** A panel of the dashboard, limited to the fields that tests read. */
export interface ShownPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[];
  readonly panels?: readonly ShownPanel[];
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
}

/** The shipped dashboard. */
export const DASHBOARD = JSON.parse(textOf('manifests/monitoring/dashboard.json')) as {
  readonly panels: readonly ShownPanel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
};

/** Its panels, including those in folded rows, without the headings. */
export const PANELS: readonly ShownPanel[] = DASHBOARD.panels
  .flatMap((panel) => [panel, ...(panel.panels ?? [])])
  .filter(({ type }) => type !== 'row');

/** The queries of its panels, with a value in place of every variable. */
export const QUERIES: readonly string[] = PANELS.flatMap(({ targets = [] }) =>
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.+')),
);

interface StateMetric {
  readonly name: string;
  readonly labelsFromPath?: Readonly<Record<string, unknown>>;
  readonly each: Readonly<Record<string, unknown>>;
}

interface StateResource {
  readonly metricNamePrefix: string;
  readonly labelsFromPath: Readonly<Record<string, unknown>>;
  readonly metrics: readonly StateMetric[];
}

/** Returns the labels of each metric that kube-state-metrics makes from our configuration. */
export function stateMetrics(): ReadonlyMap<string, readonly string[]> {
  const { spec } = parse(textOf('manifests/monitoring/kube-state-metrics.yaml')) as {
    readonly spec: { readonly resources: readonly StateResource[] };
  };
  return new Map(
    spec.resources.flatMap(({ metricNamePrefix, labelsFromPath, metrics }) =>
      metrics.map((metric) => [
        `${metricNamePrefix}_${metric.name}`,
        [...Object.keys(labelsFromPath), ...labelsOf(metric)],
      ]),
    ),
  );
}

function labelsOf({ labelsFromPath = {}, each }: StateMetric): readonly string[] {
  const [how = {}] = Object.values(each).filter((part) => typeof part === 'object') as Partial<StateMetric>[];
  return [...Object.keys(labelsFromPath), ...Object.keys(how.labelsFromPath ?? {})];
}
