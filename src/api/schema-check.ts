import { schemaOf } from './document-schema.ts';
import { error, isRecord, join, type JsonRecord, type Problem } from './problem.ts';
import type { Schema } from './schema.ts';
import { choices, describe, hint, knownFields, nounFor, patternTexts } from './schema-texts.ts';

/**
 * What the schema of the kind says about the document, unknown fields included. What has another type is told once and
 * not looked into. Throws for a kind that has no schema.
 */
export function schemaProblems(kind: string, document: JsonRecord): Problem[] {
  const problems: Problem[] = [];
  check(document, schemaOf(kind), '', problems);
  return problems;
}

function check(value: unknown, schema: Schema, path: string, problems: Problem[]): void {
  if (!hasType(value, schema.type)) {
    problems.push(error(path, `is ${nounFor(value)}`, `${describe(schema)}${hint(value, schema)}`));
  } else if (typeof value === 'string') problems.push(...textProblems(value, schema, path));
  else if (typeof value === 'number') problems.push(...numberProblems(value, schema, path));
  else if (Array.isArray(value)) checkList(value, schema, path, problems);
  else if (isRecord(value)) checkObject(value, schema, path, problems);
}

function hasType(value: unknown, type: Schema['type']): boolean {
  switch (type) {
    case undefined:
      return true;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'string':
    case 'boolean':
      return typeof value === type;
  }
}

function textProblems(text: string, schema: Schema, path: string): Problem[] {
  const problems: Problem[] = [];
  const { minLength = 0, maxLength = Infinity } = schema;
  // Code units are never fewer than characters, so most texts need not be taken apart.
  const length = text.length <= maxLength && text.length >= 2 * minLength ? text.length : lengthOf(text);
  if (length < minLength) {
    problems.push(
      error(path, 'is too short', `at least ${minLength} character${minLength === 1 ? '' : 's'}`),
    );
  }
  if (length > maxLength) {
    problems.push(error(path, `has ${length} characters`, `at most ${maxLength} characters`));
  }
  if (schema.pattern !== undefined && !expression(schema.pattern).test(text)) {
    problems.push(error(path, ...patternTexts(schema.pattern)));
  }
  if (schema.enum !== undefined && !schema.enum.includes(text)) {
    const [given, allowed] = [JSON.stringify(text).slice(0, 60), choices(schema.enum, text)];
    problems.push(error(path, `is ${given}`, allowed));
  }
  return problems;
}

/** Characters as the API server counts them. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

const expressions = new Map<string, RegExp>();

function expression(pattern: string): RegExp {
  const known = expressions.get(pattern) ?? new RegExp(pattern, 'u');
  expressions.set(pattern, known);
  return known;
}

function numberProblems(value: number, schema: Schema, path: string): Problem[] {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  return value >= minimum && value <= maximum ? [] : [error(path, `is ${value}`, describe(schema))];
}

function checkList(items: readonly unknown[], schema: Schema, path: string, problems: Problem[]): void {
  const { maxItems = Infinity, uniqueItems = false, uniqueBy, items: each } = schema;
  if (items.length > maxItems) {
    problems.push(error(path, `has ${items.length} entries`, `at most ${maxItems} entries`));
  }
  if (uniqueItems) {
    for (const { index, first } of repeated(items.map((item) => JSON.stringify(item)))) {
      problems.push(error(`${path}[${index}]`, `repeats entry ${first}`, 'each entry once'));
    }
  }
  if (uniqueBy !== undefined) {
    const key = uniqueBy[0] ?? '';
    for (const { index, first } of repeated(items.map((item) => identity(item, uniqueBy)))) {
      const where = join(`${path}[${index}]`, key);
      problems.push(error(where, `repeats the ${key} of entry ${first}`, `each ${key} once`));
    }
  }
  if (each === undefined) return;
  for (const [index, item] of items.entries()) check(item, each, `${path}[${index}]`, problems);
}

/** The entries that stand earlier in the list already; absent identities are like no other. */
function repeated(identities: readonly (string | undefined)[]): readonly { index: number; first: number }[] {
  const seen = new Map<string, number>();
  return identities.flatMap((identity, index) => {
    if (identity === undefined) return [];
    const first = seen.get(identity);
    if (first !== undefined) return [{ index, first }];
    seen.set(identity, index);
    return [];
  });
}

/** List-map keys: two entries with the same keys are refused, as the API server refuses them. */
function identity(item: unknown, keys: readonly string[]): string | undefined {
  if (!isRecord(item)) return undefined;
  const values = keys.map((key) => item[key]);
  return values.includes(undefined) ? undefined : JSON.stringify(values);
}

function checkObject(value: JsonRecord, schema: Schema, path: string, problems: Problem[]): void {
  const { properties = {}, additionalProperties: others = true, required = [] } = schema;
  const { maxProperties = Infinity } = schema;
  const keys = Object.keys(value);
  if (keys.length > maxProperties) {
    problems.push(error(path, `has ${keys.length} keys`, `at most ${maxProperties} keys`));
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) {
      problems.push(error(join(path, name), 'is missing', describe(properties[name] ?? {})));
    }
  }
  for (const key of keys) {
    const part = Object.hasOwn(properties, key) ? properties[key] : others;
    const place = join(path, key);
    if (typeof part === 'object') check(value[key], part, place, problems);
    else if (part === false) {
      problems.push(error(place, 'is not a known field', knownFields(key, schema)));
    }
  }
}
