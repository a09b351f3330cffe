import { INSTALLED, TOOLS } from './licences.ts';

/** The parts of a package in a lock file that the check uses. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

/** The parts of package-lock.json that the check uses; the project itself has the empty path. */
export interface LockFile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Which packages may run scripts when they are installed, as package.json lists them for npm. */
export type AllowedScripts = Readonly<Record<string, boolean>>;

/**
 * Returns the problems of a lock file, one line each. Every package must match its checksum, from whatever registry
 * npm uses, and have an accepted licence; it may run an install script only if `allowed` contains it.
 */
export function faultsOf(lockFile: LockFile, allowed: AllowedScripts): readonly string[] {
  const packages = Object.entries(lockFile.packages).filter(([path]) => path !== '');
  const names = new Set(packages.map(([path]) => nameOf(path)));
  return [
    ...(lockFile.lockfileVersion === 3
      ? []
      : [`version ${lockFile.lockfileVersion} of the format is not read here`]),
    ...packages.flatMap(([path, locked]) =>
      [originFault(locked), licenceFault(locked), scriptFault(nameOf(path), locked, allowed)].flatMap(
        (fault) => (fault === undefined ? [] : [`${path}: ${fault}`]),
      ),
    ),
    ...Object.keys(allowed).flatMap((name) =>
      names.has(name) ? [] : [`allowScripts names ${name}, which is not installed`],
    ),
  ];
}

function originFault({ integrity, resolved, link }: LockedPackage): string | undefined {
  if (link === true) return 'is a link to a folder';
  // npm leaves out the address of packages in the registry, as .npmrc asks; what remains are git, files and other
  // servers.
  if (resolved !== undefined) return `comes from an address of its own, ${resolved}`;
  return /^sha512-[A-Za-z0-9+/]{86}==$/u.test(integrity ?? '') ? undefined : 'has no SHA-512 checksum';
}

function licenceFault({ license, dev }: LockedPackage): string | undefined {
  if (license === undefined) return 'names no licence';
  if ((dev === true ? TOOLS : INSTALLED).has(license)) return undefined;
  return `has the licence ${license}, which is not accepted for ${dev === true ? 'tools' : 'what users install'}`;
}

function scriptFault(name: string, locked: LockedPackage, allowed: AllowedScripts): string | undefined {
  if (locked.hasInstallScript !== true || allowed[name] === true) return undefined;
  return 'runs a script when it is installed, and package.json does not allow it';
}

/** `node_modules/a/node_modules/@b/c` -> `@b/c`. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
