import type { ObjectMeta } from '../../api/metadata.ts';
import { error, join, type Problem } from '../../api/problem.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { SecretValue } from '../../base/secret-value.ts';
import type { DataObject } from '../../ports/stores/secret-reader.ts';

/** One value of a Secret or ConfigMap. */
export type DataEntry = DataObject['data'] extends ReadonlyMap<string, infer Entry> ? Entry : never;

/** A Secret or ConfigMap document, decoded. */
export interface DataManifest {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly metadata: ObjectMeta;
  readonly data: DataObject['data'];
}

/** Returns bytes as an entry. `utf8` says whether its text is exact. */
export function dataEntry(bytes: Uint8Array): DataEntry {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return { bytes, value: new SecretValue(text), utf8: Buffer.from(text, 'utf8').equals(bytes) };
}

/** Returns one text for all values together, to be digested. */
export function dataText(data: DataManifest['data']): string {
  const entries = [...data].map(([name, { bytes }]) => [name, Buffer.from(bytes).toString('base64')]);
  return JSON.stringify(entries.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)));
}

/**
 * Decodes `data` and `stringData` of a Secret, or `data` and `binaryData` of a ConfigMap. As with an API server,
 * `stringData` wins over `data`.
 */
export function decodeData(
  kind: DataManifest['kind'],
  document: JsonObject,
): { readonly data: DataObject['data']; readonly problems: readonly Problem[] } {
  const data = new Map<string, DataEntry>();
  const problems: Problem[] = [];
  if (document['sops'] !== undefined) {
    problems.push(error('sops', 'says that the values are encrypted', 'a decrypted file'));
  }
  const encoded = kind === 'Secret' ? 'data' : 'binaryData';
  const plain = kind === 'Secret' ? 'stringData' : 'data';
  for (const [field, decode] of [
    [encoded, fromBase64],
    [plain, fromText],
  ] as const) {
    for (const [key, value] of entriesOf(document[field], field, problems)) {
      const bytes = decode(value);
      if (bytes === 'not-text')
        problems.push(error(join(field, key), 'is not a text', 'the value in quotes'));
      else if (bytes === 'not-base64') problems.push(error(join(field, key), 'is not base64', BASE64));
      else data.set(key, dataEntry(bytes));
    }
  }
  return { data, problems };
}

const BASE64 = 'the encoded value, or the plain one under stringData';

function entriesOf(value: Json | undefined, field: string, problems: Problem[]): readonly [string, Json][] {
  if (value === undefined || value === null) return [];
  if (isJsonObject(value)) return Object.entries(value);
  problems.push(error(field, 'is not a map', 'one "key: value" per line'));
  return [];
}

function fromText(value: Json): Uint8Array | 'not-text' {
  return typeof value === 'string' ? Buffer.from(value, 'utf8') : 'not-text';
}

function fromBase64(value: Json): Uint8Array | 'not-text' | 'not-base64' {
  if (typeof value !== 'string') return 'not-text';
  const text = value.replace(/\s/g, '');
  const wellFormed = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
  return wellFormed ? Buffer.from(text, 'base64') : 'not-base64';
}
