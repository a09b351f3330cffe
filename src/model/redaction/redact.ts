import {
  asBase64,
  asWritten,
  type Reading,
  withoutEncoding,
  withoutEntities,
  withoutEscapes,
} from './reading.ts';
import type { SecretValue } from '../../base/secret-value.ts';
import {
  LONGEST_ESCAPE,
  PIECE_LENGTH,
  piecesOfAll,
  partsOf,
  SHORTEST_ANYWHERE,
  SpellingIndex,
  type Way,
} from './pieces.ts';
import { type Cuts, merged, occurrences, type Range, type Steps } from './occurrences.ts';
import { textForPeople } from '../../base/text-for-people.ts';

/** Makes a text displayable: without secrets and control characters, and not too long. */
export type Redact = (text: string) => string;

/** The text in place of a secret. */
export const MARK = '[redacted]';

/** Returns a text unchanged. */
export const SHOWN_WHOLE: Redact = (text) => text;

/** The longest text of a status, in bytes. */
const STATUS_LENGTH = 1_024;

/** The length of the service's text in an error (N68), in bytes. */
const DEFAULT_LENGTH = 512;

/**
 * An upper limit for the spelling of one piece. The search goes this far beyond the shown part, since a secret may
 * begin at its end.
 */
const LONGEST_SPELLING = 16 * PIECE_LENGTH;

/**
 * The most characters of pieces to search for in a short text; the limit grows with the text. If more pieces may occur,
 * the redactor shows nothing of the text.
 */
const MOST_LOOKED_FOR = 8_192;

/**
 * Makes a `Redact` that replaces each of `secrets`, and its parts that count alone, by [redacted]: in plain, in
 * escapes of JSON and of programming languages, URL-encoded, in HTML entities and in base64. It also turns control
 * and invisible characters into spaces and cuts the text at `maxBytes`. It replaces values of one to three characters
 * only as separate words. Before an ellipsis it also replaces the beginning of a secret, since a service may cut the
 * text that it repeats. The work grows with the lengths of text and secrets, whatever their contents are: both come
 * from outside. If there are too many secrets at once, it searches for none, and shows nothing of the text.
 */
export function redactorOf(secrets: Iterable<SecretValue>, maxBytes: number = DEFAULT_LENGTH): Redact {
  const redact = countingRedactorOf(secrets, maxBytes);
  return (text) => redact(text, { count: 0 });
}

/** Works like `redactorOf`, and counts the steps of each call. */
export function countingRedactorOf(
  secrets: Iterable<SecretValue>,
  maxBytes: number,
): (text: string, steps: Steps) => string {
  const values = new Set(Array.from(secrets, (secret) => secret.reveal()).filter((value) => value !== ''));
  let search: Search | undefined;
  return (text, steps) => {
    const seen = text.slice(0, 16 * maxBytes + LONGEST_SPELLING);
    const shownLength = seen.length < text.length ? seen.length - LONGEST_SPELLING : seen.length;
    const ranges = values.size === 0 ? [] : (search ??= searchFor(values))(seen, steps);
    if (ranges === undefined) return MARK;
    return textForPeople(withoutRanges(seen, ranges, shownLength), maxBytes);
  };
}

/** Works like `redactorOf` for texts of a status; without secrets, texts stay unchanged. */
export function statusRedactorOf(secrets: readonly SecretValue[]): Redact {
  return secrets.length === 0 ? SHOWN_WHOLE : redactorOf(secrets, STATUS_LENGTH);
}

/** Redacts one text with `redactorOf`. If several texts share their secrets, use one redactor instead. */
export function redactText(text: string, secrets: Iterable<SecretValue>, maxBytes?: number): string {
  return redactorOf(secrets, maxBytes)(text);
}

/** The readings of a text, one for each way to spell a value character by character. */
const WAYS: readonly Way[] = [
  { read: asWritten, signs: /(?:)/, special: /(?!)/ },
  { read: withoutEscapes, signs: /\\/, special: /[\\\b\f\n\r\t]/ },
  { read: withoutEncoding, signs: /[%+]/, special: /[\\%+\b\f\n\r\t]/ },
  { read: withoutEntities, signs: /&/, special: /[\\&\b\f\n\r\t]/ },
];

