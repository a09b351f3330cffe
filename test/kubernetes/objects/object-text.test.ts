import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokenJsonError, valueAt } from '../../../src/kubernetes/objects/json-outline.ts';
import {
  eventFrom,
  hasTooManyParts,
  identityOf,
  MOST_BYTES,
  MOST_DEPTH,
  MOST_PARTS,
  objectFrom,
  pageFrom,
} from '../../../src/kubernetes/objects/object-text.ts';

const METADATA = {
  name: 'agent',
  namespace: 'team-a',
  uid: 'u-1',
  resourceVersion: '7',
  generation: 3,
  finalizers: ['dms-operator.dev/deployment'],
  annotations: { 'dms-operator.dev/paused': 'true' },
};
const STATUS = { deploymentID: '11111111-1111-4111-8111-111111111111', binding: { endpoint: 'https://a' } };
const IDENTITY = {
  connectionRef: { name: 'other' },
  deploymentRef: { name: 'agent-1' },
  source: 'external_container',
  deletionPolicy: 'Delete',
};

/** Returns a Deployment with exactly this many parts in its spec and around it. */
function withParts(parts: number): string {
  const object = { metadata: METADATA, spec: { ...IDENTITY, creation: { extra: { a: [] as number[] } } } };
  const others = valueAt(JSON.stringify(object), 0).parts;
  object.spec.creation.extra.a = Array.from({ length: parts - others }, () => 1);
  // The parts before the status count.
  return JSON.stringify({ ...object, status: STATUS });
}

function withBytes(bytes: number): string {
  const object = { metadata: METADATA, spec: { ...IDENTITY, creation: { extra: { a: '' } } } };
  object.spec.creation.extra.a = 'x'.repeat(bytes - JSON.stringify(object).length);
  return JSON.stringify(object);
}

/** Returns a Deployment that nests this many objects and lists inside each other, including itself. */
function withDepth(depth: number): string {
  const object = { metadata: METADATA, spec: { ...IDENTITY, creation: { extra: { a: 0 } } } };
  const below = depth - 4;
  const nested = '[{"a":'.repeat(below / 2) + '1' + '}]'.repeat(below / 2);
  return JSON.stringify(object).replace('"a":0', `"a":${nested}`);
}

