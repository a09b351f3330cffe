import { schemaOf } from './schema-of.ts';
import { isRecord, join, type JsonRecord } from '../problem.ts';
import type { Schema } from '../schema.ts';

/** A manifest as the API server would store it, and the paths of the nulls that it would drop. */
export interface Stored {
  readonly document: JsonRecord;
  readonly dropped: readonly string[];
}

/**
 * Removes fields that are null, as the API server does on every write: null means the same as an absent field. Nulls
 * inside free-form objects, in lists and under unknown names stay. The kind must be one of ours.
 */
export function asStored(document: JsonRecord): Stored {
  const dropped: string[] = [];
  const pruned = (value: unknown, schema: Schema, path: string): unknown => {
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined) return value;
      return value.map((item: unknown, index) => pruned(item, items, `${path}[${index}]`));
    }
    if (!isRecord(value)) return value;
    const kept: [string, unknown][] = [];
    for (const [key, item] of Object.entries(value)) {
      const part = partFor(key, schema);
      if (part === undefined) kept.push([key, item]);
      else if (item === null) dropped.push(join(path, key));
      else kept.push([key, pruned(item, part, join(path, key))]);
    }
    return Object.fromEntries(kept);
  };
  const kept = pruned(document, schemaOf(String(document['kind'])), '');
  return { document: isRecord(kept) ? kept : {}, dropped };
}

function partFor(key: string, { properties, additionalProperties }: Schema): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
