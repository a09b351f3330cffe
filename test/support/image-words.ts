import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const IMAGE = join(import.meta.dirname, '..', '..', 'Dockerfile');

/** What the image says to Node.js before the program. */
export function imageWords(): readonly string[] {
  const [, entrypoint] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(IMAGE, 'utf8')) ?? [];
  if (entrypoint === undefined) throw new Error('Dockerfile: no ENTRYPOINT');
  return (JSON.parse(entrypoint) as readonly string[]).slice(1, -1);
}
