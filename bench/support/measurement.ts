/** Times of one thing that was done several times. */
export interface Measurement {
  readonly name: string;
  /** In the order in which they were taken. */
  readonly samplesMs: readonly number[];
  /** What the median should stay below; absent for what only explains another one. */
  readonly targetMs?: number;
}

/** A measurement with the numbers that people look at. */
export interface Summary extends Measurement {
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** Median by target: 1 or less is good. */
  readonly ratio?: number;
}

/** The numbers of a measurement. Throws a RangeError where nothing was measured. */
export function summaryOf(measurement: Measurement): Summary {
  const sorted = measurement.samplesMs.toSorted((a, b) => a - b);
  const [minMs, maxMs] = [sorted[0], sorted.at(-1)];
  if (minMs === undefined || maxMs === undefined)
    throw new RangeError(`${measurement.name}: no sample was taken`);
  const medianMs = ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
  const { targetMs } = measurement;
  const ratio = targetMs === undefined ? {} : { ratio: medianMs / targetMs };
  return { ...measurement, medianMs, minMs, maxMs, ...ratio };
}

/** Summaries as a table for people, one line each. */
export function tableOf(summaries: readonly Summary[]): string {
  const rows = summaries.map(({ name, medianMs, minMs, maxMs, targetMs, ratio, samplesMs }) => [
    name,
    ...[medianMs, minMs, maxMs].map((ms) => ms.toFixed(0)),
    targetMs?.toFixed(0) ?? '',
    ratio?.toFixed(2) ?? '',
    String(samplesMs.length),
  ]);
  const all = [['milliseconds', 'median', 'min', 'max', 'target', 'ratio', 'runs'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return all.map((row) => `${line(row)}\n`).join('');
}
