import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** A package of which something is in the bundle. */
export interface BundledPackage {
  /** Below the project, as the lock file names it: `node_modules/a/node_modules/@b/c`. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** SPDX identifier; absent where the package names none. */
  readonly license: string | undefined;
  /** Folders of the bundled packages that it imports. */
  readonly imports: readonly string[];
}

/** The packages in a bundle, in a fixed order. */
export interface BundledPackages {
  readonly packages: readonly BundledPackage[];
  /** Folders of the packages that our own code imports. */
  readonly importedByUs: readonly string[];
}

/** The package name of our own files. */
const OURS = '';

/** Reads from the report of a build which packages have a byte in the bundle; packages without one do not count. */
export async function bundledPackages(root: string, metafile: Metafile): Promise<BundledPackages> {
  const folders = [...new Set(filesWithBytes(metafile).map(packageFolder))]
    .filter((folder) => folder !== OURS)
    .toSorted();
  // A file that only re-exports has no byte in the bundle, so this walks through all files.
  const importsOf = (importer: string): readonly string[] => {
    const imported = Object.entries(metafile.inputs)
      .filter(([file]) => packageFolder(file) === importer)
      .flatMap(([, { imports }]) => imports.map(({ path }) => packageFolder(path)));
    return folders.filter((folder) => folder !== importer && imported.includes(folder));
  };
  const packages = folders.map(async (folder) => ({
    folder,
    ...(await described(join(root, folder))),
    imports: importsOf(folder),
  }));
  return { packages: await Promise.all(packages), importedByUs: importsOf(OURS) };
}

function filesWithBytes({ outputs }: Metafile): readonly string[] {
  const files = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) if (bytesInOutput > 0) files.add(file);
  }
  return [...files];
}

/** `node_modules/a/node_modules/@b/c/dist/d.js` -> `node_modules/a/node_modules/@b/c`. */
function packageFolder(file: string): string {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file)?.[0] ?? OURS;
}

async function described(folder: string): Promise<Pick<BundledPackage, 'name' | 'version' | 'license'>> {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as BundledPackage;
  return { name, version, license };
}
