import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file that `sha256sum --check` reads. */
const CHECKSUMS = 'SHA256SUMS';

/** Writes the checksums of all files of a folder beside them. */
export async function writeChecksums(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== CHECKSUMS).toSorted();
  const lines = names.map(async (name) => {
    const sum = createHash('sha256').update(await readFile(join(folder, name)));
    return `${sum.digest('hex')}  ${name}\n`;
  });
  await writeFile(join(folder, CHECKSUMS), (await Promise.all(lines)).join(''));
}
