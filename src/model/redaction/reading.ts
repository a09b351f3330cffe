import type { Range } from './occurrences.ts';

/**
 * A text as one reader decodes it, UTF-16 unit by unit, with the place of each unit's spelling in the original text. A
 * value that is read in the same way is found in it, however both were escaped.
 */
export interface Reading {
  /** The text to compare: decoded, without backslashes, and with the `n` of its escape for a line end. */
  readonly folded: string;
  /** The meaning of each unit, which tells whether it belongs to a word. */
  readonly plain: string;
  readonly ranges: readonly Range[];
  /** Runs of backslashes, which `folded` leaves out. */
  readonly backslashes: readonly (Range & { readonly count: number })[];
}

/** The letters of short escapes in JSON, by their meaning. */
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ESCAPES).map(([letter, meaning]) => [meaning, letter]),
);

/** The units of a text with the places of their spellings. */
interface Units {
  readonly text: string;
  readonly ranges: readonly Range[];
}

/** Reads a text without decoding. */
export function asWritten(text: string): Reading {
  return { folded: text, plain: text, ranges: unitsOf(text).ranges, backslashes: [] };
}

/** Reads a text with JSON escapes decoded, even if they were escaped several times. */
export function withoutEscapes(text: string): Reading {
  return unescaped(unitsOf(text));
}

/** Reads a text with percent-encoding and then JSON escapes decoded; a plus sign is a space. */
export function withoutEncoding(text: string): Reading {
  const reading = unescaped(percentDecoded(text));
  return { ...reading, folded: reading.folded.replaceAll('+', ' ') };
}

/** Reads a text with HTML entities and then JSON escapes decoded. */
export function withoutEntities(text: string): Reading {
  return unescaped(entitiesDecoded(text));
}

