import * as fc from 'fast-check';
import { JSON_WORDS, KEYS } from './words.ts';

type Tree = null | boolean | number | string | Tree[] | { [key: string]: Tree };

/** One change of a JSON document. `at` chooses the place, in ten-thousandths of all places. */
interface Edit {
  readonly how: 'replace' | 'remove' | 'nest' | 'repeat' | 'add' | 'rename' | 'move';
  readonly at: number;
  readonly from: number;
  readonly word: number;
}

const SHARES = 10_000;

const edit: fc.Arbitrary<Edit> = fc.record({
  how: fc.constantFrom('replace', 'replace', 'remove', 'nest', 'repeat', 'add', 'rename', 'move'),
  at: fc.nat(SHARES - 1),
  from: fc.nat(SHARES - 1),
  word: fc.nat(JSON_WORDS.length - 1),
});

/** Returns JSON documents with up to four changed parts. They stay valid JSON, with any value that JSON can express. */
export function brokenTrees(whole: readonly Buffer[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...whole), fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([text, edits]) => {
      const root: Tree[] = [JSON.parse(text.toString()) as Tree];
      for (const one of edits) apply(root, one);
      return Buffer.from(jsonOf(root[0] ?? null));
    });
}

/**
 * Code units of texts, including single surrogates. A string of fast-check would first make a table of all of
 * Unicode, in every process.
 */
const units = fc.array(fc.nat(0xffff), { maxLength: 12 });

/** Random JSON documents. */
export const anyTrees: fc.Arbitrary<string> = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(...JSON_WORDS),
    units.map((text) => JSON.stringify(String.fromCharCode(...text))),
    fc.double().map((number) => (Number.isFinite(number) ? String(number) : 'null')),
    fc.array(tie('tree'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc
      .array(fc.tuple(fc.constantFrom(...KEYS), tie('tree')), { maxLength: 4 })
      .map((members) => `{${members.map(([key, member]) => `${JSON.stringify(key)}:${member}`).join()}}`),
  ),
})).tree;

interface Place {
  readonly holder: Tree[] | { [key: string]: Tree };
  readonly key: string;
}

function apply(root: Tree[], { how, at, from, word }: Edit): void {
  const places = placesIn(root);
  const place = places[Math.floor((at / SHARES) * places.length)];
  if (place === undefined) return;
  const { holder, key } = place;
  const value = valueAt(place);
  const name = KEYS[word % KEYS.length] ?? '';
  if (how === 'replace') set(place, marked(word));
  else if (how === 'remove') Reflect.deleteProperty(holder, key);
  else if (how === 'nest') set(place, word % 2 === 0 ? [value] : { a: value });
  else if (how === 'repeat' && Array.isArray(holder))
    holder.push(...Array.from({ length: word % 20 }, () => value));
  else if (how === 'add' && isRecord(value))
    set({ holder: value, key: name }, marked(from % JSON_WORDS.length));
  else if (how === 'rename' && !Array.isArray(holder)) {
    Reflect.deleteProperty(holder, key);
    set({ holder, key: name }, value);
  } else if (how === 'move') {
    const other = places[Math.floor((from / SHARES) * places.length)];
    // A copy, because a part inside itself would form a cycle.
    if (other !== undefined) set(place, structuredClone(valueAt(other)));
  }
}

function placesIn(root: Tree[]): readonly Place[] {
  const places: Place[] = [];
  const left: (Tree[] | { [key: string]: Tree })[] = [root];
  for (let holder = left.pop(); holder !== undefined; holder = left.pop()) {
    for (const [key, member] of Object.entries(holder)) {
      places.push({ holder, key });
      if (typeof member === 'object' && member !== null) left.push(member);
    }
  }
  return places;
}

function isRecord(value: Tree): value is { [key: string]: Tree } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt({ holder, key }: Place): Tree {
  return (holder as { readonly [key: string]: Tree })[key] ?? null;
}

/** Sets an own property, whatever its name. */
function set({ holder, key }: Place, value: Tree): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Returns a marker for a word until the document is text: numbers such as 1e400, and duplicate keys, exist only in
 * text.
 */
function marked(word: number): string {
  return `\u0001${word}\u0001`;
}

function jsonOf(tree: Tree): string {
  return JSON.stringify(tree).replaceAll(
    /"\\u0001(\d+)\\u0001"/g,
    (_, word) => JSON_WORDS[Number(word)] ?? 'null',
  );
}

const NUMBERS = [0, 1, -1, 7, 2_147_483_647, 9_007_199_254_740_991];
const TIMES = [
  '0001-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '2026-11-20T12:00:00.000Z',
  '2100-02-28T23:59:59+14:00',
  '9999-12-31T23:59:59Z',
];
const TEXTS = [...KEYS, 'x'.repeat(3000), 'e\u0301'.repeat(300), '2026-11-20T10:00:00Z'];

/** Returns JSON documents whose leaves are other values of the same kind, which a schema may accept. */
export function otherLeaves(whole: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const change = fc.tuple(fc.nat(SHARES - 1), fc.nat(99));
  return fc
    .tuple(fc.constantFrom(...whole), fc.array(change, { minLength: 1, maxLength: 8 }))
    .map(([text, changes]) => {
      const root: Tree[] = [JSON.parse(text.toString()) as Tree];
      for (const [at, which] of changes) {
        const places = placesIn(root);
        const place = places[Math.floor((at / SHARES) * places.length)];
        if (place !== undefined) set(place, alike(valueAt(place), which));
      }
      return Buffer.from(JSON.stringify(root[0]));
    });
}

function alike(value: Tree, which: number): Tree {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return NUMBERS[which % NUMBERS.length] ?? 0;
  if (typeof value !== 'string') return Array.isArray(value) ? value.slice(which % 3) : value;
  const choices = /^\d{4}-\d\d-\d\dT/.test(value) ? TIMES : TEXTS;
  return choices[which % choices.length] ?? '';
}
