/** A metric in the selection of an expression. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** The prefixes of all metrics that our queries may use. */
const METRIC = /\b(?:kube|dms|workqueue|rest_client|leader_election|process|nodejs)_\w+|\bup\b/;
const SELECTOR = new RegExp(`(?<metric>${METRIC.source})(?:\\{(?<matchers>[^}]*)\\})?`, 'g');

/** Returns the metrics that an expression selects. */
export function selectorsIn(expr: string): readonly Selector[] {
  return [...expr.matchAll(SELECTOR)].map(({ groups = {} }) => ({
    metric: (groups['metric'] ?? '').replace(/_(?:bucket|sum|count)$/, ''),
    labels: [...(groups['matchers'] ?? '').matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(
      ([, label = '']) => label,
    ),
  }));
}

/** Returns the labels by which an expression sums, counts or joins. */
export function groupedBy(expr: string): readonly string[] {
  const lists = [...expr.matchAll(/\b(?:by|on)\s*\((?<labels>[^)]*)\)/g)];
  return lists.flatMap(({ groups = {} }) => (groups['labels'] ?? '').split(',').map((label) => label.trim()));
}

/** Returns the labels that an expression creates with label_replace. */
export function replacedIn(expr: string): readonly { readonly made: string; readonly of: string }[] {
  if (!expr.includes('label_replace(')) return [];
  const calls = expr.matchAll(/"(?<made>\w+)",\s*"[^"]*",\s*"(?<of>\w+)",\s*"[^"]*"\s*\)/g);
  return [...calls].map(({ groups = {} }) => ({ made: groups['made'] ?? '', of: groups['of'] ?? '' }));
}
