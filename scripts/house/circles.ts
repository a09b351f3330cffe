import type { SourceFile } from './source-file.ts';

/** Groups of two or more files in which each imports every other one, directly or not. Tarjan's algorithm. */
export function circlesIn(
  files: readonly Pick<SourceFile, 'path' | 'imports'>[],
): readonly (readonly string[])[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): void => {
    const index = indexes.size;
    indexes.set(path, index);
    lowest.set(path, index);
    open.push(path);
    for (const next of importsOf.get(path) ?? []) {
      if (!importsOf.has(next)) continue;
      if (!indexes.has(next)) visit(next);
      const reached = open.includes(next) ? lowest.get(next) : undefined;
      if (reached !== undefined) lowest.set(path, Math.min(lowest.get(path) ?? index, reached));
    }
    if (lowest.get(path) !== index) return;
    const group = open.splice(open.indexOf(path));
    if (group.length > 1) circles.push(group);
  };
  for (const { path } of files) if (!indexes.has(path)) visit(path);
  return circles;
}
