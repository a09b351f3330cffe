/** The parts of a structural schema that our CRDs use. */
export interface CrdSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, CrdSchema>>;
  readonly items?: CrdSchema;
  readonly additionalProperties?: CrdSchema;
  readonly required?: readonly string[];
  readonly format?: string;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly [keyword: string]: unknown;
}

type Schema = Record<string, unknown>;

/** Keywords that say the same in a CRD and in JSON schema. */
const SHARED = [
  'type',
  'required',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'maxItems',
  'maxProperties',
] as const;

/** Keywords that become something else, or that do not restrict values. */
const TRANSLATED = [
  'description',
  'properties',
  'items',
  'additionalProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  // Mirrored in src/api/checks/rules.ts.
  'x-kubernetes-validations',
];

/**
 * Makes the schema for offline checks: it refuses unknown fields as strict field validation does, turns lists of type
 * set and map into `uniqueItems` and `uniqueBy`, and has no descriptions and, at the root, neither metadata nor
 * status. Throws for an unknown keyword, since the offline check would accept values that it forbids.
 */
export function toValidationSchema(root: CrdSchema): Schema {
  const { metadata: _, status: __, ...properties } = root.properties ?? {};
  const schema = validation({ ...root, properties });
  return { ...schema, properties: { ...(schema['properties'] as Schema), metadata: {}, status: {} } };
}

function validation(from: CrdSchema): Schema {
  const unknown = Object.keys(from).find((keyword) => ![...SHARED, ...TRANSLATED].includes(keyword));
  if (unknown !== undefined) throw new Error(`the offline check knows nothing of the keyword ${unknown}`);
  const to: Schema = {};
  for (const keyword of SHARED) if (from[keyword] !== undefined) to[keyword] = from[keyword];
  if (from['x-kubernetes-list-type'] === 'set') to['uniqueItems'] = true;
  if (from['x-kubernetes-list-type'] === 'map') to['uniqueBy'] = from['x-kubernetes-list-map-keys'];
  if (from.properties !== undefined) {
    to['properties'] = mapValues(from.properties, validation);
    to['additionalProperties'] = from['x-kubernetes-preserve-unknown-fields'] === true;
  }
  if (from.additionalProperties !== undefined)
    to['additionalProperties'] = validation(from.additionalProperties);
  if (from.items !== undefined) to['items'] = validation(from.items);
  return to;
}

/**
 * Makes the schema for the type generator: free-form objects are open, all other objects are closed, descriptions
 * stay.
 */
export function toTypeSchema(from: CrdSchema): Schema {
  const { type, description, required } = from;
  const to: Schema = { type, description, required, enum: from['enum'] };
  if (from.properties !== undefined) to['properties'] = mapValues(from.properties, toTypeSchema);
  if (from.items !== undefined) to['items'] = toTypeSchema(from.items);
  if (from.additionalProperties !== undefined)
    to['additionalProperties'] = toTypeSchema(from.additionalProperties);
  else to['additionalProperties'] = from['x-kubernetes-preserve-unknown-fields'] === true;
  return Object.fromEntries(Object.entries(to).filter(([, value]) => value !== undefined));
}

function mapValues(
  from: Readonly<Record<string, CrdSchema>>,
  change: (schema: CrdSchema) => Schema,
): Record<string, Schema> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));
}
