import { isJsonObject, type Json } from '../../base/json.ts';

/**
 * The largest share by which a service rounds a number of at least LARGE, for example between units. It rounds a
 * fraction by less than one.
 */
const ROUNDED_BY = 0.05;
const LARGE = 100;

/**
 * True if a service may show one value for the other: rounded numbers, texts in another case or with a trailing slash,
 * objects with more members, and any order.
 */
export function isSpelling(asked: Json | undefined, shown: Json | undefined): boolean {
  if (typeof asked === 'number' && typeof shown === 'number') return isRounded(asked, shown);
  if (typeof asked === 'string' && typeof shown === 'string') return folded(asked) === folded(shown);
  if (Array.isArray(asked) && Array.isArray(shown)) return areSpellings(asked, shown);
  if (isJsonObject(asked) && isJsonObject(shown))
    return Object.entries(asked).every(([key, value]) => isSpelling(value, shown[key]));
  return asked === shown;
}

function isRounded(asked: number, shown: number): boolean {
  const most = Math.abs(asked) >= LARGE ? Math.abs(asked) * ROUNDED_BY : 0;
  const by = Math.abs(asked - shown);
  return by === 0 || by < Math.max(Number.isInteger(asked) ? 0 : 1, most);
}

/** True if each item has a spelling of its own in the other list, in any order. */
function areSpellings(asked: readonly Json[], shown: readonly Json[]): boolean {
  const left = [...shown];
  const areAllShown = asked.every((item) => {
    const at = left.findIndex((one) => isSpelling(item, one));
    return at >= 0 && left.splice(at, 1).length > 0;
  });
  return areAllShown && left.length === 0;
}

/** Returns a text without the differences between spellings: without case and trailing slash. */
export function folded(text: string): string {
  return text.toLowerCase().replace(/\/$/, '');
}
