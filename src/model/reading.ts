import type { Range } from './text-search.ts';

/**
 * A text as one reader understands it, one UTF-16 unit after the other, and where the spelling of each stands in the text.
 * A value that is read in the same way is found in it, however either was escaped.
 */
export interface Reading {
  /** What is compared: escapes are undone, backslashes are left out, and a line end is the `n` of its escape. */
  readonly folded: string;
  /** What each unit means; this says whether it belongs to a word. */
  readonly plain: string;
  readonly ranges: readonly Range[];
  /** Runs of backslashes, which `folded` leaves out. */
  readonly backslashes: readonly (Range & { readonly count: number })[];
}

/** The letters of short escapes in JSON, by what they stand for. */
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

/** Units of a text with the places of their spellings. */
interface Units {
  readonly text: string;
  readonly ranges: readonly Range[];
}

/** The text as it stands. */
export function asWritten(text: string): Reading {
  return { folded: text, plain: text, ranges: unitsOf(text).ranges, backslashes: [] };
}

/** The text with the escapes of JSON undone, however often they were escaped again. */
export function withoutEscapes(text: string): Reading {
  return unescaped(unitsOf(text));
}

/** The text with percent-encoding and then the escapes of JSON undone; a plus sign is a space. */
export function withoutEncoding(text: string): Reading {
  const reading = unescaped(percentDecoded(text));
  return { ...reading, folded: reading.folded.replaceAll('+', ' ') };
}

/** The text as base64, of either alphabet and encoded as above. */
export function asBase64(text: string): Reading {
  const reading = unescaped(percentDecoded(text));
  return { ...reading, folded: reading.plain.replaceAll('-', '+').replaceAll('_', '/') };
}

function unitsOf(text: string): Units {
  const ranges: Range[] = [];
  for (let at = 0; at < text.length; at += 1) ranges.push({ from: at, to: at + 1 });
  return { text, ranges };
}

/** An escape of an escape is one escape: `%252F` is `%2F` is `/`. Bytes that are no UTF-8 stand for themselves. */
function percentDecoded(text: string): Units {
  const ranges: Range[] = [];
  let decoded = '';
  const put = (units: string, range: Range): void => {
    decoded += units;
    for (let unit = 0; unit < units.length; unit += 1) ranges.push(range);
  };
  for (let at = 0; at < text.length;) {
    const byte = byteAt(text, at);
    if (byte === undefined) {
      put(text.charAt(at), { from: at, to: at + 1 });
      at += 1;
      continue;
    }
    const { units, to } = characterAt(text, byte);
    put(units, { from: at, to });
    at = to;
  }
  return { text: decoded, ranges };
}

interface Byte {
  readonly value: number;
  readonly to: number;
}

/** The byte that a percent sign begins, be the sign encoded again and again; undefined where it begins none. */
function byteAt(text: string, at: number): Byte | undefined {
  if (text.charAt(at) !== '%') return undefined;
  let to = at + 1;
  while (text.startsWith('25', to) && isHex(text, to + 2, 2)) to += 2;
  return isHex(text, to, 2) ? { value: Number.parseInt(text.slice(to, to + 2), 16), to: to + 2 } : undefined;
}

/** The character whose UTF-8 begins with a byte that is percent-encoded. */
function characterAt(text: string, first: Byte): { readonly units: string; readonly to: number } {
  const more = first.value >= 0xf0 ? 3 : first.value >= 0xe0 ? 2 : first.value >= 0xc0 ? 1 : 0;
  let code = more === 0 ? first.value : first.value & (0x3f >> more);
  let { to } = first;
  for (let n = 0; n < more; n += 1) {
    const next = byteAt(text, to);
    if (next === undefined || next.value >> 6 !== 2)
      return { units: String.fromCharCode(first.value), to: first.to };
    code = (code << 6) | (next.value & 0x3f);
    to = next.to;
  }
  return code > 0x10_ffff
    ? { units: String.fromCharCode(first.value), to: first.to }
    : { units: String.fromCodePoint(code), to };
}

/** A run of backslashes belongs to what it escapes. */
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
    const { unit, length } = unitAt(text, to, count > 0);
    if (unit !== '\\') {
      folded += LETTERS[unit] ?? unit;
      plain += unit;
      places.push({ from, to: placeOf(ranges, to + length - 1).to });
    }
    at = to + length;
  }
  return { folded, plain, ranges: places, backslashes };
}

function unitAt(
  text: string,
  at: number,
  isEscaped: boolean,
): { readonly unit: string; readonly length: number } {
  const letter = text.charAt(at);
  if (!isEscaped) return { unit: letter, length: 1 };
  if (letter === 'u' && isHex(text, at + 1, 4))
    return { unit: String.fromCharCode(Number.parseInt(text.slice(at + 1, at + 5), 16)), length: 5 };
  return { unit: ESCAPES[letter] ?? letter, length: 1 };
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
