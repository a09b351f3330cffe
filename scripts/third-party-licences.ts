import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Licences whose code may be part of what we give away, since they ask for no more than their text. */
const ACCEPTED = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
]);

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/**
 * The licence texts of the packages that the given bundled files come from, as one document. Throws when a package
 * carries a licence that is not accepted here.
 */
export async function licencesOf(root: string, bundled: readonly string[]): Promise<string> {
  const folders = new Set(bundled.map(packageFolder).filter((folder) => folder !== undefined));
  const entries = await Promise.all(
    [...folders].toSorted().map(async (folder) => entryOf(join(root, folder))),
  );
  return entries.join(`\n${'-'.repeat(80)}\n\n`);
}

/** `node_modules/a/node_modules/@b/c/dist/d.js` -> `node_modules/a/node_modules/@b/c`. */
function packageFolder(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file)?.[0];
}

async function entryOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as PackageJson;
  if (license === undefined || !ACCEPTED.has(license)) {
    throw new Error(
      `${name} ${version} has the licence ${license ?? 'none'}, which is not on the accepted list`,
    );
  }
  const file = (await readdir(folder)).find((entry) => /^(?:licen[cs]e|copying)/iu.test(entry));
  const text =
    file === undefined
      ? `(licence ${license}; the package carries no text)`
      : await readFile(join(folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
