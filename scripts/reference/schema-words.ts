import type { CrdSchema } from '../crd-schema.ts';
import { code } from './markdown.ts';

/** A rule in CEL, as a CRD writes it. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
}

/** Keywords that have a text here or, in the last line, are shown elsewhere on a page. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['type', 'format', 'enum', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'maxItems'],
  ...['maxProperties', 'default', 'items', 'additionalProperties', 'x-kubernetes-preserve-unknown-fields'],
  ...['x-kubernetes-list-type', 'x-kubernetes-list-map-keys'],
  ...['description', 'properties', 'required', 'x-kubernetes-validations'],
]);

/** Patterns that have a name; others are shown as they are. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$': 'a UUID',
  '^https?://[A-Za-z0-9._:\\[\\]-]+(/[^ ?#]*)?$': 'an http or https URL without query and fragment',
  "^[A-Za-z0-9!#$%&'*+.^_|~-]+$": 'a token of HTTP',
  '^[^\\r\\n]*$': 'one line',
};

/** Describes the type and the limits of a field. Throws for a keyword without a text. */
export function typeWords(schema: CrdSchema): string {
  const { items, additionalProperties } = schema;
  const inside = [items, additionalProperties].filter((part) => part !== undefined);
  for (const part of [schema, ...inside]) refuseUnknown(part);
  return [
    kindOf(schema),
    ...inside.flatMap(boundsOf).map((bound) => `each ${bound}`),
    ...boundsOf(schema),
    ...(schema['default'] === undefined ? [] : [`default ${code(JSON.stringify(schema['default']))}`]),
  ].join(', ');
}

function refuseUnknown(schema: CrdSchema): void {
  const unknown = Object.keys(schema).find((keyword) => !KNOWN.has(keyword));
  if (unknown !== undefined) throw new Error(`the reference has no words for the keyword ${unknown}`);
}

function kindOf({ type, format, items, additionalProperties, properties, ...rest }: CrdSchema): string {
  if (format === 'date-time') return 'time';
  if (items !== undefined) return `list of ${plural(kindOf(items))}`;
  if (additionalProperties !== undefined) return `map of ${plural(kindOf(additionalProperties))}`;
  const isFree = properties === undefined && rest['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === undefined) return 'anything';
  return isFree ? 'object with any fields' : type;
}

function plural(kind: string): string {
  return kind.replace(/^\w+/, (word) => `${word}s`);
}

function boundsOf(schema: CrdSchema): readonly string[] {
  const number = (keyword: string): number | undefined => schema[keyword] as number | undefined;
  const choices = schema['enum'] as readonly string[] | undefined;
  const pattern = schema['pattern'] as string | undefined;
  return [
    ...(choices === undefined ? [] : [oneOf(choices)]),
    ...(pattern === undefined ? [] : [PATTERNS[pattern] ?? `matching ${code(pattern)}`]),
    ...range(number('minimum'), number('maximum'), ''),
    // A choice of fixed words, or a UUID, needs no statement about its length.
    ...(choices !== undefined || PATTERNS[pattern ?? ''] === 'a UUID'
      ? []
      : range(number('minLength'), number('maxLength'), ' characters')),
    ...range(undefined, number('maxItems'), ' entries'),
    ...range(undefined, number('maxProperties'), ' keys'),
    ...listWords(schema),
  ];
}

function oneOf(choices: readonly string[]): string {
  const words = choices.map(code);
  return [words.slice(0, -1).join(', '), words.at(-1)].filter((part) => part !== '').join(' or ');
}

function range(least: number | undefined, most: number | undefined, unit: string): readonly string[] {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}

function listWords(schema: CrdSchema): readonly string[] {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  switch (schema['x-kubernetes-list-type']) {
    case 'map':
      return [`one for each ${keys.map(code).join(', ')}`];
    case 'set':
      return ['none twice'];
    case 'atomic':
      return ['owned as a whole'];
    default:
      return [];
  }
}

/** The rules that a schema states beside its keywords. */
export function rulesOf(schema: CrdSchema): readonly CelRule[] {
  return (schema['x-kubernetes-validations'] as readonly CelRule[] | undefined) ?? [];
}
