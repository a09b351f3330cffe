import type { Shape } from './fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

/** True for a value that counts as nothing: null, absent, or an empty list or object. An empty text does not count. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** True for equal values. A value that is not shown equals an empty one. */
export function alike(a: Json | undefined, b: Json | undefined): boolean {
  return isEmpty(a) ? isEmpty(b) : stableText(a ?? null) === stableText(b ?? null);
}

/** The stable text of an object whose members are all null. */
const NOTHING_BUT_NULLS = '{}';

/** Returns the same text for all values that mean the same under a shape; '' for nothing. */
export function canonicalText(value: Json | undefined, shape: Shape): string {
  if (isEmpty(value)) return '';
  const text = stableText(canonical(value as Json, shape));
  return text === NOTHING_BUT_NULLS ? '' : text;
}

/**
 * Returns JSON with sorted keys and without null members. Every pass calls this dozens of times, so it allocates
 * little.
 */
export function stableText(value: Json): string {
  if (Array.isArray(value)) {
    let items = '';
    for (const item of value as readonly Json[]) items += `${items === '' ? '' : ','}${stableText(item)}`;
    return `[${items}]`;
  }
  if (!isJsonObject(value)) return JSON.stringify(value);
  let members = '';
  for (const key of Object.keys(value).toSorted()) {
    const member = value[key];
    if (member === null || member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${stableText(member)}`;
  }
  return `{${members}}`;
}

/** Returns the part of `shown` with the keys of `desired`, for the comparison of an overlay. */
export function overlayPart(shown: Json | undefined, desired: Json | undefined): Json | undefined {
  if (!isJsonObject(shown) || !isJsonObject(desired)) return shown;
  const part: Record<string, Json> = {};
  for (const key of Object.keys(desired)) if (Object.hasOwn(shown, key)) part[key] = shown[key] as Json;
  return part;
}

function canonical(value: Json, shape: Shape): Json {
  switch (shape.kind) {
    case 'exact':
    case 'overlay':
      return value;
    case 'sequence':
      return Array.isArray(value) ? value.map((item: Json) => canonicalItem(item, shape.parts)) : value;
    case 'set':
      return Array.isArray(value) ? sorted(value as readonly Json[], shape.key, shape.parts) : value;
  }
}

function sorted(items: readonly Json[], key: string, parts: Readonly<Record<string, Shape>>): Json {
  const keyed = items.map((item) => ({
    key: isJsonObject(item) ? stableText(item[key] ?? null) : '',
    item: canonicalItem(item, parts),
  }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map((entry) => entry.item);
}

function canonicalItem(item: Json, parts: Readonly<Record<string, Shape>>): Json {
  if (!isJsonObject(item)) return item;
  const result: Record<string, Json> = {};
  for (const [key, value] of Object.entries(item)) {
    const shape = parts[key];
    if (shape === undefined) result[key] = value;
    else if (!isEmpty(value)) result[key] = canonical(value, shape);
  }
  return result satisfies JsonObject;
}
