import type { WireJson } from '../../wire/wire-json.ts';
import { fields, oneOf, type Reader } from '../values/reader.ts';
import { parseSemantics } from './parse-semantics.ts';
import type { SemanticsPatch, ServiceSemantics } from './semantics.ts';
import { NESTED_BLOCKS, NESTED_MODES, SWITCHES } from './switches.ts';

/** Reads switches as words (`"replace,masked"`), as a list of words, or as an object of switches. */
export const semanticsPatch: Reader<SemanticsPatch> = (value, path, problems) => {
  const words = typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : undefined;
  if (words === undefined) return switches(value, path, problems);
  const result = parseSemantics(words);
  if (result.ok) return result.patch;
  problems.push(...result.problems.map((found) => `${path || 'semantics'}: ${found}`));
  return {};
};

type Nested = Partial<ServiceSemantics['nested']>;

const nested: Reader<Nested> = fields((field) => {
  const read = Object.keys(NESTED_BLOCKS).map((key) => field(key, present(key, oneOf(NESTED_MODES))));
  return Object.assign({}, ...read) as Nested;
});

const switches: Reader<SemanticsPatch> = fields((field) => {
  const read = Object.entries(SWITCHES).map(([key, { reader }]) =>
    field(key, present(key, reader as Reader<WireJson>)),
  );
  return Object.assign({}, ...read, field('nested', present('nested', nested))) as SemanticsPatch;
});

/** Returns a switch under its key if it was given, and otherwise an empty object. */
function present<Key extends string, T>(key: Key, reader: Reader<T>): Reader<{ readonly [K in Key]?: T }> {
  return (value, path, problems) =>
    value === undefined ? {} : ({ [key]: reader(value, path, problems) } as { readonly [K in Key]?: T });
}
