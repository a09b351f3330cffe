import type { WireJson } from '../../wire/wire-json.ts';

/**
 * The largest number of parts of an answer. A complete deployment and the text of an error both have fewer. Each part
 * becomes an object in memory of twenty times its length in the text, so an answer of empty objects alone could fill
 * the memory.
 */
const MOST_PARTS = 100_000;

/** The largest number of parts of a page: more than a page of a hundred complete deployments has. */
export const MOST_PARTS_OF_PAGE = 1_000_000;

/** Returns the JSON of an answer; undefined if it is not JSON, or has too many parts. */
export function answerJson(text: string, mostParts: number = MOST_PARTS): WireJson | undefined {
  if (hasTooManyParts(text, mostParts)) return undefined;
  try {
    return JSON.parse(text) as WireJson;
  } catch {
    return undefined;
  }
}

/** True if a text has more than `mostParts` members and items, at any depth. */
export function hasTooManyParts(text: string, mostParts: number = MOST_PARTS): boolean {
  return text.length > mostParts && partsOf(text, mostParts) > mostParts;
}

/** Counts the members and items of a JSON text at any depth, and stops above `mostParts`. */
export function partsOf(text: string, mostParts: number = Number.POSITIVE_INFINITY): number {
  let parts = 0;
  let inText = false;
  for (let at = 0; at < text.length && parts <= mostParts; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) inText = !inText;
    else if (inText) at += sign === BACKSLASH ? 1 : 0;
    else if (sign === COMMA || sign === BRACKET || sign === BRACE) parts += 1;
  }
  return parts;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
