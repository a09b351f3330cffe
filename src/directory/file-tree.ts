import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** Files that may hold manifests, and the folders they were found in. */
export interface FileTree {
  /** In the order of their names, so that every run reads them alike. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Paths that could not be looked at, and why. */
  readonly unreadable: readonly { readonly path: string; readonly code: string }[];
}

const MANIFEST_NAME = /\.(?:ya?ml|json)$/i;

/**
 * Looks for manifests. A folder is searched with all folders below it, for .yaml, .yml and .json; names that begin
 * with a dot are skipped (state, version control, the internals of mounted volumes). Symbolic links are followed, each
 * folder once, while they lead to something below one of the paths: what lies elsewhere was not given (`OUTSIDE`). A path that is
 * not a folder is taken whatever its name; pipes, sockets and devices are never opened (`SPECIAL`).
 */
export async function findFiles(paths: readonly string[]): Promise<FileTree> {
  const tree = {
    files: [] as string[],
    folders: [] as string[],
    unreadable: [] as FileTree['unreadable'][number][],
  };
  const seen = new Set<string>();
  const roots = new Set<string>();

  const search = async (folder: string): Promise<void> => {
    const real = await realpath(folder);
    if (seen.has(real)) return;
    seen.add(real);
    const entries = await readdir(folder, { withFileTypes: true });
    tree.folders.push(folder);
    for (const entry of entries.toSorted(byName)) {
      if (!entry.name.startsWith('.')) await lookAt(join(folder, entry.name), entry);
    }
  };

  const lookAt = async (path: string, entry: Dirent): Promise<void> => {
    const named = MANIFEST_NAME.test(entry.name);
    if (!named && entry.isFile()) return;
    await guarded(path, async () => {
      const found = entry.isSymbolicLink() ? await stat(path) : entry;
      if (!found.isDirectory() && !named) return;
      if (entry.isSymbolicLink() && !isBelow(await realpath(path), roots)) throw withCode('OUTSIDE');
      if (found.isDirectory()) await search(path);
      else if (found.isFile()) tree.files.push(path);
      else throw withCode('SPECIAL');
    });
  };

  const guarded = async (path: string, look: () => Promise<void>): Promise<void> => {
    try {
      await look();
    } catch (error) {
      tree.unreadable.push({ path, code: errorCode(error) });
    }
  };

  for (const path of paths) roots.add(await realpath(path).catch(() => path));
  for (const path of paths) {
    await guarded(path, async () => {
      if ((await stat(path)).isDirectory()) await search(path);
      else tree.files.push(path);
    });
  }
  return { ...tree, files: [...new Set(tree.files)] };
}

function isBelow(real: string, roots: ReadonlySet<string>): boolean {
  return [...roots].some(
    (root) => real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`),
  );
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The code of a file system error, such as ENOENT; 'unknown' for anything else. */
export function errorCode(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code;
  return 'unknown';
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
