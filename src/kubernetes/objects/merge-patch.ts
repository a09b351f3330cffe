import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

/** The content type of a patch from `mergePatch` (RFC 7386). */
export const MERGE_PATCH = 'application/merge-patch+json';

/** JSON, or a value that becomes JSON when it is sent: members may be undefined, which means absent. */
type Part = Json | undefined;

type Changing = { [key: string]: Json };

/**
 * Returns the smallest JSON merge patch that turns `before` into `after`, or undefined if nothing differs. A removed
 * key becomes null; lists are sent whole. Such a patch cannot express a null inside an object, so null means absent.
 * Most passes change nothing: the function does not look into parts that both sides share, and copies nothing before
 * something differs.
 */
export function mergePatch(before: object | undefined, after: object): JsonObject | undefined {
  return differences((before ?? {}) as JsonObject, after as JsonObject);
}

function differences(before: JsonObject, after: JsonObject): JsonObject | undefined {
  let patch: Changing | undefined;
  const set = (name: string, change: Json): void => {
    (patch ??= {})[name] = change;
  };
  for (const name of Object.keys(before)) {
    if (isAbsent(after[name]) && !isAbsent(before[name])) set(name, null);
  }
  for (const name of Object.keys(after)) {
    const [old, value]: readonly Part[] = [before[name], after[name]];
    if (value === undefined || value === null || value === old) continue;
    const change = isJsonObject(old) && isJsonObject(value) ? differences(old, value) : replaced(old, value);
    if (change !== undefined) set(name, change);
  }
  return patch;
}

function isAbsent(value: Part): boolean {
  return value === undefined || value === null;
}

function replaced(before: Part, after: Json): Json | undefined {
  return isSame(before, after) ? undefined : asSent(after);
}

/** True for two parts that produce the same JSON. In a list, undefined is sent as null. */
function isSame(a: Part, b: Part): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return (
      a.length === b.length && a.every((item: Part, at) => isSame(item ?? null, (b[at] as Part) ?? null))
    );
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a).filter((name) => a[name] !== undefined);
  const others = Object.keys(b).filter((name) => b[name] !== undefined);
  return names.length === others.length && names.every((name) => isSame(a[name], b[name]));
}

/**
 * Removes null members from a new object, since null would only remove something that does not exist. Lists stay
 * unchanged.
 */
function asSent(value: Json): Json {
  if (!isJsonObject(value)) return JSON.parse(JSON.stringify(value)) as Json;
  const kept = Object.entries(value).filter(([, part]) => !isAbsent(part));
  return Object.fromEntries(kept.map(([name, part]) => [name, asSent(part)]));
}
