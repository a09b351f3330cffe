import { SCHEMAS } from './generated/schemas.ts';

/** The parts of JSON schema that the generated constants use. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  /** False: no others; a schema: a map; absent: a free-form object. */
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
}

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'object', additionalProperties: text };

/** Standard object metadata, as strict as the API server is about unknown fields. */
const METADATA: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    labels: texts,
    annotations: texts,
    finalizers: { type: 'array', items: text },
    ownerReferences: { type: 'array', items: {} },
    managedFields: { type: 'array', items: {} },
    creationTimestamp: {},
    deletionTimestamp: {},
    deletionGracePeriodSeconds: {},
    generation: { type: 'integer' },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};

/** The schema of a whole manifest of this kind; `status` is open, since the API server drops it on writes. */
export function schemaOf(kind: string): Schema {
  const schema = (SCHEMAS as Readonly<Record<string, Schema>>)[kind];
  if (schema === undefined) throw new Error(`there is no schema for kind ${kind}`);
  return { ...schema, properties: { ...schema.properties, metadata: METADATA } };
}
