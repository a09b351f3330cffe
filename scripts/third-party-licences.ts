import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledPackage } from './bundled-packages.ts';
import { GIVEN_AWAY } from './licences.ts';

const LICENCE = /^(?:licen[cs]e|copying)/iu;
/** Notices that Apache-2.0 (section 4d) requires beside the code; packages with other licences may have one too. */
const NOTICE = /^notice/iu;

/**
 * Returns the licence texts and notices of the packages as one document. Throws if a package has a licence that the
 * bundle may not contain.
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
  const licences = await textsOf(join(root, folder), LICENCE);
  const notices = await textsOf(join(root, folder), NOTICE);
  const texts = [
    ...(licences.length > 0 ? licences : [`(licence ${license}; the package carries no text)`]),
    ...notices.map((notice) => `NOTICE of ${name}:\n\n${notice}`),
  ];
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}

/** The texts in a folder whose names are like this, in the order of their names. */
async function textsOf(folder: string, names: RegExp): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && names.test(entry.name)).map(({ name }) => name);
  return Promise.all(
    files.toSorted().map(async (file) => (await readFile(join(folder, file), 'utf8')).trim()),
  );
}
