import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** Files that may hold manifests, and the folders that contain them. */
export interface FileTree {
  /** Sorted by name within each folder, so that every run reads them in the same order. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Paths that could not be read, with the error code. */
  readonly unreadable: readonly { readonly path: string; readonly code: string }[];
}

const MANIFEST_NAME = /\.(?:ya?ml|json)$/i;

/**
 * Searches for manifests. Searches a folder and all folders below it for .yaml, .yml and .json files. Skips names that
 * begin with a dot (state, version control, the internals of mounted volumes). Follows a symbolic link only if its
 * target is below one of the paths, and reports the others as `OUTSIDE`. Finds each folder and each file once, however
 * many links lead to it, and prefers a file's own path to that of a link. Takes a path that is not a folder whatever
 * its name is. Never opens pipes, sockets or devices in a folder (`SPECIAL`).
 */
export async function findFiles(paths: readonly string[]): Promise<FileTree> {
  const search = new TreeSearch(await Promise.all(paths.map(realOf)));
  for (const path of paths) await search.add(path);
  return search.found();
}

/** Returns the real path. A pipe, as a shell makes for <(...), has only the path that was given. */
const realOf = (path: string): Promise<string> => realpath(path).catch(() => path);

class TreeSearch {
  readonly #roots: readonly string[];
  readonly #folders: string[] = [];
  readonly #unreadable: FileTree['unreadable'][number][] = [];
  /** The searched folders and the found files, by their real paths. */
  readonly #searched = new Set<string>();
  readonly #files = new Map<string, { readonly path: string; readonly isLink: boolean }>();

  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  /** Searches a folder, or adds the file that the path names. */
  async add(path: string): Promise<void> {
    await this.#guarded(path, async () => {
      if ((await stat(path)).isDirectory()) await this.#search(path);
      else this.#find(await realOf(path), path, false);
    });
  }

  found(): FileTree {
    const files = [...this.#files.values()].map(({ path }) => path);
    return { folders: this.#folders, unreadable: this.#unreadable, files };
  }

  async #search(folder: string): Promise<void> {
    const real = await realpath(folder);
    if (this.#searched.has(real)) return;
    this.#searched.add(real);
    const entries = await readdir(folder, { withFileTypes: true });
    this.#folders.push(folder);
    for (const entry of entries.toSorted(byName)) {
      if (!entry.name.startsWith('.')) await this.#lookAt(join(folder, entry.name), entry, real);
    }
  }

  async #lookAt(path: string, entry: Dirent, folder: string): Promise<void> {
    const named = MANIFEST_NAME.test(entry.name);
    if (!named && entry.isFile()) return;
    await this.#guarded(path, async () => {
      const isLink = entry.isSymbolicLink();
      const found = isLink ? await stat(path) : entry;
      if (!found.isDirectory() && !named) return;
      const real = isLink ? await realpath(path) : join(folder, entry.name);
      if (isLink && !isBelow(real, this.#roots)) throw withCode('OUTSIDE');
      if (found.isDirectory()) await this.#search(path);
      else if (found.isFile()) this.#find(real, path, isLink);
      else throw withCode('SPECIAL');
    });
  }

  #find(real: string, path: string, isLink: boolean): void {
    const known = this.#files.get(real);
    if (known !== undefined && (isLink || !known.isLink)) return;
    // The file itself takes its own place in the order of names instead of that of the link.
    this.#files.delete(real);
    this.#files.set(real, { path, isLink });
  }

  async #guarded(path: string, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      this.#unreadable.push({ path, code: errorCode(error) });
    }
  }
}

function isBelow(real: string, roots: readonly string[]): boolean {
  return roots.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`));
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Returns the code of a file system error, such as ENOENT, or 'unknown' for any other error. */
export function errorCode(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code;
  return 'unknown';
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
