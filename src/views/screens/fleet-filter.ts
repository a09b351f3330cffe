import type { FleetRow } from './fleet-row.ts';

/** The meaning of the text in a filter box, or why it has none. */
export type FleetFilter =
  | { readonly kind: 'filter'; readonly matches: (row: FleetRow) => boolean }
  | { readonly kind: 'unknown'; readonly why: string };

type Condition = (row: FleetRow) => boolean;

/** Words before a colon, each with the condition that its value makes. */
const WORDS: Readonly<Record<string, (value: string) => Condition>> = {
  name: (value) => named(value),
  reason: (value) => {
    const reasons = value.split(',').filter((reason) => reason !== '');
    return ({ headline }) => reasons.includes(headline);
  },
  connection:
    (value) =>
    ({ connection }) =>
      connection === value,
  namespace:
    (value) =>
    ({ namespace }) =>
      namespace === value,
};

/** More words than anybody types. */
const MOST_WORDS = 32;

/**
 * Reads a filter: words with spaces between them, all of which must hold. `name:x` is a part of the name, `reason:X,Y` one of
 * these reasons, `connection:x` and `namespace:x` exactly these, `label=value` a label; a bare word is a part of the name.
 */
export function fleetFilter(text: string): FleetFilter {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length > MOST_WORDS) return { kind: 'unknown', why: `a filter has at most ${MOST_WORDS} words` };
  const conditions: Condition[] = [];
  for (const word of words) {
    const condition = conditionOf(word);
    if ('why' in condition) return { kind: 'unknown', why: condition.why };
    conditions.push(condition.holds);
  }
  return { kind: 'filter', matches: (row) => conditions.every((holds) => holds(row)) };
}

function conditionOf(word: string): { readonly holds: Condition } | { readonly why: string } {
  const [colon, equals] = [word.indexOf(':'), word.indexOf('=')];
  // A key of a label has no colon, and its value has neither.
  if (equals !== -1 && (colon === -1 || equals < colon)) {
    const [label, wanted] = [word.slice(0, equals), word.slice(equals + 1)];
    return { holds: ({ labels }) => Object.hasOwn(labels, label) && labels[label] === wanted };
  }
  if (colon === -1) return { holds: named(word) };
  const [kind, value] = [word.slice(0, colon), word.slice(colon + 1)];
  const make = Object.hasOwn(WORDS, kind) ? WORDS[kind] : undefined;
  if (make === undefined)
    return { why: `"${kind}:" is not known; there is ${Object.keys(WORDS).join(':, ')}: and label=value` };
  return value === '' ? { holds: () => true } : { holds: make(value) };
}

function named(part: string): Condition {
  const wanted = part.toLowerCase();
  return ({ name }) => name.toLowerCase().includes(wanted);
}
