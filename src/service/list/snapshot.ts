import { defined } from '../../base/defined.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import { SecretValue } from '../../base/secret-value.ts';
import type { KnownPage } from './pages.ts';
import { namedConfigs } from '../../model/external/named-only.ts';

/** The read side of the batched state: what one pass over the list showed. It never changes; a new one replaces it. */
export interface Snapshot {
  /** Counts passes; a higher one began after the lower one had ended. */
  readonly number: number;
  readonly beganMs: number;
  readonly endedMs: number;
  /** Calls that the pass took. */
  readonly calls: number;
  /** The pass went on until the list ended, or could not be read any further. */
  readonly complete: boolean;
  /** True if the sweep reached the end of the list and could read every item, so a missing deployment was absent. */
  readonly provesAbsence: boolean;
  /** The problems of items that could not be read, without values. */
  readonly problems: readonly string[];
  /** The items that could not be read, by known parts: `id` with the id in lower case, or `name` with the name. */
  readonly unreadable: ReadonlyMap<string, readonly UnreadableItem[]>;
  /** Deployments by id in lower case: ids are UUIDs, whose case does not matter. */
  readonly byID: ReadonlyMap<string, ObservedDeployment>;
  /** Ids, in lower case, of deployments that no resource looks for: only their id, name and tenant are kept. */
  readonly brief: ReadonlySet<string>;
  /** Other versions of a deployment that the same sweep showed, by the same id; only if they differ from `byID`. */
  readonly twins: ReadonlyMap<string, readonly ObservedDeployment[]>;
  /** Ids in lower case by exact, case-sensitive name. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  /** The offset of the list did not advance (H33). */
  readonly stuck: boolean;
  /** Its pages, by `pageKey`. */
  readonly pages: ReadonlyMap<string, KnownPage>;
}

/** Names a page by how it is asked for. */
export function pageKey(offset: number, limit: number): string {
  return `${offset}+${limit}`;
}

/** An item that the list shows and that cannot be read (R7). */
export interface UnreadableItem {
  /** The id in lower case; absent if the id cannot be read either. The same holds for the name. */
  readonly id?: string;
  readonly name?: string;
  /** The field and its expected form, without a value. */
  readonly problem: string;
}

/** Ids and names that a new snapshot shows otherwise than the one before. */
export interface SnapshotChange {
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

/** The deployments that resources look for through a connection; `all` where everything is kept. */
export type Wanted = 'all' | { readonly ids: ReadonlySet<string>; readonly names: ReadonlySet<string> };

/** True for what some resource is bound to or looks for; ids are in lower case. */
export function isWanted(wanted: Wanted, { id, name }: Pick<ObservedDeployment, 'id' | 'name'>): boolean {
  return wanted === 'all' || wanted.ids.has(id.toLowerCase()) || wanted.names.has(name);
}

/** The part of a deployment that is kept if no resource looks for it. */
export function briefly({ id, name, tenantID }: ObservedDeployment): ObservedDeployment {
  return { id, name, ...defined({ tenantID }) };
}

/** Returns the tenant of the deployments in a snapshot if they have a single one. */
export function tenantOf(snapshot: Snapshot | undefined): string | undefined {
  const tenants = new Set([...(snapshot?.byID.values() ?? [])].map(({ tenantID }) => tenantID));
  const [tenant] = tenants;
  return tenants.size === 1 ? tenant : undefined;
}

/** Names to ids, for look-ups by exact name. */
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
 * Returns the deployments that changed from one snapshot to the next. A deployment that a pass did not show
 * counts as changed even if the pass proves no absence: its resource is reconciled, and nothing is concluded.
 * A time of update that moves alone is no change. The function also compares deployments that were read alone
 * in between, since decisions rest on them.
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
    // A deployment kept in short form was of no interest, and has not changed because it is kept whole now.
    const isAsBefore = old !== undefined && showsSame(old, deployment, isBrief || before.brief.has(id));
    const isAsAlone = single === undefined || showsSame(single, deployment, isBrief);
    if (!twins || !isAsBefore || !isAsAlone) changed.push(deployment);
    if (old !== undefined && old.name !== deployment.name) changed.push(old);
  }
  for (const [id, old] of before.byID) if (!after.byID.has(id)) changed.push(old);
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

/** Items that another snapshot can read, lacks, or cannot read for another reason. */
function notIn(items: Snapshot['unreadable'], { unreadable: others }: Snapshot): readonly UnreadableItem[] {
  return [...items].flatMap(([key, those]) => (sameShown(those, others.get(key)) ? [] : those));
}

/** Items that could not be read, for look-ups by id and by name. */
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
 * Returns the old observation of a deployment if the new one shows the same; the plain text of the new one may be
 * given. So a sweep at rest keeps no new objects, and compares page by page instead of all at its end.
 */
export function oldWhereSame(
  old: ObservedDeployment | undefined,
  now: ObservedDeployment,
  text: string | undefined = plainText(now),
): ObservedDeployment {
  return old !== undefined && plainText(old) === text ? old : now;
}

/** The keys whose change matters: no times, and no keys of unknown meaning, which may be counters. */
function untimed(shown: ObservedDeployment): Omit<ObservedDeployment, 'updatedTime'> {
  const { updatedTime: _, ...deployment } = shown;
  return { ...deployment, ...namedConfigs(shown) };
}

/** True when two looks at a deployment show the same, secret values included. */
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
