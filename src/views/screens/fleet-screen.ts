import type { FleetRow } from './fleet-row.ts';
import type { Pictured } from './picture.ts';
import type { Tone } from './tone.ts';

/** The first screen: all deployment resources, the worst first. */
export interface FleetScreen {
  /** A sentence such as `9,412 ready · 3 wait for a person · 1 stalled`, over all resources that match the filter. */
  readonly sentence: string;
  readonly bar: readonly ReasonCount[];
  readonly rows: readonly FleetRow[];
  /** The number of resources. */
  readonly total: number;
  /** The number of resources that match the filter. */
  readonly matched: number;
  /** The number of the page, from 1. */
  readonly page: number;
  /** The number of pages, at least 1. */
  readonly pages: number;
  /** Why the filter is invalid; an invalid filter matches all resources. */
  readonly filterError?: string;
}

/** The number of resources with a reason. */
export interface ReasonCount {
  readonly reason: string;
  readonly count: number;
  readonly tone: Tone;
}

/** The number of rows on a page. */
const PAGE_ROWS = 100;

/** Returns one page of the resources that match a filter. */
export function fleetScreen(
  fleet: readonly Pictured[],
  { filter, page }: { readonly filter: string; readonly page: number },
): FleetScreen {
  const read = fleetFilter(filter);
  const rows = fleet.map(({ row }) => row);
  const chosen = read.kind === 'filter' ? rows.filter(read.matches) : rows;
  return {
    sentence: sentenceOf(chosen),
    bar: barOf(chosen),
    ...pageOf(chosen, page),
    total: rows.length,
    matched: chosen.length,
    ...(read.kind === 'unknown' && { filterError: read.why }),
  };
}

/** Returns one page of many; for a page that does not exist, the nearest one. */
export function pageOf<T>(
  all: readonly T[],
  wanted: number,
): { readonly rows: readonly T[]; readonly page: number; readonly pages: number } {
  const pages = Math.max(1, Math.ceil(all.length / PAGE_ROWS));
  const page = Math.min(pages, Math.max(1, wanted));
  return { rows: all.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS), page, pages };
}

const SAYS: Readonly<Record<Tone, readonly [one: string, many: string]>> = {
  good: ['ready', 'ready'],
  waits: ['waits for a person', 'wait for a person'],
  bad: ['stalled', 'stalled'],
  busy: ['under way', 'under way'],
  quiet: ['paused or not looked at', 'paused or not looked at'],
};

/** The order of the tones in the sentence. */
const ORDER: readonly Tone[] = ['good', 'waits', 'bad', 'busy', 'quiet'];

function sentenceOf(rows: readonly FleetRow[]): string {
  const counts = countsOf(rows);
  const parts = ORDER.filter((tone) => counts[tone] > 0).map((tone) => {
    const [one, many] = SAYS[tone];
    return `${numberText(counts[tone])} ${counts[tone] === 1 ? one : many}`;
  });
  return parts.length === 0 ? 'There are no deployment resources here' : parts.join(' · ');
}

/** Counts the rows with each tone. */
export function countsOf(rows: readonly { readonly tone: Tone }[]): Readonly<Record<Tone, number>> {
  const counts = { good: 0, busy: 0, waits: 0, bad: 0, quiet: 0 };
  for (const { tone } of rows) counts[tone] += 1;
  return counts;
}

/** Returns a number with a comma between thousands. */
export function numberText(value: number): string {
  return value.toLocaleString('en-US');
}

/** Counts the rows by tone and headline. The parts have the order of the rows, the worst first. */
function barOf(rows: readonly FleetRow[]): readonly ReasonCount[] {
  const groups = Map.groupBy(rows, ({ tone, headline }) => `${tone} ${headline}`);
  return [...groups.values()].flatMap((members): readonly ReasonCount[] => {
    const [first] = members;
    return first === undefined ? [] : [{ reason: first.headline, count: members.length, tone: first.tone }];
  });
}

/** The parsed text of a filter box, or the reason why it is invalid. */
type FleetFilter =
  | { readonly kind: 'filter'; readonly matches: (row: FleetRow) => boolean }
  | { readonly kind: 'unknown'; readonly why: string };

type Condition = (row: FleetRow) => boolean;

/** The prefixes of filter words, each with the condition for its value. */
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

/** The most words of a filter; a person types fewer. */
const MOST_WORDS = 32;

/**
 * Parses a filter: words separated by spaces, all of which must match. `name:x` matches a part of the name,
 * `reason:X,Y` any of these reasons, `connection:x` and `namespace:x` the exact name, and `label=value` a label. A word
 * alone matches a part of the name.
 */
function fleetFilter(text: string): FleetFilter {
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
  // Neither the key of a label nor its value contains a colon.
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
