import { DOCUMENTS } from '../../src/api/kind-schema-path.ts';

/**
 * The draft of all schemas. Draft 7 is the newest that each reader takes as it is: editors through yaml-language-server,
 * kubeconform, and ajv under its plain name. Nothing in the schemas needs a newer one.
 */
const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** The keywords of the draft that schemas of ours use most; others are let through. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: string | number;
  readonly enum?: readonly (string | null)[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly [keyword: string]: unknown;
}

/** The text of the file of a schema, which stands under this path below docs. */
export function fileOf(path: string, schema: JsonSchema): readonly [file: string, text: string] {
  return [`docs/${path}`, JSON.stringify({ $schema: DRAFT, $id: `${DOCUMENTS}${path}`, ...schema })];
}

/** An object with members that are always there, and others that may be. Those that it does not name are left open. */
export function object(
  description: string,
  always: Readonly<Record<string, JsonSchema>>,
  perhaps: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    type: 'object',
    description,
    required: Object.keys(always),
    properties: { ...always, ...perhaps },
  };
}

/** An object of which the members are said elsewhere, or are free. */
export function open(description: string): JsonSchema {
  return { type: 'object', description, additionalProperties: true };
}

/** A list. */
export function list(description: string, items: JsonSchema): JsonSchema {
  return { type: 'array', description, items };
}

/** A text. */
export function text(description: string): JsonSchema {
  return { type: 'string', description };
}

/** One of some words, to which the same format adds no other. */
export function oneOf(description: string, words: readonly string[]): JsonSchema {
  return { type: 'string', description, enum: words };
}

/** Yes or no. */
export function flag(description: string): JsonSchema {
  return { type: 'boolean', description };
}

/** A number of things. */
export function count(description: string): JsonSchema {
  return { type: 'integer', description, minimum: 0 };
}

/** The same with no members but those that are named, wherever some are; what says otherwise itself stays as it is. */
export function closed(schema: JsonSchema): JsonSchema {
  return changed(schema, (part) =>
    part.properties === undefined ? part : { additionalProperties: false, ...part },
  );
}

/** The same with members of any name beside those that are named. */
export function opened(schema: JsonSchema): JsonSchema {
  return changed(schema, ({ additionalProperties: others, ...part }) =>
    others === undefined || others === false ? part : { ...part, additionalProperties: others },
  );
}

function changed(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, items, additionalProperties: others } = schema;
  const members = Object.entries(properties ?? {}).map(([name, part]) => [name, changed(part, change)]);
  return change({
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) as typeof properties }),
    ...(items === undefined ? {} : { items: changed(items, change) }),
    ...(typeof others === 'object' ? { additionalProperties: changed(others, change) } : {}),
  });
}
