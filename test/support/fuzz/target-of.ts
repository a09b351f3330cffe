import type { Target } from './target.ts';

/** Loads a target from a file of this folder. Throws if the file has no target of that name. */
export async function targetOf(file: string, name: string): Promise<Target> {
  const { TARGETS } = (await import(`./${file}`)) as { readonly TARGETS: Readonly<Record<string, Target>> };
  const target = TARGETS[name];
  if (target === undefined) throw new Error(`no target ${name} in ${file}`);
  return target;
}
