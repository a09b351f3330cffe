import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SCHEMAS } from '../../src/api/generated/schemas.ts';

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Returns every page for people: those at the root, everything in docs/ and the tour of src/, as paths below ROOT. */
export function pages(): readonly string[] {
  const inDocs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  const all = [...readdirSync(ROOT), 'src/README.md', ...inDocs.map((file) => join('docs', file))];
  return all.filter((file) => file.endsWith('.md')).toSorted();
}

/** Returns the text of a page. */
export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Returns the targets of all links in a text, as written. */
export function linksIn(text: string): readonly string[] {
  return [...text.matchAll(/\]\((?<target>[^)\s]+)\)/g)].map((match) => match.groups?.['target'] ?? '');
}

/** Returns the targets of links to files of the project, as paths below ROOT and without anchors. */
export function linkedFiles(page: string): readonly string[] {
  const local = linksIn(textOf(page)).filter((target) => !/^(?:https?:|mailto:|#)/.test(target));
  return local.map((target) => join(dirname(page), target.replace(/#.*$/, '')));
}

/** Returns the words in backticks, without code blocks. */
export function quotedWords(page: string): readonly string[] {
  const prose = textOf(page).replaceAll(/^```[^]*?^```$/gm, '');
  return [...prose.matchAll(/`(?<word>[^`\n]+)`/g)].map((match) => match.groups?.['word'] ?? '');
}

/** Returns the lines of shell code blocks, without the prompt and the part after a `#`. */
export function commandLines(page: string): readonly string[] {
  const blocks = [...textOf(page).matchAll(/^```(?:console|sh)\n(?<code>[^]*?)^```$/gm)];
  const lines = blocks.flatMap((block) => (block.groups?.['code'] ?? '').split('\n'));
  return lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2).replace(/\s+#.*$/, ''));
}

const TOP_LEVEL = /^(?:\.ci|bench|crds|docs|manifests|scripts|src|test)\//;

/** True for a word that names a file or folder of the project, relative to its root or to src. */
export function isPath(word: string): boolean {
  if (/[\s*{}<>=:]/.test(word) || /[A-Z]{3}/.test(word)) return false;
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return TOP_LEVEL.test(word) || folders.some(({ name }) => word.startsWith(`${name}/`));
}

/** True if a path exists, relative to the root or to src. */
export function pathExists(path: string): boolean {
  return existsSync(join(ROOT, path)) || existsSync(join(ROOT, 'src', path));
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** True if one of our kinds has a field at this path, such as spec.rollout.deadlineSeconds. */
export function isField(path: string): boolean {
  return Object.values(SCHEMAS).some((schema) => {
    let current: Schema | undefined = schema;
    for (const name of path.split('.')) current = (current?.items ?? current)?.properties?.[name];
    return current !== undefined;
  });
}
