import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type CrdSchema, toValidationSchema } from '../../../scripts/crd-schema.ts';
import { isRecord, type JsonRecord, record } from '../../../src/api/problem.ts';
import { schemaProblems, repeatedKeys } from '../../../src/api/schema/schema-problems.ts';
import { readYaml } from '../../../src/directory/yaml/read-yaml.ts';
import { CHANGES, type Manifest, type Sample, SAMPLES } from '../corpus.ts';
import type { Schema } from '../../../src/api/schema.ts';

const DOCUMENTS = [...SAMPLES.flatMap(documentsIn), ...CHANGES.map(({ after }) => after)];

/** Returns the contents of a file of the corpus, if it can be read at all. */
function documentsIn({ bytes }: Sample): readonly Manifest[] {
  const { documents } = readYaml(bytes.toString());
  const values = documents.map(({ value }): unknown => value).filter(isRecord);
  return values.filter((value): value is Manifest => isKind(value['kind']));
}

function isKind(kind: unknown): boolean {
  return ['Deployment', 'Connection', 'ClusterConnection'].some((known) => known === kind);
}

/** The possible wrong values after a mistake, including the ends of ranges and lengths. */
const anything = fc.oneof(
  fc.constantFrom(null, true, '', 'a', 'codehost', '😀', [], {}, ['a', 'a'], [{}], [{ name: 'a' }]),
  fc.constantFrom(-1, 0, 1, 0.5, 10, 100, 101, 86_400, 1e9, Number.NaN, Infinity),
  fc.integer(),
  fc.string({ unit: 'grapheme' }),
  fc.nat(5_000).map((length) => 'é'.repeat(length)),
  fc.nat(300).map((length) => Array.from({ length }, (_, index) => ({ name: `n${index}`, value: 'x' }))),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Returns a copy with `value` at the place that `steps` lead to. Each step chooses an existing key or a new one. */
function spoilt(part: unknown, steps: readonly number[], value: unknown, key: string): unknown {
  const [step, ...rest] = steps;
  if (Array.isArray(part) && step !== undefined) {
    const index = step % (part.length + 1);
    return part.toSpliced(index, 1, spoilt(part[index], rest, value, key));
  }
  if (!isRecord(part) || step === undefined) return value;
  const keys = [...Object.keys(part), key];
  const chosen = keys[step % keys.length] ?? key;
  return { ...part, [chosen]: spoilt(part[chosen], rest, value, key) };
}

/** Returns the number of steps of a path beyond the end of the document. */
function stepsBeyond(document: unknown, path: string): number {
  const steps = [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)];
  const keys = steps.map(([, index, quoted, plain]) => index ?? plain ?? String(JSON.parse(quoted ?? '""')));
  let value = document;
  for (const [taken, key] of keys.entries()) {
    const below: unknown = Array.isArray(value) ? value[Number(key)] : record(value)[key];
    if (below === undefined) return keys.length - taken;
    value = below;
  }
  return 0;
}

describe('the check by schema', () => {
  it('reports the place of every mistake and the expected value', () => {
    const steps = fc.array(fc.nat(20), { minLength: 1, maxLength: 7 });
    const key = fc.constantFrom('name', 'Name', 'args', 'sourceConfig', 'a/b', 'c~d', '0', 'toString');
    let refused = 0;
    const property = fc.property(
      fc.constantFrom(...DOCUMENTS),
      steps,
      anything,
      key,
      (document, way, value, k) => {
        const tried = spoilt(document, way, value, k) as Manifest;
        if (tried.kind !== document.kind) return;
        const problems = schemaProblems(tried.kind, tried);
        if (problems.length > 0) refused += 1;
        for (const { path, message, expected } of problems) {
          // A missing field has no place of its own in the document, only that of its parent.
          expect({ path, beyond: stepsBeyond(tried, path) }).toEqual({
            path,
            beyond: message === 'is missing' ? 1 : 0,
          });
          expect(expected).not.toBe('');
        }
      },
    );
    fc.assert(property, { numRuns: 3_000 });
    expect(refused).toBeGreaterThan(500);
  });

  it('reports once that a value has another type, and no further rules for the value', () => {
    const document = {
      apiVersion: 'dms-operator.dev/v1alpha1',
      kind: 'Deployment',
      metadata: {},
      spec: { source: 1 },
    };
    expect(schemaProblems('Deployment', document)).toMatchObject([
      { path: 'spec.source', message: 'is a number' },
    ]);
  });

  it('throws for a kind that has no schema', () => {
    expect(() => schemaProblems('Pod', {})).toThrow('no schema for kind Pod');
  });
});

describe('the schemas of the CRDs', () => {
  it('contain only keywords that the check supports', () => {
    const root = (field: JsonRecord): CrdSchema => ({
      type: 'object',
      properties: { spec: { type: 'object', properties: { field } } },
    });
    expect(() => toValidationSchema(root({ type: 'integer', minimum: 1 }))).not.toThrow();
    expect(() => toValidationSchema(root({ type: 'integer', multipleOf: 2 }))).toThrow('multipleOf');
  });
});

const byName: Schema = { type: 'array', uniqueBy: ['name'], items: { type: 'object' } };
const schema: Schema = {
  properties: { secrets: byName },
  additionalProperties: { type: 'array', items: { properties: { headers: byName } } },
};

test.each([
  [
    'a second entry of one name',
    { secrets: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
    ['secrets[2].name'],
  ],
  [
    'a list in a list, in a map',
    { others: [{ headers: [{ name: 'a' }, { name: 'a' }] }] },
    ['others[0].headers[1].name'],
  ],
  ['names that differ', { secrets: [{ name: 'a' }, { name: 'A' }] }, []],
  ['entries without a name', { secrets: [{}, {}, 'a', 'a'] }, []],
  ['values of other types', { secrets: 'a', others: { headers: 1 } }, []],
])('%s', (_, document, paths) => {
  expect(repeatedKeys(document, schema).map(({ path }) => path)).toEqual(paths);
});

test('the message names both entries', () => {
  expect(repeatedKeys({ secrets: [{ name: 'a' }, { name: 'a' }] }, schema)).toMatchObject([
    { message: 'repeats the name of entry 0', expected: 'each name once' },
  ]);
});
