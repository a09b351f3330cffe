import { renderYaml } from './render-yaml.ts';

/** Formats for programs. */
export type DataFormat = 'json' | 'yaml';

/** A value for programs to read. Pure; ends in a line end. */
export function renderData(value: unknown, format: DataFormat): string {
  return format === 'json' ? renderJson(value) : renderYaml(value);
}

/** A value as JSON that people can read too, with what a terminal would act on escaped. Pure; ends in a line end. */
export function renderJson(value: unknown): string {
  return `${escapeUnseen(JSON.stringify(value, undefined, 2))}\n`;
}

/** Control and invisible characters stand in texts alone, where JSON has an escape for each code unit. */
function escapeUnseen(json: string): string {
  return json.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    sign
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
