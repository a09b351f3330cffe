import { SCHEMAS } from '../generated/schemas.ts';
import type { Schema } from '../schema.ts';

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'object', additionalProperties: text };

/** Standard object metadata, as strict as the API server about unknown fields. */
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

/** Returns the schema of a whole manifest of this kind. `status` is open, since the API server drops it on writes. */
export function schemaOf(kind: string): Schema {
  const schema = SCHEMAS[kind];
  if (schema === undefined) throw new Error(`there is no schema for kind ${kind}`);
  return { ...schema, properties: { ...schema.properties, metadata: METADATA } };
}
