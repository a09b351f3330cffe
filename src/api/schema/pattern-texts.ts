import { nearest } from '../nearest.ts';
import { isRecord } from '../problem.ts';
import type { Schema } from '../schema.ts';

/**
 * Messages for texts that do not match a pattern. They do not repeat the value, since an address may contain
 * credentials.
 */
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

/** Returns the message for a text that does not match the pattern. */
export function patternTexts(pattern: string): readonly [message: string, expected: string] {
  return PATTERN_TEXTS[pattern] ?? ['has another form', pattern];
}

/** Returns the type of a value in words, without the value. */
export function nounFor(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'boolean') return 'a boolean';
  if (typeof value !== 'number') return 'not a JSON value';
  return Number.isInteger(value) ? 'a number' : 'a fraction';
}

/** Describes the type and range that a schema expects. */
export function describe(schema: Schema): string {
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

/** Returns a hint for the usual mistake in YAML: quotes that are missing or superfluous. */
export function hint(value: unknown, schema: Schema): string {
  if (schema.type === 'string' && (typeof value === 'number' || typeof value === 'boolean'))
    return ' (put it in quotes)';
  if (typeof value !== 'string' || value === '') return '';
  const bare = schema.type === 'boolean' ? /^(true|false)$/.test(value) : Number.isFinite(Number(value));
  return bare && (schema.type === 'boolean' || schema.type === 'number' || schema.type === 'integer')
    ? ' (without quotes)'
    : '';
}

/** Lists the allowed values and suggests the one closest to `given`. */
export function choices(allowed: readonly string[], given?: string): string {
  const close = given === undefined ? undefined : nearest(given, allowed);
  const end = close === undefined ? '' : `, perhaps ${close}`;
  if (allowed.length <= 8) return `one of ${allowed.join(', ')}${end}`;
  return close ?? `one of ${allowed.length} values such as ${allowed.slice(0, 3).join(', ')}`;
}

/** Returns the field closest to `given` or, if none is close, lists the known fields. */
export function knownFields(given: string, schema: Schema): string {
  const names = Object.keys(schema.properties ?? {});
  const close = nearest(given, names);
  if (close !== undefined) return close;
  return names.length <= 12 ? `one of ${names.join(', ')}` : 'a field that kubectl explain lists';
}
