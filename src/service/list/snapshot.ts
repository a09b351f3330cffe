import { defined } from '../../base/defined.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import { SecretValue } from '../../base/secret-value.ts';
import type { KnownPage } from './pages.ts';
import { namedConfigs } from '../../model/external/named-only.ts';

/** The result of one pass over the list. It never changes; a new one replaces it. */
export interface Snapshot {
  /** The number of the pass; a pass with a higher number began after one with a lower number had ended. */
  readonly number: number;
  readonly beganMs: number;
  readonly endedMs: number;
  /** The number of calls that the pass took. */
  readonly calls: number;
  /** True if the pass continued until the list ended, or could not be read any further. */
  readonly complete: boolean;
  /** True if the pass reached the end of the list and could read every item, so a missing deployment was absent. */
  readonly provesAbsence: boolean;
  /** The problems of items that could not be read; the texts contain no values. */
  readonly problems: readonly string[];
  /**
   * The items that could not be read, by the parts that are known: `id` with the id in lower case, or `name` with the
   * name.
   */
  readonly unreadable: ReadonlyMap<string, readonly UnreadableItem[]>;
  /** Deployments by id in lower case: ids are UUIDs, whose case does not matter. */
  readonly byID: ReadonlyMap<string, ObservedDeployment>;
  /**
   * Ids, in lower case, of deployments that no resource looks for; the snapshot keeps only their id, name and tenant.
   */
  readonly brief: ReadonlySet<string>;
  /** Other versions of a deployment that the same sweep showed, by the same id; only if they differ from `byID`. */
  readonly twins: ReadonlyMap<string, readonly ObservedDeployment[]>;
  /** Ids in lower case by exact, case-sensitive name. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  /** True if the offset of the list did not advance (H33). */
  readonly stuck: boolean;
  /** The pages of the pass, by `pageKey`. */
  readonly pages: ReadonlyMap<string, KnownPage>;
}

/** Names a page by its request. */
export function pageKey(offset: number, limit: number): string {
  return `${offset}+${limit}`;
}

/** An item of the list that cannot be read (R7). */
export interface UnreadableItem {
  /** The id in lower case; absent if the id cannot be read either. The same holds for the name. */
  readonly id?: string;
  readonly name?: string;
  /** The field and its expected form; the text contains no value. */
  readonly problem: string;
}

/** Ids and names that a new snapshot shows differently than the one before. */
export interface SnapshotChange {
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

/** The deployments that resources look for through a connection; `all` if everything is kept. */
export type Wanted = 'all' | { readonly ids: ReadonlySet<string>; readonly names: ReadonlySet<string> };

/** True if some resource is bound to the deployment or looks for it; ids are in lower case. */
export function isWanted(wanted: Wanted, { id, name }: Pick<ObservedDeployment, 'id' | 'name'>): boolean {
  return wanted === 'all' || wanted.ids.has(id.toLowerCase()) || wanted.names.has(name);
}

/** Returns the part of a deployment that is kept if no resource looks for it. */
export function briefly({ id, name, tenantID }: ObservedDeployment): ObservedDeployment {
  return { id, name, ...defined({ tenantID }) };
}

/** Returns the tenant of the deployments in a snapshot if they have a single one. */
export function tenantOf(snapshot: Snapshot | undefined): string | undefined {
  const tenants = new Set([...(snapshot?.byID.values() ?? [])].map(({ tenantID }) => tenantID));
  const [tenant] = tenants;
  return tenants.size === 1 ? tenant : undefined;
}

/** Returns an index from names to ids, for look-ups by exact name. */
export function indexByName(
  byID: ReadonlyMap<string, ObservedDeployment>,
): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const [id, { name }] of byID) {
    const ids = index.get(name);
    if (ids === undefined) index.set(name, [id]);
    else ids.push(id);
  }
  return index;
}

/**
 * Returns the deployments that changed from one snapshot to the next. A deployment that a pass did not show counts as
 * changed even if the pass proves no absence: a pass over its resource follows, and concludes nothing from it. A change
 * of the update time alone does not count. The function also compares deployments that were read alone in between,
 * since decisions rest on them; neither pass may show such a deployment.
 */
