const DECIMAL = /^(0|[1-9]\d*)$/;

/**
 * Compares two resource versions as a sort does: negative, zero or positive. Versions are decimal numbers of any
 * length. Returns undefined if one of them is anything else, since then only equality has a meaning.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
