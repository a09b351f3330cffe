/** The units of figures. */
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

/** A limit, and the side of it that is good. */
export interface Target {
  readonly side: 'at most' | 'at least';
  readonly value: number;
}

/** One figure that was taken once or several times. */
export interface Measurement {
  readonly name: string;
  readonly unit: Unit;
  /** The samples in the order in which they were taken. */
  readonly samples: readonly number[];
  /** The limit of the median; absent for a figure that only explains another one. */
  readonly target?: Target;
  /** The figure of the closest public peer. */
  readonly peer?: string;
}

/** A measurement with the numbers that people look at. */
export interface Summary extends Measurement {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** The part of the limit that the median takes: 1 or less is good, whichever side of the limit is good. */
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

/** Returns a limit as text for people; '' if there is none. */
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