/**
 * Finds the places of secrets in a text, in order and disjoint; undefined if there are too many secrets to
 * search for.
 */
type Search = (text: string, steps: Steps) => readonly Range[] | undefined;

/** Prepares the values once, for the first text that needs them. */
function searchFor(values: ReadonlySet<string>): Search {
  const pieces = piecesOfAll(values);
  if (pieces === undefined) return () => undefined;
  const indexes = new Map<Way, SpellingIndex>();
  let base64: Base64Index | undefined;
  return (text, steps) => {
    const found: Range[] = [];
    for (const way of WAYS.filter(({ signs }) => signs.test(text))) {
      const index = indexes.get(way) ?? new SpellingIndex(pieces, way, steps);
      indexes.set(way, index);
      const ranges = rangesIn(way.read(text), index, steps);
      if (ranges === undefined) return undefined;
      found.push(...ranges);
    }
    base64 ??= new Base64Index(pieces.anywhere, steps);
    const encoded = base64.rangesIn(asBase64(text), steps);
    return encoded && merged([...found, ...encoded]);
  };
}

function rangesIn(reading: Reading, index: SpellingIndex, steps: Steps): readonly Range[] | undefined {
  const { folded } = reading;
  const cuts = cutsIn(folded);
  const patterns = index.in(partsOf(folded), cuts.cuts.size > 0, mostIn(folded), steps);
  if (patterns === undefined) return undefined;
  const begun = [...cuts.cuts].map((to) => ({ from: to - index.beginningBefore(folded, to), to }));
  steps.count += folded.length + reading.backslashes.length;
  return [
    ...placed(reading, occurrences(folded, patterns, steps, cuts)),
    ...placed(
      reading,
      begun.filter(({ from, to }) => from < to),
    ),
    ...standingAlone(reading, index, steps),
    ...reading.backslashes.filter(({ count }) => count >= index.shortestRun),
  ];
}

function mostIn({ length }: string): number {
  return MOST_LOOKED_FOR + 4 * length;
}

/** Returns the places where a text indicates that it was cut, even within the escape of a character. */
function cutsIn(folded: string): Cuts {
  const cuts = new Set<number>();
  for (const { index } of folded.matchAll(/…|\.\.\./g)) {
    cuts.add(index);
    for (let at = Math.max(0, index - LONGEST_ESCAPE); at < index; at += 1)
      if (/[%&\\uUx\x80-\xff]/.test(folded.charAt(at))) cuts.add(at);
  }
  return { cuts, shortest: SHORTEST_ANYWHERE };
}

function placed({ ranges }: Reading, places: readonly Range[]): readonly Range[] {
  return places.map(({ from, to }) => ({ from: ranges[from]?.from ?? 0, to: ranges[to - 1]?.to ?? 0 }));
}

const WORD = /[\p{L}\p{N}_]/u;

/** Finds short values that are separate words. */
function standingAlone(
  reading: Reading,
  { alone, longestAlone }: SpellingIndex,
  steps: Steps,
): readonly Range[] {
  if (alone.size === 0) return [];
  const { folded, plain } = reading;
  const found: Range[] = [];
  for (let from = 0; from < folded.length; from += 1) {
    for (let to = from + 1; to <= Math.min(from + longestAlone, folded.length); to += 1) {
      steps.count += 1;
      if (alone.has(folded.slice(from, to)) && isAlone(plain, from, to)) found.push({ from, to });
    }
  }
  return placed(reading, found);
}

function isAlone(text: string, from: number, to: number): boolean {
  const after = String.fromCodePoint(text.codePointAt(to) ?? 0);
  return !WORD.test(lastCharacter(text.slice(Math.max(0, from - 2), from))) && !WORD.test(after);
}

function lastCharacter(text: string): string {
  return Array.from(text).at(-1) ?? '';
}

