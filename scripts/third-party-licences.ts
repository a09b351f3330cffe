import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledPackage } from './bundled-packages.ts';
import { GIVEN_AWAY } from './licences.ts';

const LICENCE = /^(?:licen[cs]e|copying)/iu;
/** What Apache-2.0 (section 4d) asks to be handed on where a package has it; others may have one as well. */
const NOTICE = /^notice/iu;

/**
 * The licence texts of the given packages and their notices, as one document. Throws when a package carries a licence that is not
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
