import type { Reading } from './reading.ts';
import { partsOf as partsOfValue } from './parts.ts';
import type { Steps } from './occurrences.ts';

/**
 * The length of the pieces into which long values are divided for the search, so that a part of a value is found too.
 */
export const PIECE_LENGTH = 512;

/**
 * The shortest value that is hidden anywhere; shorter ones occur inside ordinary words and are hidden only as separate
 * words.
 */
export const SHORTEST_ANYWHERE = 4;

/** The most pieces to search for; with more, nothing of a text is shown. */
const MOST_PIECES = 16_384;

/** The most characters of values to search for; a Secret contains at most half as many. */
const MOST_CHARACTERS = 2 * 1024 * 1024;

/** The most characters of an escape that a cut may leave. */
export const LONGEST_ESCAPE = 10;

/** The number of first characters of a piece that determine whether it may occur in a text at all. */
const GLANCE = 32;

/** The number of characters at either edge of a piece that are compared before a search for it. */
const EDGE = 8;

/** The pieces of values for the search. */
export interface Pieces {
  readonly anywhere: readonly string[];
  /** Short pieces that count only as separate words; `anywhere` may contain such pieces as well. */
  readonly alone: readonly string[];
}

/** Returns the pieces of values and their parts for the search; undefined if there are too many. */
export function piecesOfAll(values: ReadonlySet<string>): Pieces | undefined {
  const anywhere = new Set<string>();
  const alone = new Set<string>();
  let characters = 0;
  for (const value of values) {
    characters += value.length;
    if (characters > MOST_CHARACTERS) return undefined;
    const parts = partsOfValue(value);
    for (const part of parts.alone) alone.add(part);
    for (const part of parts.anywhere) {
      for (const piece of piecesOf(part)) anywhere.add(piece);
      if (anywhere.size + alone.size > MOST_PIECES) return undefined;
    }
  }
  return { anywhere: [...anywhere], alone: [...alone] };
}

/** Divides a value into pieces of about the same length, without splitting a pair of surrogates. */
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

/** A reading that is applied to both texts and pieces. */
export interface Way {
  readonly read: (text: string) => Reading;
  /** Matches a text that needs this reading; other texts are not read in this way. */
  readonly signs: RegExp;
  /** Matches a piece that needs this reading. */
  readonly special: RegExp;
}

/** The spelling of one piece, which is computed in full when a text needs it. */
interface Spelling {
  readonly piece: string;
  whole: string | undefined;
}

/**
 * An index of pieces in one spelling, by their first characters. It is made once for all texts. So the cost of a text
 * depends only on its own length and on the pieces that may occur in it.
 */
export class SpellingIndex {
  readonly #way: Way;
  readonly #byBeginning = new Map<string, Spelling[]>();
  #shortBeginnings: ReadonlySet<string> | undefined;
  /** Pieces that are hidden only as separate words. */
  readonly alone: ReadonlySet<string>;
  /** The length of the longest of these; 0 if there are none. */
  readonly longestAlone: number;
  /** The length of the shortest piece of backslashes only, which a reading leaves out; infinite without one. */
  readonly shortestRun: number;

  constructor(pieces: Pieces, way: Way, steps: Steps) {
    this.#way = way;
    const alone = new Set<string>();
    for (const piece of pieces.alone) alone.add(this.#wholeOf({ piece, whole: undefined }, steps));
    alone.delete('');
    let shortestRun = Number.POSITIVE_INFINITY;
    for (const piece of pieces.anywhere) {
      const spelling: Spelling = { piece, whole: undefined };
      const begin = this.#beginOf(spelling, steps);
      if (begin.length < SHORTEST_ANYWHERE) {
        if (begin === '') shortestRun = Math.min(shortestRun, piece.length);
        else alone.add(begin);
        continue;
      }
      const edge = begin.slice(0, begin.length < EDGE ? SHORTEST_ANYWHERE : EDGE);
      const same = this.#byBeginning.get(edge);
      if (same === undefined) this.#byBeginning.set(edge, [spelling]);
      else same.push(spelling);
    }
    this.alone = alone;
    this.longestAlone = Array.from(alone).reduce((longest, { length }) => Math.max(longest, length), 0);
    this.shortestRun = shortestRun;
  }

  /**
   * Returns the spellings that may occur in a text of `parts`, and with `cut` those that may only begin there;
   * undefined if they have more than `most` characters.
   */
  in(parts: ReadonlySet<string>, cut: boolean, most: number, steps: Steps): readonly string[] | undefined {
    const found: string[] = [];
    let length = 0;
    for (const part of parts) {
      for (const spelling of this.#byBeginning.get(part) ?? []) {
        const whole = this.#wholeOf(spelling, steps);
        length += EDGE;
        if (cut || ends(whole, parts)) {
          found.push(whole);
          length += whole.length;
        }
        if (length > most) return undefined;
      }
    }
    steps.count += parts.size + length;
    return found;
  }

  /**
   * Returns how many characters before `at` are the beginning of a piece, if they are fewer than an edge has; 0 for
   * none.
   */
  beginningBefore(text: string, at: number): number {
    this.#shortBeginnings ??= beginningsOf(this.#byBeginning.keys());
    for (let length = EDGE - 1; length >= SHORTEST_ANYWHERE; length -= 1) {
      if (at >= length && this.#shortBeginnings.has(text.slice(at - length, at))) return length;
    }
    return 0;
  }

  #beginOf(spelling: Spelling, steps: Steps): string {
    const { read, special } = this.#way;
    const first = spelling.piece.slice(0, GLANCE);
    steps.count += first.length;
    const glance = special.test(first) ? read(first).folded : first;
    // The end of the first characters may be cut within an escape, so they count only if enough of them remain.
    return spelling.piece.length <= GLANCE || glance.length >= EDGE + LONGEST_ESCAPE
      ? glance
      : this.#wholeOf(spelling, steps);
  }

  #wholeOf(spelling: Spelling, steps: Steps): string {
    if (spelling.whole !== undefined) return spelling.whole;
    const { read, special } = this.#way;
    steps.count += spelling.piece.length;
    return (spelling.whole = special.test(spelling.piece) ? read(spelling.piece).folded : spelling.piece);
  }
}

function beginningsOf(edges: Iterable<string>): ReadonlySet<string> {
  const beginnings = new Set<string>();
  for (const edge of edges) {
    for (let length = SHORTEST_ANYWHERE; length < EDGE; length += 1) beginnings.add(edge.slice(0, length));
  }
  return beginnings;
}

function ends(whole: string, parts: ReadonlySet<string>): boolean {
  return whole.length < EDGE || parts.has(whole.slice(-EDGE));
}

/** Returns every substring that has the length of an edge or of the shortest piece. */
export function partsOf(text: string): ReadonlySet<string> {
  const parts = new Set<string>();
  for (let at = 0; at + SHORTEST_ANYWHERE <= text.length; at += 1) {
    parts.add(text.slice(at, at + SHORTEST_ANYWHERE));
    parts.add(text.slice(at, at + EDGE));
  }
  return parts;
}
