import { renderYaml } from './render-yaml.ts';

/** Formats for programs. */
export type DataFormat = 'json' | 'yaml';

/**
 * The version of every document that a command prints for programs. Members may be added under the same version; the
 * version changes when a member is renamed, removed or gets another meaning.
 */
export const FORMAT_VERSION = 1;

/**
 * The members of a document besides its version, by its type in `generated/documents.ts`; JSON leaves out undefined
 * ones.
 */
export type BodyOf<Document> = Printed<Omit<Document, 'formatVersion'>>;

type Printed<T> = T extends readonly (infer Item)[]
  ? readonly Printed<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Printed<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

/** Writes the result of a command as a document for programs, with its format version. Pure; ends with a line break. */
export function renderDocument(body: object, format: DataFormat): string {
  return renderData({ formatVersion: FORMAT_VERSION, ...body }, format);
}

/** Writes a value for programs. Pure; ends with a line break. */
export function renderData(value: unknown, format: DataFormat): string {
  return format === 'json' ? renderJson(value) : renderYaml(value);
}

/**
 * Returns a value as readable JSON, and escapes characters that would control a terminal. Pure; ends with a line break.
 */
export function renderJson(value: unknown): string {
  return `${escapeUnseen(JSON.stringify(value, undefined, 2))}\n`;
}

/**
 * Escapes control and invisible characters. They occur only in strings, where JSON has an escape for each code unit.
 */
function escapeUnseen(json: string): string {
  return json.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    sign
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
