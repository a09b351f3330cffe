import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, getFileInfo, resolveConfig } from 'prettier';

const root = new URL('../', import.meta.url);

/**
 * Writes generated files, by their paths in the project, formatted by prettier. With --check on the command line it
 * writes nothing: it names each file that is not current, and the exit code becomes 1.
 */
export async function settleFiles(texts: Iterable<readonly [path: string, text: string]>): Promise<void> {
  const check = process.argv.includes('--check');
  for (const [name, text] of texts) {
    const path = fileURLToPath(new URL(name, root));
    const wanted = await formatted(path, text);
    if ((await readFile(path, 'utf8').catch(() => undefined)) === wanted) continue;
    if (check) {
      console.error(`${name}: not current; run npm run generate`);
      process.exitCode = 1;
    } else {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, wanted);
    }
  }
}

/** The text of a file below the project. */
export function textOf(name: string): Promise<string> {
  return readFile(new URL(name, root), 'utf8');
}

async function formatted(path: string, text: string): Promise<string> {
  // Go templates have the names of YAML files, and are none.
  if (path.includes('/chart/templates/')) return text;
  const { inferredParser } = await getFileInfo(path);
  if (inferredParser === null) return text;
  return format(text, { ...(await resolveConfig(path)), parser: inferredParser });
}
