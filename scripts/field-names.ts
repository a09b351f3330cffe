import type { FieldNames } from '../src/api/field-names.ts';
import type { CrdSchema } from './crd-schema.ts';

/** Returns the names of all fields of a schema; free-form fields have none. */
export function fieldNamesOf({ properties, items, additionalProperties }: CrdSchema): FieldNames {
  const entries = items ?? additionalProperties;
  if (entries !== undefined) return fieldNamesOf(entries);
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, schema]) => [name, fieldNamesOf(schema)]),
  );
}
