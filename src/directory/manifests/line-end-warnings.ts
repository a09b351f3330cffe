import { join } from 'node:path';
import { warning } from '../../api/problem.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import { dataReferences } from '../../model/connection/data-references.ts';
import type { DataEntry } from './data-manifest.ts';
import type { Manifests } from './manifest-files.ts';
import type { SecretFiles } from './secret-files.ts';

/**
 * Warns of Secret values that are a single line with its line end: `echo` and editors add it, and it is sent as part of
 * the value. Considers only Secrets that declared resources name. A key or a certificate of several lines rightly ends
 * in a line end.
 */
export async function lineEndWarnings(
  { declared }: Pick<Manifests, 'declared'>,
  secretFiles?: SecretFiles,
): Promise<readonly FileProblem[]> {
  const documents = [...declared.values()];
  const named = new Set(
    documents.flatMap(({ object }) =>
      'data' in object ? [] : dataReferences(object).map(({ name }) => name),
    ),
  );
  const found = documents.flatMap(({ object, file, line, column }): readonly FileProblem[] => {
    if (!('data' in object) || object.kind !== 'Secret' || !named.has(object.metadata.name)) return [];
    return keysWithLineEnd(object.data).map((key) => ({
      file,
      line,
      column,
      ...problemOf(`the value of ${key}`),
    }));
  });
  for (const name of secretFiles === undefined ? [] : named) {
    // An unreadable file is reported where its value is needed.
    const data = await secretFiles?.read(name).catch(() => undefined);
    for (const key of keysWithLineEnd(data ?? new Map()))
      found.push({ file: join(secretFiles?.folder ?? '', name, key), ...problemOf('this value') });
  }
  return found;
}

function keysWithLineEnd(data: ReadonlyMap<string, DataEntry>): readonly string[] {
  return [...data]
    .filter(([, { utf8, value }]) => utf8 && /^[^\r\n]+\r?\n$/.test(value.reveal()))
    .map(([key]) => key);
}

function problemOf(what: string): ReturnType<typeof warning> {
  return warning(
    '',
    `${what} ends in a line end, which is sent as part of it`,
    'a value without it, unless it is meant',
  );
}
