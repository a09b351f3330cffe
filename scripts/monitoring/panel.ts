/** A query for Prometheus, and the names of its lines. */
export interface Query {
  readonly expr: string;
  /** The name of a line, with {{label}} for the value of a label. */
  readonly legend: string;
}

/** A colour from a value upwards. */
export interface Step {
  readonly color: 'green' | 'orange' | 'red';
  readonly from: number;
}

/** A panel in our terms; grafana.ts translates it to those of Grafana. */
export interface Panel {
  readonly title: string;
  readonly description: string;
  /**
   * `lines` over time; `areas`, the same on top of each other; `number`, the newest value; `states`, a band of colours over
   * time; `table`, a row for each series.
   */
  readonly kind: 'lines' | 'areas' | 'number' | 'states' | 'table';
  /** A unit of Grafana, such as s or reqps. */
  readonly unit: string;
  readonly queries: readonly [Query, ...Query[]];
  /** The width in the 24 columns; default 8. */
  readonly width?: number;
  /** The values at which the colour changes; for numbers and states. */
  readonly steps?: readonly Step[];
  /** Texts for values; for numbers and states. */
  readonly words?: Readonly<Record<string, string>>;
  /** Labels that a table shows, in order, and the heads of their columns. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** Panels under one heading, which can be folded. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
  /** Folded until a person opens it. */
  readonly folded?: boolean;
}

/** Selects series of our controllers, with further matchers where given. */
export function ours(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${['job=~"$job"', 'instance=~"$instance"', ...matchers].join(', ')}}`;
}

/** Selects series of ours that belong to the chosen connections. */
export function ofConnection(metric: string, ...matchers: readonly string[]): string {
  return ours(metric, 'connection=~"$connection"', ...matchers);
}

/** Selects the metrics of kube-state-metrics about the chosen resource. */
export function ofResource(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${['namespace=~"$namespace"', 'name=~"$deployment"', ...matchers].join(', ')}}`;
}

/** Things a minute that a counter counted, by labels. */
export function perMinute(by: string, counter: string): string {
  return `60 * sum by (${by}) (rate(${counter}[$__rate_interval]))`;
}

/** Returns the quantile of a histogram, by further labels; `buckets` selects its series. */
export function quantile(share: number, buckets: string, ...by: readonly string[]): string {
  const labels = [...by, 'le'].join(', ');
  return `histogram_quantile(${share}, sum by (${labels}) (rate(${buckets}[$__rate_interval])))`;
}
