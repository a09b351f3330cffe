import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const CORPUS = join(ROOT, 'test', 'fuzz', 'corpus');

/** An input that once did harm, stored in a file. */
export interface Kept {
  readonly file: string;
  readonly input: Buffer;
}

/** Returns every input that once did harm to a reader. */
export function keptOf(target: string): readonly Kept[] {
  const folder = join(CORPUS, target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .map((name) => ({
      file: join('test', 'fuzz', 'corpus', target, name),
      input: readFileSync(join(folder, name)),
    }));
}

/** Stores an input for all later runs. Returns its path. */
export function keep(target: string, input: Uint8Array): string {
  const folder = join(CORPUS, target);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 12));
  writeFileSync(file, input);
  return relative(ROOT, file);
}
