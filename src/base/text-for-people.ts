/** The longest message of a condition or an event, in bytes: what the API server takes as the note of an event. */
const MESSAGE_BYTES = 1024;

/** The longest single value that a status repeats from the service, in bytes. */
export const VALUE_BYTES = 256;

/** The end of a text that was cut. */
export const CUT = '…';

/**
 * Where text from outside becomes text for people: in one line, without control and invisible characters, which could
 * move a terminal's cursor or hide words, and at most so many bytes of UTF-8 long. Everything that a condition, an event
 * or a status shows goes through here, whatever its source, and so does the part of an answer that errors repeat.
 */
export function textForPeople(text: string, maxBytes: number = MESSAGE_BYTES): string {
  return shortened(inOneLine(text), maxBytes);
}

/**
 * A moment for people, in UTC and to the minute: 2026-11-23T06:50Z. Messages name a time instead of a countdown, so
 * that the status does not change every minute.
 */
export function minuteText(ms: number): string {
  return new Date(ms).toISOString().replace(/:\d\d\.\d+Z$/, 'Z');
}

/** A text of any length in one line, without control and invisible characters. */
export function inOneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** Such as `1 deployment`, or `2 deployments`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The most names in one sentence; the rest is counted. */
const MOST_NAMES = 10;

/** Lists names for a sentence, such as `a, b and 3 more`. */
export function inARow(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

function shortened(text: string, maxBytes: number): string {
  // No character of a string takes more than three bytes.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const room = Math.max(0, maxBytes - new TextEncoder().encode(CUT).length);
  // As in a stream: a character that was cut in two is left out.
  const kept = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, room), {
    stream: true,
  });
  return `${kept}${CUT}`;
}
