import type { FieldNames } from '../../api/field-names.ts';
import { FIELD_NAMES } from '../../api/generated/field-names.ts';
import { GROUP, VERSION } from '../../api/metadata.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

/**
 * How schemas of an API server differ from those that this program was made with, as paths such as
 * Deployment.spec.source.
 */
export interface SchemaFit {
  /** Fields of ours that the API server does not know: it drops them without a word. */
  readonly missing: readonly string[];
  /** Fields that we know nothing of. */
  readonly unknown: readonly string[];
}

/** The path where an API server describes our kinds by OpenAPI 3; any user may read it. */
export const OPENAPI_PATH = `/openapi/v3/apis/${GROUP}/${VERSION}`;

/**
 * Compares the answer of OPENAPI_PATH with our kinds; undefined where it describes none of them. Of a kind that is not
 * installed nothing can be dropped.
 */
export function schemaFitOf(document: unknown): SchemaFit | undefined {
  const schemas = schemasByKind(document);
  const fits = Object.entries(FIELD_NAMES).flatMap(([kind, known]) => {
    const schema = schemas.get(kind);
    return schema === undefined ? [] : [compared(known, schema, kind)];
  });
  return schemas.size === 0 ? undefined : joined(fits);
}

function schemasByKind(document: unknown): ReadonlyMap<string, JsonObject> {
  const components = isJsonObject(document) ? document['components'] : undefined;
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  const found = new Map<string, JsonObject>();
  for (const schema of Object.values(isJsonObject(schemas) ? schemas : {})) {
    for (const kind of isJsonObject(schema) ? kindsOf(schema) : []) {
      if (Object.hasOwn(FIELD_NAMES, kind) && isJsonObject(schema)) found.set(kind, schema);
    }
  }
  return found;
}

function kindsOf(schema: JsonObject): readonly string[] {
  const named: Json = schema['x-kubernetes-group-version-kind'] ?? [];
  return (Array.isArray(named) ? (named as readonly Json[]) : [])
    .filter(isJsonObject)
    .filter(({ group, version }) => group === GROUP && version === VERSION)
    .map(({ kind }) => (typeof kind === 'string' ? kind : ''));
}

function compared(known: FieldNames, schema: JsonObject, path: string): SchemaFit {
  const { items, additionalProperties } = schema;
  if (isJsonObject(items)) return compared(known, items, path);
  if (isJsonObject(additionalProperties)) return compared(known, additionalProperties, path);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  // Of what is free-form, and of metadata, nothing below is ours.
  if (isOpen || Object.keys(known).length === 0) return { missing: [], unknown: [] };
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const fits = Object.entries(known).map(([name, below]) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const at = `${path}.${name}`;
    return isJsonObject(inner) ? compared(below, inner, at) : { missing: [at], unknown: [] };
  });
  const unknown = Object.keys(properties).filter((name) => !Object.hasOwn(known, name));
  return joined([...fits, { missing: [], unknown: unknown.map((name) => `${path}.${name}`) }]);
}

function joined(fits: readonly SchemaFit[]): SchemaFit {
  return { missing: fits.flatMap(({ missing }) => missing), unknown: fits.flatMap(({ unknown }) => unknown) };
}
