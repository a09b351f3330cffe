const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
];

/** Returns the age of a time in the largest unit that gives at least two, as kubectl does. */
export function ageText(time: string | undefined, nowMs: number): string | undefined {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(time ?? '')) / 1000));
  if (Number.isNaN(seconds)) return undefined;
  const unit = UNITS.find(([, size]) => seconds >= 2 * size);
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit[1])}${unit[0]}`;
}
