import { schemaOf } from '../../src/api/schema/schema-of.ts';
import { LABEL, QUALIFIED, SUBDOMAIN } from '../../src/api/checks/metadata-problems.ts';
import type { Crd } from '../crd.ts';
import { type CrdSchema, toValidationSchema } from '../crd-schema.ts';
import type { JsonSchema } from './draft.ts';

/**
 * Makes the schema of a kind for editors and kubeconform: it refuses what the API server refuses with strict field
 * validation, and contains the descriptions of the CRD. Optional fields may be null, which the API server treats as
 * absent. Draft 7 cannot express CEL rules and lists with a key (`uniqueBy`); `dms-operator validate` and the API
 * server check those.
 */
export function kindSchema(crd: Crd): JsonSchema {
  const { group, version, kind, schema } = crd;
  const checked = toValidationSchema(schema) as JsonSchema;
  const { required = [] } = checked;
  const described = withTexts(checked, schema);
  return {
    title: `${kind} of ${group}/${version}`,
    ...described,
    required: [...new Set(['apiVersion', 'kind', 'metadata', ...required])],
    properties: {
      ...described.properties,
      apiVersion: { const: `${group}/${version}` },
      kind: { const: kind },
      metadata: metadataOf(kind),
      status: { description: 'Written by the controller alone; what a manifest says is dropped.' },
    },
  };
}

function withTexts(schema: JsonSchema, from: CrdSchema): JsonSchema {
  const { uniqueBy: _, ...checked } = schema;
  const { properties, items, additionalProperties: others, required = [] } = checked;
  const members = Object.entries(properties ?? {}).map(([name, part]) => {
    const text = withTexts(part, from.properties?.[name] ?? {});
    return [name, required.includes(name) ? text : orNull(text)] as const;
  });
  return {
    ...(from.description === undefined ? {} : { description: from.description }),
    ...checked,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
    ...(items === undefined ? {} : { items: withTexts(items, from.items ?? {}) }),
    ...(typeof others === 'object'
      ? { additionalProperties: orNull(withTexts(others, from.additionalProperties ?? {})) }
      : {}),
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema;
  if (typeof type !== 'string') return schema;
  return { ...schema, type: [type, 'null'], ...(words === undefined ? {} : { enum: [...words, null] }) };
}

/** Returns the schema of the metadata of every kind. */
function metadataOf(kind: string): JsonSchema {
  const { properties = {}, ...closed } = (schemaOf(kind).properties?.['metadata'] ?? {}) as JsonSchema;
  const members = Object.entries(properties).map(([name, part]) => [name, orNull(part)] as const);
  const texts = { type: ['object', 'null'], propertyNames: { pattern: KEY } };
  return {
    ...closed,
    description: 'Standard object metadata.',
    anyOf: [{ required: ['name'] }, { required: ['generateName'] }],
    properties: {
      ...Object.fromEntries(members),
      name: { type: 'string', maxLength: 253, pattern: SUBDOMAIN.source },
      namespace: { type: ['string', 'null'], maxLength: 63, pattern: LABEL.source },
      labels: {
        ...texts,
        additionalProperties: { type: ['string', 'null'], maxLength: 63, pattern: `^$|${QUALIFIED.source}` },
      },
      annotations: { ...texts, additionalProperties: { type: ['string', 'null'] } },
    },
  };
}

/** A key of a label or an annotation: a name of at most 63 characters, with a domain and a slash before it or without. */
const KEY = '^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';
