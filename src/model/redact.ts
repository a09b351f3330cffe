import { asBase64, asWritten, type Reading, withoutEncoding, withoutEscapes } from './reading.ts';
import type { SecretValue } from './secret.ts';
import { merged, occurrences, type Range, type Steps } from './text-search.ts';
import { textForPeople } from './text-for-people.ts';

/** Makes a text fit to be shown: without secrets, without control characters, not too long. */
export type Redact = (text: string) => string;

/** Stands where a secret was. */
export const MARK = '[redacted]';

/** The length of what the service says of an error (N68), in bytes. */
const DEFAULT_LENGTH = 512;

/** Long values are looked for piece by piece, so that a part of one is found as well. */
const PIECE_LENGTH = 512;

/** A line of a longer value counts as a secret of its own from this length on. */
const SHORTEST_LINE = 8;

/** Values shorter than this stand in the middle of ordinary words: they are hidden only where they stand alone. */
const SHORTEST_ANYWHERE = 4;

/** More than any spelling of one piece: what may be the beginning of a secret at the end of what is looked at. */
const LONGEST_SPELLING = 16 * PIECE_LENGTH;

/** More pieces than this are not looked for: then nothing of a text is shown. */
const MOST_PIECES = 16_384;

/** Of pieces that may occur in a text so many characters are looked for; where there are more, nothing of it is shown. */
const MOST_LOOKED_FOR = 65_536;

/** So much of a piece is read to see whether it may occur at all. */
const GLANCE = 48;

/**
 * A `Redact` that replaces every one of `secrets` by [redacted], in plain, JSON-escaped, URL-encoded and base64
 * form, turns control and invisible characters into spaces and cuts the text at `maxBytes`. Values of one to three
 * characters are replaced only where they stand alone. The work grows with the lengths of text and secrets, whatever they
 * are made of: both come from outside. Of too many secrets at once nothing is looked for, and nothing of the text is shown.
 */
export function redactorOf(secrets: Iterable<SecretValue>, maxBytes: number = DEFAULT_LENGTH): Redact {
  const redact = countingRedactorOf(secrets, maxBytes);
  return (text) => redact(text, { count: 0 });
}

/** As `redactorOf`, and counts the steps of each call. */
export function countingRedactorOf(
  secrets: Iterable<SecretValue>,
  maxBytes: number,
): (text: string, steps: Steps) => string {
  const values = new Set(Array.from(secrets, (secret) => secret.reveal()).filter((value) => value !== ''));
  const pieces = piecesOfAll(values);
  return (text, steps) => {
    const seen = text.slice(0, 16 * maxBytes + LONGEST_SPELLING);
    const shownLength = seen.length < text.length ? seen.length - LONGEST_SPELLING : seen.length;
    const ranges = values.size === 0 ? [] : rangesOf(seen, pieces, steps);
    if (ranges === undefined) return MARK;
    return textForPeople(withoutRanges(seen, ranges, shownLength), maxBytes);
  };
}

/** One text through `redactorOf`; where several texts share their secrets, keep the redactor instead. */
export function redactText(text: string, secrets: Iterable<SecretValue>, maxBytes?: number): string {
  return redactorOf(secrets, maxBytes)(text);
}

/** Pieces of all values, and long lines of them; undefined where there are too many. */
function piecesOfAll(values: ReadonlySet<string>): readonly string[] | undefined {
  const pieces = new Set<string>();
  for (const value of values) {
    for (const part of [value, ...linesOf(value)]) {
      for (const piece of piecesOf(part)) pieces.add(piece);
      if (pieces.size > MOST_PIECES) return undefined;
    }
  }
  return [...pieces];
}

function linesOf(value: string): readonly string[] {
  return value.split(/[\r\n]+/).filter((line) => line !== value && line.length >= SHORTEST_LINE);
}

