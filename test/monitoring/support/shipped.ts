import { parse } from 'yaml';
import { type Alert, alertGroups } from '../../../scripts/monitoring/rules.ts';
import { textOf } from '../../docs/support.ts';

/** Where the rules stand, below the project. */
export const RULES = 'manifests/monitoring/rules.yaml';

/** Every alert that we ship. */
export const ALERTS: readonly Alert[] = alertGroups(textOf(RULES)).flatMap(({ rules }) => rules);

/** A panel of the dashboard, as far as tests look at it. */
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

/** The dashboard that we ship. */
export const DASHBOARD = JSON.parse(textOf('manifests/monitoring/dashboard.json')) as {
  readonly panels: readonly ShownPanel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
};

/** Its panels, those in folded rows included, without the headings. */
export const PANELS: readonly ShownPanel[] = DASHBOARD.panels
  .flatMap((panel) => [panel, ...(panel.panels ?? [])])
  .filter(({ type }) => type !== 'row');

/** What its panels ask, with a value in the place of every variable. */
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

/** Labels of each metric that kube-state-metrics makes of our configuration. */
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
