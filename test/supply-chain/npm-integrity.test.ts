import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { packed } from '../../scripts/release/archive.ts';
import { textOf } from '../docs/support.ts';
import { integrityOf, npmRegistry } from '../support/servers/npm-registry.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const MANIFEST = { name: 'a', version: '1.0.0' };

/** Returns a package with this program, as a registry has it. */
async function archived(folder: TemporaryFolder, program: string): Promise<Buffer> {
  folder.write('a/package.json', JSON.stringify(MANIFEST));
  folder.write('a/index.js', program);
  const archive = folder.at('a.tgz');
  await packed({ archive, folder: folder.at('a'), entries: ['.'], time: new Date(0), prefix: 'package/' });
  return readFileSync(archive);
}

/**
 * Installs, from a registry with one package, according to a lock file of this project's kind with another checksum.
 */
async function installed(has: Buffer, locked: Buffer): Promise<string> {
  const root = { name: 'root', version: '1.0.0', dependencies: { a: '1.0.0' } };
  const entry = { version: '1.0.0', integrity: integrityOf(locked), license: 'MIT' };
  const folder = temporaryFolder({
    '.npmrc': textOf('.npmrc'),
    'package.json': JSON.stringify(root),
    'package-lock.json': JSON.stringify({
      ...{ name: 'root', version: '1.0.0', lockfileVersion: 3, requires: true },
      packages: { '': root, 'node_modules/a': entry },
    }),
  });
  const words = [
    'ci',
    '--registry',
    (await npmRegistry(MANIFEST, has)).url,
    '--cache',
    folder.at('cache'),
    '--no-audit',
    '--no-fund',
  ];
  const env = { PATH: process.env['PATH'], HOME: folder.path };
  await promisify(execFile)('npm', words, { cwd: folder.path, env });
  return readFileSync(join(folder.path, 'node_modules/a/index.js'), 'utf8');
}

describe('a package in a registry', { timeout: 60_000 }, () => {
  test('is installed if it matches the lock file', async () => {
    const ours = await archived(temporaryFolder(), 'ours');
    expect(await installed(ours, ours)).toBe('ours');
  });

  test('is not installed where it is another one than the lock file says', async () => {
    const [ours, theirs] = [
      await archived(temporaryFolder(), 'ours'),
      await archived(temporaryFolder(), 'theirs'),
    ];
    await expect(installed(theirs, ours)).rejects.toThrow('EINTEGRITY');
  });
});