/** Pieces of one length, none of which ends within a pair of surrogates. */
function piecesOf(value: string): readonly string[] {
  const count = Math.ceil(value.length / PIECE_LENGTH);
  const length = Math.ceil(value.length / count);
  const cutAt = (n: number): number => {
    const at = Math.min(n * length, value.length);
    const isInPair =
      (value.charCodeAt(at) & 0xfc00) === 0xdc00 && (value.charCodeAt(at - 1) & 0xfc00) === 0xd800;
    return isInPair ? at - 1 : at;
  };
  return Array.from({ length: count }, (_, n) => value.slice(cutAt(n), cutAt(n + 1)));
}

/** A way to read text and values alike. */
interface Way {
  readonly read: (text: string) => Reading;
  /** What makes a text read otherwise than as it stands; a text without it is not read in this way. */
  readonly signs: RegExp;
  /** What makes a value read otherwise than as it stands. */
  readonly special: RegExp;
}

/** The ways in which a text may spell a value with the same number of characters. */
const WAYS: readonly Way[] = [
  { read: asWritten, signs: /(?:)/, special: /(?!)/ },
  { read: withoutEscapes, signs: /\\/, special: /[\\\b\f\n\r\t]/ },
  { read: withoutEncoding, signs: /[%+]/, special: /[\\%+\b\f\n\r\t]/ },
];

/** Where secrets stand, in order and apart from each other; undefined where there are too many to look for. */
function rangesOf(
  text: string,
  pieces: readonly string[] | undefined,
  steps: Steps,
): readonly Range[] | undefined {
  if (pieces === undefined) return undefined;
  const found: Range[] = [];
  for (const way of WAYS.filter(({ signs }) => signs.test(text))) {
    const reading = way.read(text);
    steps.count += text.length;
    const patterns = patternsIn(reading, way, pieces, steps);
    if (patterns === undefined) return undefined;
    found.push(
      ...placed(reading, occurrences(reading.folded, patterns.anywhere, steps)),
      ...placed(reading, standingAlone(reading, patterns.alone, steps)),
      ...runsOf(reading, pieces, steps),
    );
  }
  const encoded = base64RangesOf(asBase64(text), pieces, steps);
  return encoded && merged([...found, ...encoded]);
}

function placed({ ranges }: Reading, places: readonly Range[]): readonly Range[] {
  return places.map(({ from, to }) => ({ from: ranges[from]?.from ?? 0, to: ranges[to - 1]?.to ?? 0 }));
}

/** Spellings of pieces that may occur in a text: long ones, and those that must stand alone. */
interface Patterns {
  readonly anywhere: readonly string[];
  readonly alone: ReadonlySet<string>;
}

/** Only what begins and ends with characters that stand in the text one after the other is looked for. */
function patternsIn(
  { folded }: Reading,
  { read, special }: Way,
  pieces: readonly string[],
  steps: Steps,
): Patterns | undefined {
  const parts = partsOf(folded);
  const spelled = (piece: string): string => {
    steps.count += piece.length;
    return special.test(piece) ? read(piece).folded : piece;
  };
  const anywhere: string[] = [];
  const alone = new Set<string>();
  let length = 0;
  for (const piece of pieces) {
    // What begins with ordinary characters is read as it stands.
    const begin = piece.slice(0, EDGE);
    steps.count += EDGE;
    if (begin.length === EDGE && !parts.has(begin) && !special.test(begin)) continue;
    const glance = spelled(piece.slice(0, GLANCE));
    // The end of a glance may be cut within an escape, so it is believed only where it is long enough.
    if (glance.length > GLANCE / 3 && !parts.has(glance.slice(0, EDGE))) continue;
    const spelling = piece.length > GLANCE ? spelled(piece) : glance;
    if (spelling.length < SHORTEST_ANYWHERE) alone.add(spelling);
    else if (haveEdges(parts, spelling)) anywhere.push(spelling);
    else continue;
    length += spelling.length;
    if (length > MOST_LOOKED_FOR) return undefined;
  }
  return { anywhere, alone };
}

/** So many characters at either edge of a value are compared before it is looked for. */
const EDGE = 8;

