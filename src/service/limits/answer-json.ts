import type { WireJson } from '../../wire/wire-json.ts';

/**
 * The most parts of an answer: more than one complete deployment has, and more than any text of an error. Each part
 * becomes an object in memory of twenty times its length in the text, so an answer of empty objects alone could fill
 * the memory.
 */
const MOST_PARTS = 100_000;

/** More than a page of a hundred deployments with everything in them has. */
export const MOST_PARTS_OF_PAGE = 1_000_000;

/** The JSON of an answer; undefined where it is none, or has too many parts to be read. */
export function answerJson(text: string, mostParts: number = MOST_PARTS): WireJson | undefined {
  if (hasTooManyParts(text, mostParts)) return undefined;
  try {
    return JSON.parse(text) as WireJson;
  } catch {
    return undefined;
  }
}

/** True for a text with more members and items than so many, at whatever depth. */
export function hasTooManyParts(text: string, mostParts: number = MOST_PARTS): boolean {
  return text.length > mostParts && partsOf(text, mostParts) > mostParts;
}

/** Counts the members and items of a JSON text at any depth, and stops counting above `mostParts`. */
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