export function changesBetween(
  before: Snapshot | undefined,
  after: Snapshot,
  alone: ReadonlyMap<string, ObservedDeployment> = new Map(),
): SnapshotChange {
  if (before === undefined) return { ids: [], names: [] };
  const changed: ObservedDeployment[] = [];
  for (const [id, deployment] of after.byID) {
    const old = before.byID.get(id);
    const twins = sameTwins(before.twins.get(id), after.twins.get(id));
    const single = alone.get(id);
    if (old === deployment && twins && single === undefined) continue;
    const isBrief = after.brief.has(id);
    // No resource looked for a deployment in short form, and it has not changed because it is kept whole now.
    const isAsBefore = old !== undefined && showsSame(old, deployment, isBrief || before.brief.has(id));
    const isAsAlone = single === undefined || showsSame(single, deployment, isBrief);
    if (!twins || !isAsBefore || !isAsAlone) changed.push(deployment);
    if (old !== undefined && old.name !== deployment.name) changed.push(old);
  }
  for (const [id, old] of before.byID) if (!after.byID.has(id)) changed.push(old);
  for (const [id, single] of alone) if (!after.byID.has(id) && !before.byID.has(id)) changed.push(single);
  const told: readonly Pick<UnreadableItem, 'id' | 'name'>[] = [
    ...changed,
    ...notIn(before.unreadable, after),
    ...notIn(after.unreadable, before),
  ];
  return {
    ids: [...new Set(told.flatMap(({ id }) => id ?? []))],
    names: [...new Set(told.flatMap(({ name }) => name ?? []))],
  };
}

function showsSame(a: ObservedDeployment, b: ObservedDeployment, brief: boolean): boolean {
  const compared = brief ? briefly : untimed;
  return sameShown(compared(a), compared(b));
}

/** Returns the items that another snapshot can read, lacks, or cannot read for another reason. */
function notIn(items: Snapshot['unreadable'], { unreadable: others }: Snapshot): readonly UnreadableItem[] {
  return [...items].flatMap(([key, those]) => (sameShown(those, others.get(key)) ? [] : those));
}

/** Returns an index of the items that could not be read, for look-ups by id and by name. */
export function indexUnreadable(items: readonly UnreadableItem[]): Snapshot['unreadable'] {
  const index = new Map<string, UnreadableItem[]>();
  for (const item of items) {
    const { id, name } = item;
    const keys = [id === undefined ? [] : `id ${id}`, name === undefined ? [] : `name ${name}`].flat();
    for (const key of keys) {
      const known = index.get(key);
      if (known === undefined) index.set(key, [item]);
      else known.push(item);
    }
  }
  return index;
}

/**
 * Returns, for people, why a sweep proves no absence; undefined if it does, or if it did not reach the end of the
 * list.
 */
export function inconclusive({ stuck, problems }: Snapshot): string | undefined {
  if (stuck) return 'the offset of the list does not advance; see spec.list.parameters of the connection';
  return problems.length === 0 ? undefined : 'an item of the list cannot be read';
}

function sameTwins(
  before: readonly ObservedDeployment[] = [],
  after: readonly ObservedDeployment[] = [],
): boolean {
  const both = before.length + after.length > 0;
  return !both || sameShown(before.map(untimed), after.map(untimed));
}

/**
 * Returns the old observation of a deployment if the new one shows the same; the caller may pass the plain text of the
 * new one. So a sweep at rest keeps no new objects, and compares page by page instead of everything at its end.
 */
export function oldWhereSame(
  old: ObservedDeployment | undefined,
  now: ObservedDeployment,
  text: string | undefined = plainText(now),
): ObservedDeployment {
  return old !== undefined && plainText(old) === text ? old : now;
}

/** Drops the keys whose change does not matter: times, and keys of unknown meaning, which may be counters. */
function untimed(shown: ObservedDeployment): Omit<ObservedDeployment, 'updatedTime'> {
  const { updatedTime: _, ...deployment } = shown;
  return { ...deployment, ...namedConfigs(shown) };
}

/** True if two looks at a deployment show the same, including secret values. */
export function sameShown(a: unknown, b: unknown): boolean {
  return plainText(a) === plainText(b);
}

/**
 * Returns a text for comparison in memory only: unlike everything that leaves the process, it contains secret values.
 */
export function plainText(value: unknown): string | undefined {
  return JSON.stringify(
    value,
    function reveal(this: Readonly<Record<string, unknown>>, key: string, shown: unknown) {
      const original = this[key];
      return original instanceof SecretValue ? original.reveal() : shown;
    },
  );
}
