import { renderYaml } from './render-yaml.ts';

/** Formats for programs. */
export type DataFormat = 'json' | 'yaml';

/**
 * The version of every document that a command prints for programs. Members may be added under the same version; the
 * version changes when a member is renamed, removed or gets another meaning.
 */
export const FORMAT_VERSION = 1;

/**
 * The members of a document beside its version, by its type in `generated/documents.ts`; JSON leaves out undefined
 * ones.
 */
export type BodyOf<Document> = Printed<Omit<Document, 'formatVersion'>>;

type Printed<T> = T extends readonly (infer Item)[]
  ? readonly Printed<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Printed<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

/** Writes the result of a command as a document for programs, with its format version. Pure; ends in a line end. */
export function renderDocument(body: object, format: DataFormat): string {
  return renderData({ formatVersion: FORMAT_VERSION, ...body }, format);
}

/** A value for programs to read. Pure; ends in a line end. */
export function renderData(value: unknown, format: DataFormat): string {
  return format === 'json' ? renderJson(value) : renderYaml(value);
}

/**
 * Returns a value as JSON that people can read too, with characters escaped that would control a terminal. Pure; ends
 * in a line end.
 */
export function renderJson(value: unknown): string {
  return `${escapeUnseen(JSON.stringify(value, undefined, 2))}\n`;
}

/** Control and invisible characters occur only in texts, where JSON has an escape for each code unit. */
function escapeUnseen(json: string): string {
  return json.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    sign
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
