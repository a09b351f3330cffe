import { matchesPattern } from '../../model/decide/binding.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';

/** Selects deployments by the values that the service shows. An absent member selects all. */
export interface DeploymentFilter {
  /** Exact names, or patterns with `*` for any text. */
  readonly name?: readonly string[] | undefined;
  /** Ids in upper or lower case. */
  readonly id?: readonly string[] | undefined;
  readonly source?: string | undefined;
  readonly status?: string | undefined;
  readonly imageVersion?: string | undefined;
}

/** The deployments that a filter selected. */
export interface Chosen {
  readonly deployments: readonly ObservedDeployment[];
  /** The names and ids that no deployment has. */
  readonly unmatched: readonly string[];
  /**
   * The number of deployments that were left out only because the service does not show a value of the filter, by the
   * name of the value.
   */
  readonly notShown: ReadonlyMap<string, number>;
}

/** Filters by one value that the service may not show (2.3: the sample of the list lacks some). */
const BY_VALUE = [
  ['source', ({ source }: ObservedDeployment) => source],
  ['status', ({ serviceStatus }: ObservedDeployment) => serviceStatus],
  ['imageVersion', ({ imageVersion }: ObservedDeployment) => imageVersion ?? undefined],
] as const;

/**
 * Returns the deployments that match a filter. Every condition must hold; if a condition has several names or ids, one
 * of them must match. The filters of the service itself (4.3) only save work, since their names are not documented.
 */
export function chosenBy(filter: DeploymentFilter, deployments: readonly ObservedDeployment[]): Chosen {
  const ids = (filter.id ?? []).map((id) => id.toLowerCase());
  const names = filter.name ?? [];
  const isNamed = ({ id, name }: ObservedDeployment): boolean =>
    (ids.length === 0 && names.length === 0) ||
    ids.includes(id.toLowerCase()) ||
    names.some((pattern) => matchesPattern(name, pattern));
  const notShown = new Map<string, number>();
  let chosen = deployments.filter(isNamed);
  for (const [name, valueOf] of BY_VALUE) {
    const wanted = filter[name];
    if (wanted === undefined) continue;
    const unknown = chosen.filter((deployment) => valueOf(deployment) === undefined).length;
    if (unknown > 0) notShown.set(name, unknown);
    chosen = chosen.filter((deployment) => valueOf(deployment) === wanted);
  }
  return { deployments: chosen, unmatched: unmatchedIn(filter, deployments), notShown };
}

function unmatchedIn(
  { id: ids = [], name: patterns = [] }: DeploymentFilter,
  deployments: readonly ObservedDeployment[],
): readonly string[] {
  const known = new Set(deployments.map(({ id }) => id.toLowerCase()));
  return [
    ...ids.filter((id) => !known.has(id.toLowerCase())),
    ...patterns.filter((pattern) => !deployments.some(({ name }) => matchesPattern(name, pattern))),
  ];
}
