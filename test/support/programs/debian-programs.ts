import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { cacheFolder } from './cache-folder.ts';
import { withFileLock } from './file-lock.ts';

const run = promisify(execFile);

/** The first run also downloads the lists of packages, and later callers wait for the downloads of earlier ones. */
const LIMIT_MS = 10 * 60_000;

/** Debian programs that the test file requested. */
export interface DebianPrograms {
  /** Returns the place of a path of an installed package, such as `/usr/sbin/squid`. */
  at(path: string): string;
  /** Environment variables with which the programs find their libraries. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Gives the test file packages of Debian: the installed ones, or else those of apt's mirror, which it keeps between
 * runs and does not install. If neither is possible, the test file fails and says what to install. Call it at the top
 * of a file, and the returned function inside tests and later hooks.
 */
export function useDebianPrograms(packages: Readonly<Record<string, string>>): () => DebianPrograms {
  let programs: DebianPrograms | undefined;
  let unpacked: string | undefined;
  beforeAll(async () => {
    if (Object.values(packages).every((program) => existsSync(program))) {
      programs = { at: (path) => path, env: process.env };
      return;
    }
    const archives = await downloaded(Object.keys(packages));
    // Servers that drop root rights read it too.
    unpacked = mkdtempSync(join(tmpdir(), 'dms-operator-debian-'));
    chmodSync(unpacked, 0o755);
    for (const archive of archives) await run('dpkg-deb', ['--extract', archive, unpacked]);
    programs = rootedAt(unpacked);
  }, LIMIT_MS);
  afterAll(() => {
    if (unpacked !== undefined) rmSync(unpacked, { recursive: true, force: true });
  });
  return () => {
    if (programs === undefined) throw new Error('the programs are not there before the tests of the file');
    return programs;
  };
}

function rootedAt(root: string): DebianPrograms {
  const libraries = join(root, 'usr', 'lib');
  const names = existsSync(libraries) ? readdirSync(libraries) : [];
  const folders = [libraries, ...names.map((name) => join(libraries, name))];
  const path = folders.filter((folder) => folder === libraries || folder.endsWith('-linux-gnu'));
  return {
    at: (file) => join(root, file),
    env: { ...process.env, LD_LIBRARY_PATH: path.join(':') },
  };
}

/** Downloads the archives of packages and of their dependencies that are not installed here. */
async function downloaded(packages: readonly string[]): Promise<readonly string[]> {
  const system = existsSync('/etc/os-release') ? readFileSync('/etc/os-release') : '';
  const hash = createHash('sha256').update(system).update(process.arch).update(packages.join());
  const folder = join(cacheFolder('debian'), hash.digest('hex').slice(0, 16));
  mkdirSync(cacheFolder('debian'), { recursive: true });
  await withFileLock(
    `${folder}.lock`,
    () => undefined,
    async () => {
      if (!existsSync(folder)) await download(packages, folder);
    },
  );
  return readdirSync(folder).map((name) => join(folder, name));
}

/** Downloads packages without root rights, and without a change of apt's data about this machine. */
async function download(packages: readonly string[], folder: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'dms-operator-apt-'));
  try {
    for (const name of ['lists/partial', 'archives/partial'])
      mkdirSync(join(work, name), { recursive: true });
    const places = {
      'Dir::State::lists': join(work, 'lists'),
      'Dir::Cache': work,
      'Dir::Cache::archives': join(work, 'archives'),
      'Debug::NoLocking': 'true',
      'APT::Sandbox::User': '',
    };
    const options = Object.entries(places).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    await run('apt-get', [...options, '--quiet', 'update']);
    const install = ['--quiet', '--yes', '--no-install-recommends', '--download-only', 'install'];
    await run('apt-get', [...options, ...install, ...packages]);
    const kept = join(work, 'kept');
    mkdirSync(kept);
    for (const name of readdirSync(join(work, 'archives')).filter(isNeeded)) {
      renameSync(join(work, 'archives', name), join(kept, name));
    }
    await run('cp', ['-r', kept, `${folder}.new`]);
    renameSync(`${folder}.new`, folder);
  } catch (error) {
    throw new Error(
      `neither installed nor to be had from the mirror of apt: apt-get install ${packages.join(' ')}`,
      { cause: error },
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** False for packages that only the scripts of other packages need. */
function isNeeded(archive: string): boolean {
  return archive.endsWith('.deb') && !/^(?:perl|libperl|logrotate)/.test(archive);
}
