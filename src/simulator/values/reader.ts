import { textForPeople } from '../../base/text-for-people.ts';
import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import { uuidFrom } from './identifiers.ts';
import { isWireObject } from './wire-values.ts';

/** Reads one value of a document, and collects problems as `path: problem; expected form`. */
export type Reader<T> = (value: WireJson | undefined, path: string, problems: string[]) => T;

/** The largest number of problems in one report: a person does not correct more before the next try. */
const MOST_PROBLEMS = 100;

/** Reports a document that cannot be read; the message has one line per problem. */
export class DocumentError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const told = problems.slice(0, MOST_PROBLEMS).map((problem) => textForPeople(problem));
    super(told.join('\n'));
    this.name = 'DocumentError';
    this.problems = told;
  }
}

/** Reads a whole document. Throws a DocumentError with every problem in it. */
export function readDocument<T>(reader: Reader<T>, document: unknown): T {
  const problems: string[] = [];
  const result = reader(document as WireJson, '', problems);
  if (problems.length > 0) throw new DocumentError(problems);
  return result;
}

/**
 * Makes a reader that accepts the values for which `test` is true. For all others it reports the expected form and
 * returns `fallback`.
 */
export function expecting<T extends WireJson>(
  expected: string,
  test: (value: WireJson) => value is T,
  fallback: T,
): Reader<T> {
  return (value, path, problems) => {
    if (value !== undefined && test(value)) return value;
    problems.push(
      `${path || 'the document'}: ${value === undefined ? 'is missing' : 'is wrong'}; expected ${expected}`,
    );
    return fallback;
  };
}

/** Reads a text that is not empty. */
export const text: Reader<string> = expecting(
  'a text that is not empty',
  (value): value is string => typeof value === 'string' && value !== '',
  '',
);

/** Reads a UUID. Returns '' if there is none; the problem is already reported then. */
export const uuid: Reader<string> = (value, path, problems) => {
  const found = text(value, path, problems);
  if (found !== '' && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(found)) {
    problems.push(`${path}: is not a UUID; expected one such as ${uuidFrom(path)}`);
  }
  return found;
};

/** Reads any text. */
export const anyText: Reader<string> = expecting(
  'a text',
  (value): value is string => typeof value === 'string',
  '',
);

/** Reads true or false. */
export const flag: Reader<boolean> = expecting(
  'true or false',
  (value): value is boolean => typeof value === 'boolean',
  false,
);

/** Reads any object. */
export const object: Reader<WireObject> = expecting('an object', isWireObject, {});

/** Reads a number that counts or measures. */
export const count: Reader<number> = expecting(
  'a number, 0 or greater',
  (value): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  0,
);

/** Reads any JSON value. */
export const anything: Reader<WireJson> = (value, path, problems) => {
  if (value === undefined) problems.push(`${path}: is missing; expected any value`);
  return value ?? null;
};

/** Makes a reader of one of several texts. */
export function oneOf<T extends string>(values: readonly [T, ...T[]]): Reader<T> {
  return expecting(
    `one of ${values.join(', ')}`,
    (value): value is T => (values as readonly WireJson[]).includes(value),
    values[0],
  );
}

/** Makes a reader of a list; `item` reads each item. */
export function listOf<T>(item: Reader<T>): Reader<readonly T[]> {
  return (value, path, problems) => {
    if (Array.isArray(value)) {
      return (value as readonly WireJson[]).map((member, at) => item(member, `${path}[${at}]`, problems));
    }
    problems.push(
      `${path || 'the document'}: is ${value === undefined ? 'missing' : 'wrong'}; expected a list`,
    );
    return [];
  };
}

/** Makes a reader of an object with free keys; `item` reads each value. */
export function mapOf<T>(item: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return (value, path, problems) =>
    Object.fromEntries(
      Object.entries(object(value, path, problems)).map(([key, member]) => [
        key,
        item(member, `${path}.${key}`, problems),
      ]),
    );
}

/** Makes a reader of a value that may be missing or null. */
export function optional<T, F>(reader: Reader<T>, fallback: F): Reader<T | F> {
  return (value, path, problems) =>
    value === undefined || value === null ? fallback : reader(value, path, problems);
}

/** Makes a reader of an object that reads the keys one by one; keys that it never reads are problems. */
export function fields<T>(read: (field: FieldReader) => T): Reader<T> {
  return (value, path, problems) => {
    const members: WireObject = object(value, path, problems);
    const asked = new Set<string>();
    const result = read((key, reader) => {
      asked.add(key);
      return reader(members[key], below(path, key), problems);
    });
    const unknown = Object.keys(members).filter((key) => !asked.has(key));
    for (const key of unknown) {
      problems.push(`${below(path, key)}: is not known; expected ${[...asked].join(', ')}`);
    }
    return result;
  };
}

/** Reads one key of the current object. */
export type FieldReader = <T>(key: string, reader: Reader<T>) => T;

/** Makes a reader of objects whose `kind` names their type. */
export function byKind<T>(readers: Readonly<Record<string, Reader<T>>>, fallback: T): Reader<T> {
  return (value, path, problems) => {
    const kind = isWireObject(value) ? value['kind'] : undefined;
    const reader = typeof kind === 'string' && Object.hasOwn(readers, kind) ? readers[kind] : undefined;
    if (reader !== undefined) return reader(value, path, problems);
    problems.push(
      `${below(path, 'kind')}: is ${kind === undefined ? 'missing' : 'wrong'}; expected one of ${Object.keys(readers).join(', ')}`,
    );
    return fallback;
  };
}

/** Makes a reader of the `kind` of an object that byKind chose. */
export function kind<T extends string>(name: T): Reader<T> {
  return () => name;
}

function below(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
