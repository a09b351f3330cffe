import { renderYaml } from './render-yaml.ts';

/** Formats for programs. */
export type DataFormat = 'json' | 'yaml';

/** A value for programs to read. Pure; ends in a line end. */
export function renderData(value: unknown, format: DataFormat): string {
  return format === 'json' ? renderJson(value) : renderYaml(value);
}

/** A value as JSON that people can read too. Pure; ends in a line end. */
export function renderJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
