import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const IMAGE = join(import.meta.dirname, '..', '..', '..', 'Dockerfile');

/**
 * Returns what a container of the image runs before the arguments of the pod: Node.js, its flags, and the program.
 */
export function imageEntrypoint(): readonly string[] {
  const [, entrypoint] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(IMAGE, 'utf8')) ?? [];
  if (entrypoint === undefined) throw new Error('Dockerfile: no ENTRYPOINT');
  return JSON.parse(entrypoint) as readonly string[];
}

/** The variables that the image sets. */
export function imageVariables(): Readonly<Record<string, string>> {
  const [, variables = ''] = /^ENV (.*)$/m.exec(readFileSync(IMAGE, 'utf8')) ?? [];
  const pairs = variables.split(' ').map((pair) => pair.split('=', 2));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}

/** Returns the flags of Node.js in the image. */
export function imageWords(): readonly string[] {
  return imageEntrypoint().slice(1, -1);
}
