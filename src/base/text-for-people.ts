/** The longest message of a condition or an event, in bytes. The API server accepts no longer note of an event. */
const MESSAGE_BYTES = 1024;

/** The longest single value that a status repeats from the service, in bytes. */
export const VALUE_BYTES = 256;

/** The end of a truncated text. */
export const CUT = '…';

/**
 * Makes text from outside safe for people: one line, at most `maxBytes` of UTF-8, without control and invisible
 * characters, which could move a terminal's cursor or hide words. Every text in a condition, an event or a status
 * passes through here, whatever its source, and so does the part of an answer that errors repeat.
 */
export function textForPeople(text: string, maxBytes: number = MESSAGE_BYTES): string {
  return shortened(inOneLine(text), maxBytes);
}

/**
 * Formats a time for people, in UTC and to the minute: 2026-11-23T06:50Z. Messages name a time instead of a countdown,
 * so that the status does not change every minute.
 */
export function minuteText(ms: number): string {
  return new Date(ms).toISOString().replace(/:\d\d\.\d+Z$/, 'Z');
}

/** Returns a text of any length in one line, without control and invisible characters. */
export function inOneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** Returns a count with its noun, such as `1 deployment` or `2 deployments`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The most names in one sentence. The rest is counted. */
const MOST_NAMES = 10;

/** Lists names for a sentence, such as `a, b and 3 more`. */
export function inARow(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

function shortened(text: string, maxBytes: number): string {
  // One UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const room = Math.max(0, maxBytes - new TextEncoder().encode(CUT).length);
  // As in a stream, the decoder omits a character that was cut in two.
  const kept = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, room), {
    stream: true,
  });
  return `${kept}${CUT}`;
}