/** The fewest characters of base64 that count, since ordinary words look like shorter ones. */
const SHORTEST_BASE64 = 4;

/** An index of pieces by the beginning of their base64: its first four characters, as a number of 24 bits. */
class Base64Index {
  readonly #byBeginning = new Map<number, string[]>();

  constructor(pieces: readonly string[], steps: Steps) {
    for (const piece of pieces) {
      steps.count += SHORTEST_BASE64;
      for (const beginning of beginningsOf(piece)) {
        const same = this.#byBeginning.get(beginning);
        if (same === undefined) this.#byBeginning.set(beginning, [piece]);
        else same.push(piece);
      }
    }
  }

  /** Finds the base64 of a piece; undefined if there are too many pieces to search for. */
  rangesIn(reading: Reading, steps: Steps): readonly Range[] | undefined {
    const { folded } = reading;
    const may = new Set<string>();
    const most = mostIn(folded);
    let length = 0;
    for (const beginning of beginningsIn(folded)) {
      for (const piece of this.#byBeginning.get(beginning) ?? []) {
        if (!may.has(piece)) length += piece.length;
        may.add(piece);
        if (length > most) return undefined;
      }
    }
    const patterns = [...may].flatMap(base64Spellings);
    steps.count += 2 * folded.length + 4 * length;
    const found = occurrences(folded, patterns, steps, cutsIn(folded));
    return placed(
      reading,
      found.map((place) => withNeighbours(reading, place)),
    );
  }
}

/** Returns every sequence of four base64 characters in a text. */
function beginningsIn(folded: string): ReadonlySet<number> {
  const beginnings = new Set<number>();
  let bits = 0;
  let signs = 0;
  for (let at = 0; at < folded.length; at += 1) {
    const sign = SIGNS.indexOf(folded.charAt(at));
    signs = sign === -1 ? 0 : signs + 1;
    bits = ((bits << 6) | sign) & 0xff_ffff;
    if (signs >= SHORTEST_BASE64) beginnings.add(bits);
  }
  return beginnings;
}

const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Returns the possible beginnings of a value's base64, as numbers of 24 bits; see `base64Spellings`. */
function beginningsOf(value: string): readonly number[] {
  if (value.length <= SHORTEST_BASE64)
    return base64Spellings(value).flatMap((own) => [...beginningsIn(own.slice(0, SHORTEST_BASE64))]);
  const [a = 0, b = 0, c = 0, d = 0] = new TextEncoder().encode(value.slice(0, SHORTEST_BASE64));
  const first = (a << 24) | (b << 16) | (c << 8) | d;
  return [8, 4, 6].map((shift) => (first >>> shift) & 0xff_ffff);
}

/** Returns the base64 of a value at each of the three offsets, without the characters that depend on its neighbours. */
function base64Spellings(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  return [0, 1, 2].flatMap((offset) => {
    const shifted = new Uint8Array(offset + bytes.length);
    shifted.set(bytes, offset);
    const own = base64(shifted).slice(Math.ceil((offset * 8) / 6), Math.floor((shifted.length * 8) / 6));
    return own.length < SHORTEST_BASE64 ? [] : [own];
  });
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/**
 * Extends a range to the neighbouring characters, which share bits with the value, and to the `=` signs that follow.
 */
function withNeighbours({ folded }: Reading, { from, to }: Range): Range {
  const isSign = (at: number): boolean => at >= 0 && at < folded.length && SIGNS.includes(folded.charAt(at));
  let end = isSign(to) ? to + 1 : to;
  for (let n = 0; n < 2 && folded.charAt(end) === '='; n += 1) end += 1;
  return { from: isSign(from - 1) ? from - 1 : from, to: end };
}

function withoutRanges(text: string, ranges: readonly Range[], length: number): string {
  let shown = '';
  let at = 0;
  for (const { from, to } of ranges) {
    if (from >= length) break;
    shown += text.slice(at, from) + MARK;
    at = to;
  }
  return shown + text.slice(at, Math.max(at, length));
}
