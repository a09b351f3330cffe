import { partsOf } from './answer-json.ts';

/** By so much a part takes up more memory than its text. */
const BYTES_PER_PART = 48;

/** Estimates the memory, in bytes, of the value read from such a JSON text. */
export function keptSize(text: string): number {
  return textSize(text) + BYTES_PER_PART * partsOf(text);
}

/** A text of Latin-1 alone takes a byte a character, any other one two. */
export function textSize(text: string): number {
  return /[\u0100-\uffff]/.test(text) ? 2 * text.length : text.length;
}
