import { count, listOf, oneOf, type Reader } from '../values/reader.ts';

/** One open question of the specification: its possible answers, and how documents and people write them. */
export interface Switch<Value> {
  /** The answer of a pleasant service. */
  readonly pleasant: Value;
  readonly reader: Reader<Value>;
  /** Absent if only a document can set the switch. */
  readonly words?: Words<Value>;
}

/** The group of a switch's words. Several switches may share one. */
interface Group {
  readonly group: string;
  /** Absent if an earlier switch of the group has it. */
  readonly about?: string;
}

/** The words for a switch that people write, for example `secrets:stars`. */
export interface Words<Value> extends Group {
  readonly values: Readonly<Record<string, Value>>;
  readonly pattern?: Pattern<Value>;
}

/** Words with a number, for example `20s`: their form, and their meaning. */
export interface Pattern<Value> {
  readonly form: string;
  readonly read: (text: string) => Value | undefined;
}

/** A switch with several positions. */
export interface Choice<Values extends readonly string[]> extends Switch<Values[number]> {
  readonly values: Values;
  readonly words: Words<Values[number]>;
}

/** Makes a switch with several positions; the first one is the pleasant one unless `pleasant` names another. */
export function choice<const Values extends readonly [string, ...string[]]>(
  group: Group,
  values: Values,
  pleasant: Values[number] = values[0],
): Choice<Values> {
  const reader = oneOf<Values[number]>(values);
  return { pleasant, reader, values, words: { ...group, values: itself(values) } };
}

/** Makes a switch that may have several positions at once, with the word `none` for none of them. */
export function several<const Values extends readonly [string, ...string[]]>(
  { none, ...group }: Group & { readonly none: string },
  values: Values,
): Switch<readonly Values[number][]> & { readonly values: Values } {
  const alone = Object.fromEntries(values.map((value) => [value, [value]]));
  return {
    pleasant: [],
    values,
    reader: listOf(oneOf<Values[number]>(values)),
    words: { ...group, values: { [none]: [], ...alone } },
  };
}

/** Makes a switch for a time in seconds, written like `30s` after a `prefix`; `pleasant` is in seconds. */
export function duration(words: Group & { readonly prefix?: string }, pleasant = 0): Switch<number> {
  const { prefix = '', ...group } = words;
  const read = (text: string): number | undefined =>
    text.startsWith(prefix) ? numberIn(/^(\d+)s$/.exec(text.slice(prefix.length))) : undefined;
  const pattern = { form: `${prefix}30s`, read };
  return { pleasant, reader: count, words: { ...group, values: {}, pattern } };
}

/** Makes a switch that only a document can set. */
export function unworded<Value>(pleasant: Value, reader: Reader<Value>): Switch<Value> {
  return { pleasant, reader };
}

/** Returns each text under its own name. */
export function itself<Value extends string>(values: readonly Value[]): Record<string, Value> {
  return Object.fromEntries(values.map((value) => [value, value]));
}

/** Returns the number in the first group of a match. */
export function numberIn(match: RegExpExecArray | null): number | undefined {
  return match === null ? undefined : Number(match[1]);
}
