import { isJsonObject, type Json } from './json.ts';

/** A service rounds by less than one, or by less than this part of a number. */
const ROUNDED_BY = 0.1;

/**
 * True for a value that a service may show for another one: numbers rounded, texts in another case or with a slash at the end,
 * objects with more in them, all of it in another order.
 */
export function isSpelling(asked: Json | undefined, shown: Json | undefined): boolean {
  if (typeof asked === 'number' && typeof shown === 'number')
    return Math.abs(asked - shown) < Math.max(1, Math.abs(asked) * ROUNDED_BY);
  if (typeof asked === 'string' && typeof shown === 'string') return folded(asked) === folded(shown);
  if (Array.isArray(asked) && Array.isArray(shown)) {
    const items: readonly Json[] = shown;
    return (
      asked.length === items.length && asked.every((item: Json) => items.some((one) => isSpelling(item, one)))
    );
  }
  if (isJsonObject(asked) && isJsonObject(shown))
    return Object.entries(asked).every(([key, value]) => isSpelling(value, shown[key]));
  return asked === shown;
}

function folded(text: string): string {
  return text.toLowerCase().replace(/\/$/, '');
}
