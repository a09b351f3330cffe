import { error, isRecord, join, list, type Problem } from '../problem.ts';
import type { Schema } from '../schema.ts';

/**
 * Entries of lists with the identity of an earlier one, which the API server refuses for lists of type map
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy) and JSON schema cannot say.
 * Values of another type than the schema's are passed over.
 */
export function repeatedKeys(value: unknown, schema: Schema, path = ''): Problem[] {
  if (Array.isArray(value)) {
    const { items = {}, uniqueBy = [] } = schema;
    const below = list(value).flatMap((item, index) => repeatedKeys(item, items, `${path}[${index}]`));
    return [...repeatedIn(value, uniqueBy, path), ...below];
  }
  if (!isRecord(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  const others = typeof additionalProperties === 'object' ? additionalProperties : {};
  return Object.entries(value).flatMap(([key, part]) =>
    repeatedKeys(part, Object.hasOwn(properties, key) ? (properties[key] ?? {}) : others, join(path, key)),
  );
}

function repeatedIn(items: readonly unknown[], keys: readonly string[], path: string): Problem[] {
  const [key] = keys;
  if (key === undefined) return [];
  const seen = new Map<string, number>();
  return items.flatMap((item, index) => {
    const values = isRecord(item) ? keys.map((each) => item[each]) : [undefined];
    if (values.includes(undefined)) return [];
    const identity = JSON.stringify(values);
    const first = seen.get(identity);
    if (first === undefined) seen.set(identity, index);
    else {
      return [
        error(join(`${path}[${index}]`, key), `repeats the ${key} of entry ${first}`, `each ${key} once`),
      ];
    }
    return [];
  });
}
