import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../base/json.ts';

/** Content type of what `mergePatch` makes (RFC 7386). */
export const MERGE_PATCH = 'application/merge-patch+json';

type Changing = { [key: string]: JsonObject[string] };

/**
 * The smallest JSON merge patch that turns `before` into `after`, or undefined where nothing differs. A key that is
 * gone becomes null; lists go whole. Such a patch cannot express a null inside an object, which means absent.
 */
export function mergePatch(before: object | undefined, after: object): JsonObject | undefined {
  return differences(asJson(before ?? {}), asJson(after));
}

/** Returns a value as JSON keeps it: plain data without undefined. */
function asJson(value: object): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(value));
  return isJsonObject(json) ? json : {};
}

function differences(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: Changing = {};
  for (const name of Object.keys(before)) {
    if (isAbsent(after[name]) && !isAbsent(before[name])) patch[name] = null;
  }
  for (const [name, value] of Object.entries(after)) {
    if (isAbsent(value)) continue;
    const old = before[name];
    const change = isJsonObject(old) && isJsonObject(value) ? differences(old, value) : replaced(old, value);
    if (change !== undefined) patch[name] = change;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isAbsent(value: JsonObject[string] | undefined): boolean {
  return value === undefined || value === null;
}

function replaced(
  before: JsonObject[string] | undefined,
  after: JsonObject[string],
): JsonObject[string] | undefined {
  return isDeepStrictEqual(before, after) ? undefined : withoutNulls(after);
}

/** A new object is sent as it will be kept: null would only say to remove what is not there. Lists stay as they are. */
function withoutNulls(value: JsonObject[string]): JsonObject[string] {
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutNulls(part)]));
}
