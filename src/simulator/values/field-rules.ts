import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import { isWireObject } from './wire-values.ts';

/** Returns the value at a path of keys, or undefined. */
export function valueAt(object: WireObject, path: readonly string[]): WireJson | undefined {
  let current: WireJson | undefined = object;
  for (const key of path) {
    if (!isWireObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

/**
 * Returns the object with another value at a path; undefined removes the value. Creates missing objects on the path.
 */
export function withValueAt(
  object: WireObject,
  path: readonly string[],
  value: WireJson | undefined,
): WireObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  const members = new Map(Object.entries(object));
  const child = members.get(key);
  if (value === undefined && rest.length > 0 && !isWireObject(child)) return object;
  const next = rest.length === 0 ? value : withValueAt(isWireObject(child) ? child : {}, rest, value);
  if (next === undefined) members.delete(key);
  else members.set(key, next);
  return Object.fromEntries(members);
}

/** Splits a path such as `source_config.repo_url` into parts. Parts may be quoted in brackets: `labels["a.b/c"]`. */
export function pathParts(path: string): readonly string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[\]]+/g)].map(([whole, quoted]) => quoted ?? whole);
}

/**
 * Returns a value that differs from the sent one, and is the same every time: for services that never show what they
 * received.
 */
export function contraryTo(value: WireJson): WireJson {
  if (typeof value === 'string') return `${value}-other`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return value;
}
