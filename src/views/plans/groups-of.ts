import { defined } from '../../base/defined.ts';
import type { Change } from '../../model/compare/change.ts';
import type { PlannedAction, PlannedResource } from './planned-resource.ts';

/**
 * Resources of a plan to which the same happens: the same change of one field, or the same action where no field is
 * named.
 */
export interface PlanGroup {
  readonly action: PlannedAction;
  /** The field; absent for what concerns the resource as a whole. */
  readonly path?: string;
  /** The difference between the value before and after, without the part that both have in common. */
  readonly from?: string;
  readonly to?: string;
  /** The service was changed since the last apply; otherwise the spec was. */
  readonly drift: boolean;
  /** Why nothing is sent. */
  readonly reason?: string;
  /** The resources in the order of the plan. */
  readonly resources: readonly PlannedResource[];
}

type Named = Omit<PlanGroup, 'resources'>;

/** Sums up a plan over a fleet, the largest group first. Unchanged resources are in no group. */
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

/** Creations and deletions are one thing each: fields of what begins or ends compare with nothing. */
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

/** Up to the last separator that both texts have in the same place: an image keeps its tag, a path its last part. */
function commonLength(from: string, to: string): number {
  let common = 0;
  for (let at = 0; at < from.length && from[at] === to[at]; at += 1) {
    if (SEPARATORS.has(from[at] ?? '')) common = at + 1;
  }
  return common;
}

const SEPARATORS: ReadonlySet<string> = new Set([':', '/', '@']);
