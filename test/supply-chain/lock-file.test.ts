import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { faultsOf, type LockedPackage, type LockFile } from '../../scripts/lock-file.ts';
import { ROOT, textOf } from '../docs/support.ts';

const real = JSON.parse(textOf('package-lock.json')) as LockFile;
const good: LockedPackage = { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==`, license: 'MIT' };

/** Returns a lock file with one package. */
function locked(change: LockedPackage, name = 'a'): LockFile {
  return { lockfileVersion: 3, packages: { '': {}, [`node_modules/b/node_modules/${name}`]: change } };
}

describe('the lock file', () => {
  test('has a checksum for every package, accepted licences, and no script but those that package.json allows', () => {
    expect(faultsOf(real, packageFile.allowScripts)).toEqual([]);
    expect(Object.keys(real.packages).length).toBeGreaterThan(100);
  });

  test('binds npm: scripts that are not allowed are refused', () => {
    expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });
});

describe('a package', () => {
  test('without faults is accepted', () => {
    expect(faultsOf(locked(good), {})).toEqual([]);
  });

  test.each<{ what: string; change: LockedPackage; fault: string }>([
    {
      what: 'without a checksum',
      change: { version: '1.0.0', license: 'MIT' },
      fault: 'has no SHA-512 checksum',
    },
    {
      what: 'with a weak checksum',
      change: { ...good, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
      fault: 'has no SHA-512 checksum',
    },
    {
      what: 'from git',
      change: { ...good, resolved: 'git+ssh://git@git.example.com/a.git#0123' },
      fault: 'comes from an address of its own, git+ssh://git@git.example.com/a.git#0123',
    },
    {
      what: 'from somewhere else',
      change: { ...good, resolved: 'https://elsewhere.example.com/a.tgz' },
      fault: 'comes from an address of its own, https://elsewhere.example.com/a.tgz',
    },
    { what: 'that is a folder', change: { link: true, license: 'MIT' }, fault: 'is a link to a folder' },
    {
      what: 'under a licence that asks for more',
      change: { ...good, license: 'GPL-3.0-only' },
      fault: 'has the licence GPL-3.0-only, which is not accepted for what users install',
    },
    {
      what: 'for users under a licence that tools may have',
      change: { ...good, license: 'MPL-2.0' },
      fault: 'has the licence MPL-2.0, which is not accepted for what users install',
    },
    {
      what: 'without a licence',
      change: { version: '1.0.0', integrity: good.integrity! },
      fault: 'names no licence',
    },
    {
      what: 'that runs a script',
      change: { ...good, hasInstallScript: true },
      fault: 'runs a script when it is installed, and package.json does not allow it',
    },
  ])('$what is refused', ({ change, fault }) => {
    expect(faultsOf(locked(change), {})).toEqual([`node_modules/b/node_modules/a: ${fault}`]);
  });

  test('of tools may have a licence that requires the publication of its own source', () => {
    expect(faultsOf(locked({ ...good, license: 'MPL-2.0', dev: true }), {})).toEqual([]);
  });

  test('may run a script if its name is listed, with its scope', () => {
    const script = { ...good, hasInstallScript: true };
    expect(faultsOf(locked(script, '@c/a'), { '@c/a': true })).toEqual([]);
    expect(faultsOf(locked(script, '@c/a'), { '@c/a': false })).toHaveLength(1);
  });

  test('that was removed may not stay on the list', () => {
    expect(faultsOf(locked(good), { gone: true })).toEqual([
      'allowScripts names gone, which is not installed',
    ]);
  });
});
