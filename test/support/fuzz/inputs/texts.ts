import * as fc from 'fast-check';
import { WORDS } from './words.ts';

/** One change of a text. `at` and `from` are shares of its length in ten-thousandths. */
interface Edit {
  readonly how: keyof typeof HOWS;
  readonly at: number;
  readonly from: number;
  readonly length: number;
  readonly word: number;
}

const WHOLE = 9_999;

/** The tokens of JSON, YAML and headers: quoted texts, numbers and words. */
const TOKENS = /"(?:[^"\\\n]|\\.)*"|[-+]?\d+(?:\.\d+)?|[A-Za-z_][\w.-]*/g;

type Change = (text: Buffer, edit: Edit, others: readonly Buffer[]) => Buffer;

const HOWS = {
  flip: (text, { at, length }) => {
    const flipped = Buffer.from(text);
    const place = placeIn(text, at);
    if (place < flipped.length) flipped[place] = (flipped[place] ?? 0) ^ (1 << (length % 8));
    return flipped;
  },
  cut: (text, { at }) => text.subarray(0, placeIn(text, at)),
  drop: (text, { at, length }) => replaced(text, placeIn(text, at), length, Buffer.of()),
  insert: (text, { at, word }) => replaced(text, placeIn(text, at), 0, wordAt(word)),
  overwrite: (text, { at, length, word }) => replaced(text, placeIn(text, at), length, wordAt(word)),
  repeat: (text, { at, length, word }) => {
    const place = placeIn(text, at);
    const piece = text.subarray(place, place + length);
    return replaced(text, place, 0, Buffer.concat(Array.from({ length: word % 60 }, () => piece)));
  },
  splice: (text, { at, from, length, word }, others) => {
    const other = others[word % others.length] ?? text;
    const start = placeIn(other, from);
    return replaced(text, placeIn(text, at), 0, other.subarray(start, start + 8 * length));
  },
  token: (text, { at, word }) => {
    const tokens = [...text.toString('latin1').matchAll(TOKENS)];
    const token = tokens[Math.floor((at / (WHOLE + 1)) * tokens.length)];
    return token === undefined ? text : replaced(text, token.index, token[0].length, wordAt(word));
  },
} as const satisfies Readonly<Record<string, Change>>;

const edit: fc.Arbitrary<Edit> = fc.record({
  how: fc.constantFrom(...(Object.keys(HOWS) as (keyof typeof HOWS)[])),
  at: fc.nat(WHOLE),
  from: fc.nat(WHOLE),
  length: fc.nat(60),
  word: fc.nat(WORDS.length - 1),
});

/** Returns texts that were valid, after up to six changes. A failing text shrinks to the necessary changes. */
export function brokenTexts(whole: readonly Buffer[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...whole), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([text, edits]) => edits.reduce((changed, one) => HOWS[one.how](changed, one, whole), text));
}

function placeIn(text: Buffer, at: number): number {
  return Math.floor((at / WHOLE) * text.length);
}

function wordAt(word: number): Buffer {
  return WORDS[word] ?? Buffer.of();
}

function replaced(text: Buffer, place: number, length: number, by: Buffer): Buffer {
  return Buffer.concat([text.subarray(0, place), by, text.subarray(place + length)]);
}
