import { defined } from '../../base/defined.ts';
import type { Change } from '../../model/compare/change.ts';
import type { PlannedAction, PlannedResource } from './planned-resource.ts';

/** Resources of a plan with the same outcome: the same change of one field, or the same action if it names no field. */
export interface PlanGroup {
  readonly action: PlannedAction;
  /** The field; absent if the group concerns whole resources. */
  readonly path?: string;
  /** The old value without the part that both values share. */
  readonly from?: string;
  readonly to?: string;
  /** True if the service was changed since the last apply; false if the spec was changed. */
  readonly drift: boolean;
  /** The reason why nothing is sent. */
  readonly reason?: string;
  /** The resources in the order of the plan. */
  readonly resources: readonly PlannedResource[];
}

type Named = Omit<PlanGroup, 'resources'>;

/** Groups a plan over a fleet, the largest group first. Unchanged resources are in no group. */
export function groupsOf(resources: readonly PlannedResource[]): readonly PlanGroup[] {
  const groups = new Map<string, { readonly about: Named; readonly resources: PlannedResource[] }>();
  for (const resource of resources) {
    for (const about of happeningsTo(resource)) {
      const key = JSON.stringify(about);
      const group = groups.get(key) ?? { about, resources: [] };
      groups.set(key, group);
      group.resources.push(resource);
    }
  }
  return [...groups.values()]
    .map(({ about, resources: members }) => ({ ...about, resources: members }))
    .toSorted((a, b) => b.resources.length - a.resources.length);
}

/** Returns what a plan does to a resource. A creation or a deletion counts as one: its fields have no counterpart. */
function happeningsTo({ action, reason, changes }: PlannedResource): readonly Named[] {
  if (action === 'None' && changes.length === 0) return [];
  const about = { action, ...defined({ reason }) };
  const whole = action === 'Create' || action === 'Delete' || changes.length === 0;
  return whole ? [{ ...about, drift: false }] : changes.map((change) => ({ ...about, ...changeOf(change) }));
}

function changeOf({ path, from, to, drift }: Change): Pick<PlanGroup, 'path' | 'from' | 'to' | 'drift'> {
  const common = commonLength(from, to);
  return { path, from: from.slice(common), to: to.slice(common), drift: drift === true };
}

/**
 * Returns the length of the common beginning up to its last separator, so that an image keeps its tag and a path its
 * last part.
 */
function commonLength(from: string, to: string): number {
  let common = 0;
  for (let at = 0; at < from.length && from[at] === to[at]; at += 1) {
    if (SEPARATORS.has(from[at] ?? '')) common = at + 1;
  }
  return common;
}

const SEPARATORS: ReadonlySet<string> = new Set([':', '/', '@']);
