/** What figures are counted in. */
export type Unit =
  | 'ms'
  | 's'
  | 'calls'
  | 'writes'
  | 'PATCHes'
  | 'refusals'
  | 'connections'
  | 'MiB'
  | 'KiB'
  | 'bytes'
  | 'per second'
  | '';

/** A bound, and on which side of it a figure has to be. */
export interface Target {
  readonly side: 'at most' | 'at least';
  readonly value: number;
}

/** One figure that was taken once or several times. */
export interface Measurement {
  readonly name: string;
  readonly unit: Unit;
  /** In the order in which they were taken. */
  readonly samples: readonly number[];
  /** What the median has to keep; absent for what only explains another one. */
  readonly target?: Target;
  /** What the closest public peer was measured with, in words. */
  readonly peer?: string;
}

/** A measurement with the numbers that people look at. */
export interface Summary extends Measurement {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** How much of its bound the median takes up: 1 or less is good, whichever side the bound is on. */
  readonly ratio?: number;
}

/** A figure that may be this much. */
export function atMost(value: number): Target {
  return { side: 'at most', value };
}

/** A figure that must be this much. */
export function atLeast(value: number): Target {
  return { side: 'at least', value };
}

/** The numbers of a measurement. Throws a RangeError where nothing was measured. */
export function summaryOf(measurement: Measurement): Summary {
  const sorted = measurement.samples.toSorted((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined)
    throw new RangeError(`${measurement.name}: no sample was taken`);
  const median = ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
  const { target } = measurement;
  return { ...measurement, median, min, max, ...(target && { ratio: ratioOf(median, target) }) };
}

/** The smallest sample that so many hundredths of all samples do not exceed. */
export function percentile(samples: readonly number[], hundredths: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil((sorted.length * hundredths) / 100) - 1)];
  if (found === undefined) throw new RangeError('no sample was taken');
  return found;
}

/** A number as people read it: whole where it is large, with digits where it is small. */
export function figureText(figure: number): string {
  const digits = Number.isInteger(figure) || Math.abs(figure) >= 100 ? 0 : 2;
  return figure.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A bound as people read it; '' where there is none. */
export function targetText(target: Target | undefined): string {
  if (target === undefined) return '';
  return `${target.side === 'at most' ? '≤' : '≥'} ${figureText(target.value)}`;
}

/** Summaries as a table for people, one line each. */
export function tableOf(summaries: readonly Summary[]): string {
  const rows = summaries.map(({ name, unit, median, min, max, target, ratio, samples }) => [
    name,
    ...[median, min, max].map(figureText),
    unit,
    targetText(target),
    ratio?.toFixed(2) ?? '',
    String(samples.length),
  ]);
  return columns([['', 'figure', 'min', 'max', 'unit', 'target', 'ratio', 'runs'], ...rows]);
}

function ratioOf(figure: number, { side, value }: Target): number {
  const [used, whole] = side === 'at most' ? [figure, value] : [value, figure];
  return used === 0 ? 0 : used / whole;
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const cell = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => `${row.map(cell).join('  ').trimEnd()}\n`).join('');
}