/** What stands in a text one after the other: as many characters as an edge has, and as the shortest value has. */
function partsOf(text: string): ReadonlySet<string> {
  const parts = new Set<string>();
  for (let at = 0; at + SHORTEST_ANYWHERE <= text.length; at += 1) {
    parts.add(text.slice(at, at + SHORTEST_ANYWHERE));
    parts.add(text.slice(at, at + EDGE));
  }
  return parts;
}

function haveEdges(parts: ReadonlySet<string>, value: string): boolean {
  if (value.length < EDGE) return parts.has(value.slice(0, SHORTEST_ANYWHERE));
  return parts.has(value.slice(0, EDGE)) && parts.has(value.slice(-EDGE));
}

const WORD = /[\p{L}\p{N}_]/u;

/** Short values that are no part of a word. */
function standingAlone(
  { folded, plain }: Reading,
  values: ReadonlySet<string>,
  steps: Steps,
): readonly Range[] {
  if (values.size === 0) return [];
  const found: Range[] = [];
  for (let from = 0; from < folded.length; from += 1) {
    for (let to = from + 1; to < from + SHORTEST_ANYWHERE && to <= folded.length; to += 1) {
      steps.count += 1;
      if (values.has(folded.slice(from, to)) && isAlone(plain, from, to)) found.push({ from, to });
    }
  }
  return found;
}

function isAlone(text: string, from: number, to: number): boolean {
  const after = String.fromCodePoint(text.codePointAt(to) ?? 0);
  return !WORD.test(lastCharacter(text.slice(Math.max(0, from - 2), from))) && !WORD.test(after);
}

function lastCharacter(text: string): string {
  return Array.from(text).at(-1) ?? '';
}

/** Runs of backslashes that are as long as a value that is made of nothing else. */
function runsOf({ backslashes }: Reading, pieces: readonly string[], steps: Steps): readonly Range[] {
  if (backslashes.length === 0) return [];
  const counts = pieces.filter((piece) => !/[^\\]/.test(piece)).map(({ length }) => length);
  steps.count += pieces.length + backslashes.length;
  const shortest = Math.min(...counts);
  return backslashes.filter(({ count }) => count >= shortest);
}

/** Fewer characters of base64 than this say nothing: ordinary words would be taken for them. */
const SHORTEST_BASE64 = 4;

/** Where base64 of a piece stands. Only what begins with four of its signs, as a number of 24 bits, is encoded at all. */
function base64RangesOf(
  reading: Reading,
  pieces: readonly string[],
  steps: Steps,
): readonly Range[] | undefined {
  const { folded } = reading;
  const beginnings = new Set<number>();
  let bits = 0;
  let signs = 0;
  for (let at = 0; at < folded.length; at += 1) {
    const sign = SIGNS.indexOf(folded.charAt(at));
    signs = sign === -1 ? 0 : signs + 1;
    bits = ((bits << 6) | sign) & 0xff_ffff;
    if (signs >= SHORTEST_BASE64) beginnings.add(bits);
  }
  steps.count += 2 * folded.length;
  const patterns: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    steps.count += SHORTEST_BASE64;
    const begins = beginningsOf(piece).some((beginning) => beginnings.has(beginning));
    if (!begins && piece.length > SHORTEST_BASE64) continue;
    const spellings = base64Spellings(piece);
    patterns.push(...spellings);
    length += spellings.reduce((sum, spelling) => sum + spelling.length, 0);
    if (length > MOST_LOOKED_FOR) return undefined;
  }
  steps.count += length;
  const found = occurrences(folded, patterns, steps);
  return placed(
    reading,
    found.map((place) => withNeighbours(reading, place)),
  );
}

const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** How base64 of a value of more than four bytes may begin, as numbers of 24 bits; see `base64Spellings`. */
function beginningsOf(value: string): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = new TextEncoder().encode(value.slice(0, SHORTEST_BASE64));
  const first = (a << 24) | (b << 16) | (c << 8) | d;
  return [8, 4, 6].map((shift) => (first >>> shift) & 0xff_ffff);
}

/** Base64 depends on where the value begins; what does not depend on its neighbours is looked for. */
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

/** A neighbour shares some bits with the value, and signs of equality may follow. */
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