/** Reads a text as base64 in either alphabet, with the encodings above decoded and line ends ignored. */
export function asBase64(text: string): Reading {
  const { plain, ranges } = unescaped(percentDecoded(text));
  const kept = ranges.filter((_, at) => !isLineEnd(plain.charAt(at)));
  const folded = plain
    .replaceAll(/[\r\n]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  return { folded, plain: folded, ranges: kept, backslashes: [] };
}

function isLineEnd(unit: string): boolean {
  return unit === '\n' || unit === '\r';
}

function unitsOf(text: string): Units {
  const ranges: Range[] = [];
  for (let at = 0; at < text.length; at += 1) ranges.push({ from: at, to: at + 1 });
  return { text, ranges };
}

/** Decoded units, and the end of their spelling. */
interface Spelled {
  readonly units: string;
  readonly to: number;
}

/** A decoder for spellings that begin with one character. */
interface Spellings {
  readonly sign: string;
  readonly decoded: (text: string, at: number) => Spelled | undefined;
}

/** Decodes the spellings in a text. Does so twice, since the characters of a spelling may themselves be spelled out. */
function decodedTwice(text: string, spellings: Spellings): Units {
  return decodedOnce(decodedOnce(unitsOf(text), spellings), spellings);
}

function decodedOnce(units: Units, { sign, decoded }: Spellings): Units {
  const { text, ranges } = units;
  if (!text.includes(sign)) return units;
  const places: Range[] = [];
  let read = '';
  for (let at = 0; at < text.length;) {
    const { units, to } = decoded(text, at) ?? { units: text.charAt(at), to: at + 1 };
    read += units;
    const place = { from: placeOf(ranges, at).from, to: placeOf(ranges, to - 1).to };
    for (let unit = 0; unit < units.length; unit += 1) places.push(place);
    at = to;
  }
  return { text: read, ranges: places };
}

/**
 * Decodes URL-encoding. An escape of an escape is one escape: `%252F` is `%2F` is `/`. Bytes that are no UTF-8 stay
 * unchanged.
 */
function percentDecoded(text: string): Units {
  return decodedTwice(text, { sign: '%', decoded: percentAt });
}

function percentAt(text: string, at: number): Spelled | undefined {
  const byte = byteAt(text, at);
  return byte && characterAt(byte, (to) => byteAt(text, to));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes entities in the same way: `&amp;lt;` is `&lt;` is `<`. */
function entitiesDecoded(text: string): Units {
  return decodedTwice(text, { sign: '&', decoded: entityAt });
}

function entityAt(text: string, at: number): Spelled | undefined {
  if (text.charAt(at) !== '&') return undefined;
  let begin = at + 1;
  while (text.startsWith('amp;', begin)) begin += 4;
  const [whole, name = '', hex, decimal] = codeAt(text, begin) ?? [];
  if (whole === undefined) return begin === at + 1 ? undefined : { units: '&', to: begin };
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return { units: ENTITIES[name] ?? textOfCode(code), to: begin + whole.length };
}

/** Reads the rest of an entity, after its `&`. */
function codeAt(text: string, at: number): RegExpExecArray | null {
  return /^(?:(lt|gt|quot|apos)|#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7}));/.exec(text.slice(at, at + 10));
}

function textOfCode(code: number): string {
  return code > 0x10_ffff ? '\ufffd' : String.fromCodePoint(code);
}

interface Byte {
  readonly value: number;
  readonly to: number;
}

/** Returns the byte after a percent sign, even if the sign was encoded several times; undefined if there is none. */
function byteAt(text: string, at: number): Byte | undefined {
  if (text.charAt(at) !== '%') return undefined;
  let to = at + 1;
  while (text.startsWith('25', to) && isHex(text, to + 2, 2)) to += 2;
  return isHex(text, to, 2) ? { value: Number.parseInt(text.slice(to, to + 2), 16), to: to + 2 } : undefined;
}

/** Returns the character whose UTF-8 begins with a decoded byte; `byteAfter` reads the bytes that follow. */
function characterAt(first: Byte, byteAfter: (to: number) => Byte | undefined): Spelled {
  const more = first.value >= 0xf0 ? 3 : first.value >= 0xe0 ? 2 : first.value >= 0xc0 ? 1 : 0;
  let code = more === 0 ? first.value : first.value & (0x3f >> more);
  let { to } = first;
  for (let n = 0; n < more; n += 1) {
    const next = byteAfter(to);
    if (next === undefined || next.value >> 6 !== 2)
      return { units: String.fromCharCode(first.value), to: first.to };
    code = (code << 6) | (next.value & 0x3f);
    to = next.to;
  }
  return code > 0x10_ffff
    ? { units: String.fromCharCode(first.value), to: first.to }
    : { units: String.fromCodePoint(code), to };
}

/** Removes backslashes: a run of them belongs to the character that it escapes. */
function unescaped({ text, ranges }: Units): Reading {
  const places: Range[] = [];
  const backslashes: (Range & { readonly count: number })[] = [];
  let folded = '';
  let plain = '';
  for (let at = 0; at < text.length;) {
    let to = at;
    while (text.charAt(to) === '\\') to += 1;
    const count = to - at;
    const from = placeOf(ranges, at).from;
    if (count > 0) backslashes.push({ count, from, to: placeOf(ranges, to - 1).to });
    if (to >= text.length) break;
    const spelled = spelledAt(text, to, count > 0);
    if (spelled.units !== '\\') {
      folded += LETTERS[spelled.units] ?? spelled.units;
      plain += spelled.units;
      for (let unit = 0; unit < spelled.units.length; unit += 1)
        places.push({ from, to: placeOf(ranges, spelled.to - 1).to });
    }
    at = spelled.to;
  }
  return { folded, plain, ranges: places, backslashes };
}

/** Returns the meaning of a letter, with or without a backslash before it. */
function spelledAt(text: string, at: number, isEscaped: boolean): Spelled {
  const letter = text.charAt(at);
  if (!isEscaped) return { units: letter, to: at + 1 };
  const hex = (count: number): number => Number.parseInt(text.slice(at + 1, at + 1 + count), 16);
  if (letter === 'u' && isHex(text, at + 1, 4)) return { units: String.fromCharCode(hex(4)), to: at + 5 };
  if (letter === 'U' && isHex(text, at + 1, 8)) return { units: textOfCode(hex(8)), to: at + 9 };
  if (letter === 'x' && isHex(text, at + 1, 2))
    return characterAt({ value: hex(2), to: at + 3 }, (to) => escapedByteAt(text, to));
  return { units: ESCAPES[letter] ?? letter, to: at + 1 };
}

/** Returns the byte of an escape such as `\xc3`, even if it was escaped several times. */
function escapedByteAt(text: string, at: number): Byte | undefined {
  let to = at;
  while (text.charAt(to) === '\\') to += 1;
  if (to === at || text.charAt(to) !== 'x' || !isHex(text, to + 1, 2)) return undefined;
  return { value: Number.parseInt(text.slice(to + 1, to + 3), 16), to: to + 3 };
}

function placeOf(ranges: readonly Range[], at: number): Range {
  return ranges[at] ?? { from: 0, to: 0 };
}

function isHex(text: string, at: number, count: number): boolean {
  for (let n = at; n < at + count; n += 1) {
    const unit = text.charCodeAt(n);
    const isDigit = unit >= 0x30 && unit <= 0x39;
    const isLetter = (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x66;
    if (!isDigit && !isLetter) return false;
  }
  return true;
}
