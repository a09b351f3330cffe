import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledPackage } from './bundled-packages.ts';
import { GIVEN_AWAY } from './licences.ts';

/**
 * The licence texts of the given packages, as one document. Throws when a package carries a licence that is not
 * accepted in what we give away.
 */
export async function licencesOf(root: string, packages: readonly BundledPackage[]): Promise<string> {
  const entries = await Promise.all(packages.map(async (bundled) => entryOf(root, bundled)));
  return entries.join(`\n${'-'.repeat(80)}\n\n`);
}

async function entryOf(root: string, { folder, name, version, license }: BundledPackage): Promise<string> {
  if (license === undefined || !GIVEN_AWAY.has(license)) {
    throw new Error(
      `${name} ${version} has the licence ${license ?? 'none'}, which is not on the accepted list`,
    );
  }
  const file = (await readdir(join(root, folder))).find((entry) => /^(?:licen[cs]e|copying)/iu.test(entry));
  const text =
    file === undefined
      ? `(licence ${license}; the package carries no text)`
      : await readFile(join(root, folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
