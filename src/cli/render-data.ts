import { stringify } from 'yaml';

/** Formats for programs. */
export type DataFormat = 'json' | 'yaml';

/** A value for programs to read. Pure; ends in a line end. */
export function renderData(value: unknown, format: DataFormat): string {
  return format === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : stringify(value);
}
