import { DOCUMENTS } from '../../src/api/kind-schema-path.ts';

/**
 * The draft of all schemas. Draft 7 is the newest one that every reader accepts without options: editors through
 * yaml-language-server, kubeconform, and ajv under its plain name. The schemas need nothing newer.
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

/** Returns the file of a schema, at this path in docs, and its text. */
export function fileOf(path: string, schema: JsonSchema): readonly [file: string, text: string] {
  return [`docs/${path}`, JSON.stringify({ $schema: DRAFT, $id: `${DOCUMENTS}${path}`, ...schema })];
}

/** Makes an object with required and optional members. Members that it does not name are allowed. */
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

/** Makes an object whose members are described elsewhere, or are free. */
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

/** Makes a choice of fixed words; the same format never adds a word. */
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

/** Forbids unnamed members in every object that names some, unless the object itself says otherwise. */
export function closed(schema: JsonSchema): JsonSchema {
  return changed(schema, (part) =>
    part.properties === undefined ? part : { additionalProperties: false, ...part },
  );
}

/** Allows members of any name beside the named ones. */
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
