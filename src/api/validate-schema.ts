import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import { type Schema, schemaOf } from './document-schema.ts';
import { nearest } from './nearest.ts';
import { error, isRecord, join, type JsonRecord, list, type Problem, record } from './problem.ts';

/** What is said where a pattern does not match. The value is not repeated: an address may carry credentials. */
const PATTERN_TEXTS: Readonly<Record<string, readonly [message: string, expected: string]>> = {
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$': [
    'is not a UUID',
    'a UUID such as 3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f',
  ],
  '^https?://[A-Za-z0-9._:\\[\\]-]+(/[^ ?#]*)?$': [
    'is not an address that can be used as base',
    'an address such as https://deploy.example.com/api, without user info, query and fragment',
  ],
  "^[A-Za-z0-9!#$%&'*+.^_|~-]+$": ['is not a header name', 'letters, digits and hyphens, such as X-Api-Key'],
  '^[^\\r\\n]*$': ['contains a line break', 'a value on one line'],
};

const validators = new Map<string, ValidateFunction>();

/**
 * What the schema of the kind says about the document, unknown fields included. Throws for a kind that has no
 * schema.
 */
export function schemaProblems(kind: string, document: JsonRecord): Problem[] {
  const validate = validatorFor(kind);
  if (validate(document)) return [];
  const errors = validate.errors ?? [];
  const mistyped = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath),
  );
  return errors
    .filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
    .map((each) => problemOf(each, document));
}

function validatorFor(kind: string): ValidateFunction {
  const known = validators.get(kind);
  if (known !== undefined) return known;
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: true, strictRequired: false });
  ajv.addKeyword({
    keyword: 'uniqueBy',
    type: 'array',
    schemaType: 'array',
    errors: true,
    compile: uniqueBy,
  });
  const validate = ajv.compile(schemaOf(kind));
  validators.set(kind, validate);
  return validate;
}

/** List-map keys: two entries with the same keys are refused, as the API server refuses them. */
function uniqueBy(keys: readonly string[]): DataValidateFunction {
  const validate: DataValidateFunction = (items: unknown) => {
    const seen = new Map<string, number>();
    const errors: Partial<ErrorObject>[] = [];
    for (const [index, item] of list(items).entries()) {
      const values = keys.map((key) => record(item)[key]);
      if (values.includes(undefined)) continue;
      const first = seen.get(JSON.stringify(values));
      if (first === undefined) seen.set(JSON.stringify(values), index);
      else errors.push({ keyword: 'uniqueBy', params: { index, first, key: keys[0] } });
    }
    validate.errors = errors;
    return errors.length === 0;
  };
  return validate;
}

function problemOf(found: ErrorObject, document: JsonRecord): Problem {
  const path = pathOf(found.instancePath, document);
  const schema = (found.parentSchema ?? {}) as Schema;
  const params = found.params as Readonly<Record<string, string | number>>;
  const limit = params['limit'];
  switch (found.keyword) {
    case 'type':
      return error(path, `is ${nounFor(found.data)}`, `${describe(schema)}${hint(found.data, schema)}`);
    case 'required': {
      const name = String(params['missingProperty']);
      return error(join(path, name), 'is missing', describe(schema.properties?.[name] ?? {}));
    }
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      return error(join(path, name), 'is not a known field', knownFields(name, schema));
    }
    case 'enum':
      return error(
        path,
        `is ${JSON.stringify(found.data).slice(0, 60)}`,
        choices(schema.enum ?? [], String(found.data)),
      );
    case 'minimum':
    case 'maximum':
      return error(path, `is ${String(found.data)}`, describe(schema));
    case 'minLength':
      return error(path, 'is too short', `at least ${String(limit)} character${limit === 1 ? '' : 's'}`);
    case 'maxLength':
      return error(
        path,
        `has ${Array.from(String(found.data)).length} characters`,
        `at most ${String(limit)} characters`,
      );
    case 'maxItems':
      return error(path, `has ${list(found.data).length} entries`, `at most ${String(limit)} entries`);
    case 'maxProperties':
      return error(
        path,
        `has ${Object.keys(record(found.data)).length} keys`,
        `at most ${String(limit)} keys`,
      );
    case 'uniqueItems': {
      const [one, other] = [Number(params['i']), Number(params['j'])];
      return error(
        `${path}[${Math.max(one, other)}]`,
        `repeats entry ${Math.min(one, other)}`,
        'each entry once',
      );
    }
    case 'uniqueBy': {
      const key = String(params['key']);
      const where = join(`${path}[${String(params['index'])}]`, key);
      return error(where, `repeats the ${key} of entry ${String(params['first'])}`, `each ${key} once`);
    }
    case 'pattern': {
      const [message, expected] = PATTERN_TEXTS[String(params['pattern'])] ?? [
        'has another form',
        String(params['pattern']),
      ];
      return error(path, message, expected);
    }
    default:
      return error(path, found.message ?? found.keyword, 'what the schema describes');
  }
}

/** Turns a JSON pointer into a path for people; a number is an index only where the document has a list. */
function pathOf(pointer: string, document: unknown): string {
  let path = '';
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) {
      path = `${path}[${key}]`;
      value = (value as readonly unknown[])[Number(key)];
    } else {
      path = join(path, key);
      value = record(value)[key];
    }
  }
  return path;
}

/** The kind of a value in words, without the value. */
export function nounFor(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'boolean') return 'a boolean';
  if (typeof value !== 'number') return 'not a JSON value';
  return Number.isInteger(value) ? 'a number' : 'a fraction';
}

function describe(schema: Schema): string {
  if (schema.enum !== undefined) return choices(schema.enum);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'an integer' : 'a number'}${range(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    case 'object':
      return 'an object';
    default:
      return 'a string';
  }
}

function range({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

/** The usual slip in YAML: quotes that are missing, or too many. */
function hint(value: unknown, schema: Schema): string {
  if (schema.type === 'string' && (typeof value === 'number' || typeof value === 'boolean'))
    return ' (put it in quotes)';
  if (typeof value !== 'string' || value === '') return '';
  const bare = schema.type === 'boolean' ? /^(true|false)$/.test(value) : Number.isFinite(Number(value));
  return bare && (schema.type === 'boolean' || schema.type === 'number' || schema.type === 'integer')
    ? ' (without quotes)'
    : '';
}

function choices(allowed: readonly string[], given?: string): string {
  const close = given === undefined ? undefined : nearest(given, allowed);
  const end = close === undefined ? '' : `, perhaps ${close}`;
  if (allowed.length <= 8) return `one of ${allowed.join(', ')}${end}`;
  return close ?? `one of ${allowed.length} values such as ${allowed.slice(0, 3).join(', ')}`;
}

function knownFields(given: string, schema: Schema): string {
  const names = Object.keys(schema.properties ?? {});
  const close = nearest(given, names);
  if (close !== undefined) return close;
  return names.length <= 12 ? `one of ${names.join(', ')}` : 'a field that kubectl explain lists';
}
