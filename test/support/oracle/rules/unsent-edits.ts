import type { WireJson } from '../../../../src/wire/wire-json.ts';
import type { Facts } from '../facts.ts';
import type { Finding } from '../finding.ts';
import { alike, isEmpty, leavesOfBody, leavesOfSpec } from '../leaves.ts';
import { SETTLED_MS } from './liveness.ts';

const RULE = 'an edit is sent before later changes by others are only reported';

/** Finds resources that end with reported drift in a value that no accepted request has carried since the edit. */
export function unsentEdits(facts: Facts): readonly Finding[] {
  return facts.resourceKeys.flatMap((key): readonly Finding[] => {
    const object = facts.versionsOf(key).at(-1)?.object;
    const synced = object?.status?.conditions?.find(({ type }) => type === 'Synced');
    const id = object?.status?.deploymentID;
    if (object === undefined || id === undefined || synced?.reason !== 'DriftReported') return [];
    const unsent = [...leavesOfSpec(object)].filter(
      ([path, value]) => !isEmpty(value) && !wasThere(facts, { key, id }, [path, value]),
    );
    return unsent.map(([path]) => ({
      rule: RULE,
      atMs: facts.chronicle.endMs,
      text: `${key} ends as DriftReported, and no accepted request has carried ${path} since its edit`,
    }));
  });
}

/**
 * True if the service had a declared value at some time since the edit that declared it, or if a lagging list showed it
 * then, or if the service accepted it in a request.
 */
function wasThere(
  facts: Facts,
  { key, id }: { readonly key: string; readonly id: string },
  [path, value]: readonly [string, WireJson],
): boolean {
  const sinceMs = declaredMs(facts, key, [path, value]);
  if (facts.chronicle.endMs - Math.max(sinceMs, ...facts.troublesMs) < SETTLED_MS) return true;
  const changes = facts.leafChanges(id, path);
  const before = changes.findLast(({ atMs }) => atMs <= sinceMs)?.after ?? changes[0]?.before;
  if (changes.length === 0 || alike(before, value)) return true;
  if (changes.some(({ atMs, after }) => atMs > sinceMs && alike(after, value))) return true;
  const looks = facts.looksAt(id).filter(({ via, beganMs }) => via === 'list' && beganMs >= sinceMs);
  if (looks.some(({ leaves }) => alike(leaves.get(path), value))) return true;
  return facts.exchanges.some(
    ({ operation, body, status, beganMs, ...request }) =>
      operation === 'patch' &&
      request.id === id &&
      beganMs >= sinceMs &&
      status !== undefined &&
      status < 300 &&
      alike(leavesOfBody(body).get(path), value),
  );
}

/** Returns the time since which a resource has declared a value without a break. */
function declaredMs(facts: Facts, key: string, [path, value]: readonly [string, WireJson]): number {
  const versions = facts.versionsOf(key);
  const other = versions.findLastIndex(
    ({ object }) => object === undefined || !alike(leavesOfSpec(object).get(path), value),
  );
  return versions[other + 1]?.atMs ?? 0;
}
