import { isJsonObject, type Json } from '../../base/json.ts';

/**
 * A service rounds a fraction by less than one, and a number of at least LARGE by less than this part of it, as
 * between units.
 */
const ROUNDED_BY = 0.05;
const LARGE = 100;

/**
 * True for a value that a service may show for another one: rounded numbers, texts in another case or with a slash at
 * the end, objects with more members, all of it in another order.
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

/** True if each item has its own spelling in the other list, whatever the order. */
function areSpellings(asked: readonly Json[], shown: readonly Json[]): boolean {
  const left = [...shown];
  const areAllShown = asked.every((item) => {
    const at = left.findIndex((one) => isSpelling(item, one));
    return at >= 0 && left.splice(at, 1).length > 0;
  });
  return areAllShown && left.length === 0;
}

/** Returns what every spelling of a text keeps: no case, and no slash at the end. */
export function folded(text: string): string {
  return text.toLowerCase().replace(/\/$/, '');
}
