import type { SecretValue } from './secret.ts';
import { spellingsOf } from './spellings.ts';
import { textForPeople } from './text-for-people.ts';

/** Makes a text fit to be shown: without secrets, without control characters, not too long. */
export type Redact = (text: string) => string;

/** What stands where a secret was. */
const MARK = '[redacted]';

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

/**
 * A `Redact` that replaces every one of `secrets` by [redacted], in plain, JSON-escaped, URL-encoded and base64
 * form, turns control and invisible characters into spaces and cuts the text at `maxBytes`. Values of one to three
 * characters are replaced only where they stand alone.
 */
export function redactorOf(secrets: Iterable<SecretValue>, maxBytes: number = DEFAULT_LENGTH): Redact {
  const values = new Set(Array.from(secrets, (secret) => secret.reveal()));
  const patterns = Array.from(values, patternsOf).flat();
  return (text) => {
    const seen = text.slice(0, 16 * maxBytes + LONGEST_SPELLING);
    const shownLength = seen.length < text.length ? seen.length - LONGEST_SPELLING : seen.length;
    return textForPeople(withoutRanges(seen, rangesOf(seen, patterns), shownLength), maxBytes);
  };
}

/** One text through `redactorOf`; where several texts share their secrets, keep the redactor instead. */
export function redactText(text: string, secrets: Iterable<SecretValue>, maxBytes?: number): string {
  return redactorOf(secrets, maxBytes)(text);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function patternsOf(value: string): readonly RegExp[] {
  if (value === '') return [];
  if (value.length < SHORTEST_ANYWHERE) {
    return [new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:${spellingsOf(value)})(?![\p{L}\p{N}_])`, 'gu')];
  }
  const lines = value.split(/[\r\n]+/).filter((line) => line !== value && line.length >= SHORTEST_LINE);
  return [value, ...lines].flatMap(piecesOf).map((piece) => new RegExp(spellingsOf(piece), 'gu'));
}

function piecesOf(value: string): readonly string[] {
  const characters = Array.from(value);
  const count = Math.ceil(characters.length / PIECE_LENGTH);
  const length = Math.ceil(characters.length / count);
  return Array.from({ length: count }, (_, n) => characters.slice(n * length, (n + 1) * length).join(''));
}

/** Every place where a pattern matches, also where two of them overlap. */
function matchesOf(text: string, pattern: RegExp): readonly Range[] {
  const matches: Range[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    matches.push({ from: match.index, to: match.index + match[0].length });
    pattern.lastIndex = match.index + ((text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1);
  }
  return matches;
}

/** Where secrets stand, in order and apart from each other; secrets that overlap make one range. */
function rangesOf(text: string, patterns: readonly RegExp[]): readonly Range[] {
  const found = patterns.flatMap((pattern) => matchesOf(text, pattern));
  const ranges: Range[] = [];
  for (const range of found.toSorted((a, b) => a.from - b.from)) {
    const last = ranges.at(-1);
    if (last === undefined || range.from > last.to) ranges.push(range);
    else ranges[ranges.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return ranges;
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
