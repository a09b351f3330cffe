import type { WireJson } from '../wire/json.ts';

/**
 * More than a page of a hundred deployments with everything in them has. Each part becomes an object in memory of twenty
 * times its length in the text: an answer of empty objects alone would take all there is.
 */
const MOST_PARTS = 1_000_000;

/** The JSON of an answer; undefined where it is none, or has too many parts to be read. */
export function answerJson(text: string): WireJson | undefined {
  if (hasTooManyParts(text)) return undefined;
  try {
    return JSON.parse(text) as WireJson;
  } catch {
    return undefined;
  }
}

/** True for a text with more members and items, at whatever depth, than any answer has. */
export function hasTooManyParts(text: string): boolean {
  if (text.length <= MOST_PARTS) return false;
  let parts = 0;
  let inText = false;
  for (let at = 0; at < text.length && parts <= MOST_PARTS; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) inText = !inText;
    else if (inText) at += sign === BACKSLASH ? 1 : 0;
    else if (sign === COMMA || sign === BRACKET || sign === BRACE) parts += 1;
  }
  return parts > MOST_PARTS;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
