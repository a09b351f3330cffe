import { schemaOf } from './schema-of.ts';
import { error, join, type JsonRecord, list, type Problem, record, isRecord } from '../problem.ts';
import { choices, describe, hint, knownFields, nounFor, patternTexts } from './pattern-texts.ts';
import type { Schema } from '../schema.ts';
import { type SchemaError, validatorOf } from './schema-compiler.ts';

/** The message for a field that the schema does not have. The problem suggests the nearest known field. */
export const UNKNOWN_FIELD = 'is not a known field';

/**
 * Returns the problems that the schema of the kind finds in the document, including unknown fields. Reports a value of
 * the wrong type once and does not check its content. Throws for a kind without a schema.
 */
export function schemaProblems(kind: string, document: JsonRecord): Problem[] {
  const [validate, schema] = [validatorOf(kind), schemaOf(kind)];
  const errors = validate(document) ? [] : (validate.errors ?? []);
  const mistyped = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath),
  );
  const told = errors.filter(({ keyword, instancePath: at }) => keyword === 'type' || !mistyped.has(at));
  return [...told.map((found) => problemOf(found, document, schema)), ...repeatedKeys(document, schema)];
}

function problemOf(found: SchemaError, document: JsonRecord, root: Schema): Problem {
  const { path, value } = lookUp(found.instancePath, document);
  const schema = schemaAt(found.schemaPath, root);
  const params = found.params as Readonly<Record<string, string | number>>;
  switch (found.keyword) {
    case 'type':
      return error(path, `is ${nounFor(value)}`, `${describe(schema)}${hint(value, schema)}`);
    case 'required': {
      const name = String(params['missingProperty']);
      return error(join(path, name), 'is missing', describe(schema.properties?.[name] ?? {}));
    }
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      return error(join(path, name), UNKNOWN_FIELD, knownFields(name, schema));
    }
    case 'enum':
      return error(
        path,
        `is ${JSON.stringify(value).slice(0, 60)}`,
        choices(schema.enum ?? [], String(value)),
      );
    case 'minimum':
    case 'maximum':
      return error(path, `is ${String(value)}`, describe(schema));
    case 'uniqueItems': {
      const [one, other] = [Number(params['i']), Number(params['j'])];
      const [first, again] = [Math.min(one, other), Math.max(one, other)];
      return error(`${path}[${again}]`, `repeats entry ${first}`, 'each entry once');
    }
    case 'pattern':
      return error(path, ...patternTexts(String(params['pattern'])));
    default:
      return error(path, ...sizeTexts(found.keyword, value, Number(params['limit'])));
  }
}

/** Returns the fault of a value that is too small or too large, and the expected size. */
function sizeTexts(keyword: string, value: unknown, limit: number): [message: string, expected: string] {
  switch (keyword) {
    case 'minLength':
      return ['is too short', `at least ${limit} character${limit === 1 ? '' : 's'}`];
    case 'maxLength':
      return [`has ${Array.from(String(value)).length} characters`, `at most ${limit} characters`];
    case 'maxItems':
      return [`has ${list(value).length} entries`, `at most ${limit} entries`];
    case 'maxProperties':
      return [`has ${Object.keys(record(value)).length} keys`, `at most ${limit} keys`];
    default:
      throw new Error(`nothing can be said about the keyword ${keyword}`);
  }
}

/** Returns the value at a JSON pointer, and its path for people. A number in the pointer is an index only in a list. */
function lookUp(pointer: string, document: unknown): { readonly path: string; readonly value: unknown } {
  let path = '';
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path = Array.isArray(value) ? `${path}[${key}]` : join(path, key);
    value = Array.isArray(value) ? list(value)[Number(key)] : record(value)[key];
  }
  return { path, value };
}

/**
 * Returns the schema whose keyword a schema path (`#/properties/spec/type`) names. Our field names need no unescaping.
 */
function schemaAt(path: string, root: Schema): Schema {
  let at: unknown = root;
  for (const key of path.split('/').slice(1, -1)) at = record(at)[key];
  return record(at);
}

/**
 * Finds entries of lists with the identity of an earlier entry. The API server refuses them in lists of type map
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy), and JSON schema cannot express
 * that. Skips values whose type differs from the schema.
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
