import type { FieldNames } from '../src/api/field-names.ts';
import type { CrdSchema } from './crd-schema.ts';

/** The names of everything that a schema describes; what is free-form has none. */
export function fieldNamesOf({ properties, items, additionalProperties }: CrdSchema): FieldNames {
  const entries = items ?? additionalProperties;
  if (entries !== undefined) return fieldNamesOf(entries);
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, schema]) => [name, fieldNamesOf(schema)]),
  );
}
