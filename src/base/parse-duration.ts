const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/**
 * Parses a duration as kubectl does: seconds, or numbers with h, m, s or ms. Returns milliseconds, or undefined if the
 * text is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(text)) return Math.round(Number(text) * 1000);
  if (!/^(?:\d{1,9}(?:\.\d{1,3})?(?:h|ms|m|s))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(?<![\d.])([\d.]+)(h|ms|m|s)/g);
  return Math.round(
    [...parts].reduce((sum, [, number, unit]) => sum + Number(number) * (UNIT_MS[unit ?? ''] ?? 0), 0),
  );
}