describe('an object of the API server', () => {
  it.each([
    ['parts', withParts(MOST_PARTS)],
    ['bytes', withBytes(MOST_BYTES)],
    ['depth', withDepth(MOST_DEPTH)],
  ])('is read whole up to the limit of its %s', (_what, text) => {
    expect(objectFrom(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['parts', withParts(MOST_PARTS + 1), /^the resource has 20,001 fields and entries, more than the 20,000/],
    ['bytes', withBytes(MOST_BYTES + 1), /^the resource takes 513 KiB, more than the 512 KiB that are read$/],
    [
      'depth',
      withDepth(MOST_DEPTH + 2),
      /^the resource nests 102 objects and lists inside each other, more than/,
    ],
    ['depth, beyond all stack', withDepth(19_000), /^the resource nests 19,000 objects and lists/],
  ])('is read as its identity alone beyond the bound on its %s, and says so', (_what, text, why) => {
    const { status } = JSON.parse(text) as { status?: object };
    expect(objectFrom(text)).toEqual({
      metadata: METADATA,
      spec: IDENTITY,
      ...(status === undefined ? {} : { status }),
      tooLarge: expect.stringMatching(why) as string,
    });
  });

  it('may also hold as much as other clients store in it: managed fields, the last applied configuration, a status', () => {
    const many = Object.fromEntries(Array.from({ length: MOST_PARTS }, (_, n) => [`f:${n}`, {}]));
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(MOST_BYTES),
      mine: '1',
    };
    const object = { metadata: { ...METADATA, annotations, managedFields: [many] }, spec: IDENTITY };
    const read = objectFrom(JSON.stringify({ ...object, status: { many } }));
    expect(read).toEqual({
      ...object,
      metadata: { ...METADATA, annotations },
      status: { many },
    });
  });

  it.each([
    ['first', '{"metadata":{"managedFields":[{"a":1}],"name":"a"}}'],
    [
      'in the middle',
      '{"metadata":{"name":"a","managedFields":[{"a":"\\"managedFields\\": 1,"}],"uid":"u"}}',
    ],
    ['last', '{"metadata":{"name":"a","managedFields":[{"a":1}]}}'],
    ['alone', '{"metadata":{"managedFields":[]}}'],
    ['with space around it', '{ "metadata" : { "name" : "a" , "managedFields" : [ { "a" : 1 } ] } }'],
  ])('loses its managed fields before it is parsed: %s', (_where, text) => {
    const whole = JSON.parse(text) as { metadata: { managedFields?: unknown } };
    delete whole.metadata.managedFields;
    expect(objectFrom(text)).toEqual(whole);
    expect(eventFrom(`{"type":"ADDED","object":${text}}`)).toEqual({ type: 'ADDED', object: whole });
  });

  it('is refused if its managed fields are damaged', () => {
    const text = '{"metadata":{"name":"a","managedFields":[{"a":"\0"}]}}';
    expect(() => objectFrom(text)).toThrow();
    expect(() => eventFrom(`{"type":"ADDED","object":${text}}`)).toThrow();
  });

  it('keeps every managedFields except that of its own metadata', () => {
    const text =
      '{"metadata":{"name":"a"},"spec":{"managedFields":1},"status":{"metadata":{"managedFields":2}}}';
    expect(objectFrom(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['labels', { labels: Object.fromEntries(Array.from({ length: MOST_PARTS }, (_, n) => [`l${n}`, 'x'])) }],
    ['finalizers', { finalizers: Array.from({ length: MOST_PARTS }, (_, n) => `example.com/${n}`) }],
    ['annotations', { annotations: { 'dms-operator.dev/approve': 'x'.repeat(MOST_BYTES) } }],
  ])('with too large %s keeps none of them', (name, part) => {
    const { metadata } = objectFrom(
      JSON.stringify({ metadata: { ...METADATA, ...part }, spec: { source: 'github' } }),
    ) as { metadata: Record<string, unknown> };
    expect({ ...metadata, [name]: undefined }).toEqual({ ...METADATA, [name]: undefined });
    expect(JSON.stringify(metadata[name] ?? {}).length).toBeLessThan(100);
  });

  it('cannot hide its size, nor its identity, behind names and texts that look like more', () => {
    const extra = {
      '"metadata":{"name":"b"}': '\\"}{[,',
      spec: { deletionPolicy: 'Orphan' },
      '\u2028"': [{}],
    };
    const text = JSON.stringify({
      spec: {
        creation: { extra: { ...extra, a: Array.from({ length: MOST_PARTS }, () => extra) } },
        ...IDENTITY,
      },
      metadata: METADATA,
    });
    expect(objectFrom(text)).toMatchObject({ metadata: METADATA, spec: IDENTITY });
    expect(objectFrom(text)).toHaveProperty('tooLarge');
  });

  it('has the same identity if it was parsed before', () => {
    const text = withParts(500);
    const { metadata, status } = JSON.parse(text) as { metadata: object; status: object };
    expect(identityOf(JSON.parse(text) as object, 'why')).toEqual({
      metadata,
      status,
      spec: IDENTITY,
      tooLarge: 'why',
    });
  });
});

describe('a line of a watch', () => {
  it('contains the identity of an object that is too large', () => {
    const line = eventFrom(`{"type":"ADDED","object":${withParts(MOST_PARTS + 1)}}`);
    expect(line).toMatchObject({ type: 'ADDED', object: { metadata: METADATA, spec: IDENTITY } });
    expect(line).toHaveProperty('object.tooLarge');
  });

  it('is read unchanged if it contains no object, however long it is', () => {
    const line = { type: 'BOOKMARK', other: 'x'.repeat(MOST_PARTS) };
    expect(eventFrom(JSON.stringify(line))).toEqual(line);
  });
});

describe('a page of a list', () => {
  it('creates its objects one by one, on demand', () => {
    const { metadata, items } = pageFrom(
      `{"metadata":{"resourceVersion":"9"},"items":[${withParts(MOST_PARTS + 1)}, {"metadata":{"name":"b"}}, oops]}`,
    ) as { metadata: object; items: Iterable<unknown> };
    expect(metadata).toEqual({ resourceVersion: '9' });
    const taken = items[Symbol.iterator]();
    expect(taken.next().value).toHaveProperty('tooLarge');
    expect(taken.next().value).toEqual({ metadata: { name: 'b' } });
    expect(() => taken.next()).toThrow(BrokenJsonError);
  });
});

describe('a Secret', () => {
  it('has too many keys if they exceed the limit of parts', () => {
    const withKeys = (count: number): string =>
      JSON.stringify({ data: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, ''])) });
    expect(hasTooManyParts(withKeys(MOST_PARTS - 2))).toBe(false);
    expect(hasTooManyParts(withKeys(MOST_PARTS))).toBe(true);
    expect(hasTooManyParts(JSON.stringify({ data: { a: 'x'.repeat(1024 * 1024) } }))).toBe(false);
  });
});

describe('a value in a text', () => {
  it('ends at its own end, whatever it contains', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom('', ' ', '\n\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const { end, parts } = valueAt(text, 0);
        expect(end).toBe(text.length);
        expect(parts).toBe(partsOf(value));
        const event = JSON.stringify(
          { type: 'ADDED', pad: 'x'.repeat(MOST_PARTS), object: value },
          null,
          space,
        );
        expect(eventFrom(event)).toEqual(JSON.parse(event));
      }),
      { seed: 5, numRuns: 300 },
    );
  });

  it.each(['', '{', '[1', '"a', '"a\\"', ',', ']'])('does not exist in %j', (text) => {
    expect(() => valueAt(text, 0)).toThrow(BrokenJsonError);
  });
});

/** Counts one part for each list and object, and one for each comma in it. */
function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly unknown[] = Object.values(value);
  return 1 + Math.max(0, members.length - 1) + members.reduce((sum: number, each) => sum + partsOf(each), 0);
}
