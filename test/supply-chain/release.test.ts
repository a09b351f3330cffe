import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import packageFile from '../../package.json' with { type: 'json' };
import { sectionOf } from '../../scripts/release/notes.ts';
import { releaseOptions } from '../../scripts/release/options.ts';
import { ROOT } from '../docs/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const { name, version } = packageFile;
const URL_OF_FILES = 'https://example.com/releases';
/** Each of two releases builds the bundle. */
const RELEASES_LIMIT_MS = 120_000;

async function released(outdir: string, umask: string): Promise<void> {
  const words = ['scripts/release.ts', '--outdir', outdir, '--url', URL_OF_FILES];
  const script = `umask ${umask} && exec "$0" "$@"`;
  await run('sh', ['-c', script, process.execPath, ...words], {
    cwd: ROOT,
    env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000' },
  });
}

describe('npm run release', () => {
  test(
    'makes everything but the image, the same bytes each time',
    { timeout: RELEASES_LIMIT_MS },
    async () => {
      const folder = temporaryFolder();
      await released(folder.at('first'), '022');
      const sums = folder.read('first/SHA256SUMS');
      expect(readdirSync(folder.at('first')).toSorted()).toEqual([
        'NOTES.md',
        'SHA256SUMS',
        `${name}-${version}-bundle.tar.gz`,
        `${name}-${version}-manifests.tar.gz`,
        `${name}-${version}.cdx.json`,
        `${name}-${version}.tgz`,
        'dms.yaml',
      ]);

      await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder.at('first') });
      expect(sums.match(/\n/g)).toHaveLength(6);
      const krew = parse(folder.read('first/dms.yaml')) as Krew;
      expect(krew.spec.platforms[0]).toMatchObject({
        uri: `${URL_OF_FILES}/${name}-${version}-bundle.tar.gz`,
        sha256: new RegExp(`^(\\S+) {2}${name}-${version}-bundle`, 'm').exec(sums)?.[1],
      });

      await run('tar', ['--extract', '--file', `first/${name}-${version}-bundle.tar.gz`], {
        cwd: folder.path,
      });
      const { stdout } = await run(folder.at(krew.spec.platforms[0].bin), ['--version']);
      expect(stdout.trim()).toBe(version);
      expect(folder.read('sbom.cdx.json')).toBe(folder.read(`first/${name}-${version}.cdx.json`));
      expect(folder.read('sbom.cdx.json')).toContain('"timestamp": "2023-11-14T22:13:20.000Z"');

      await released(folder.at('second'), '077');
      expect(folder.read('second/SHA256SUMS')).toBe(sums);
    },
  );
});

describe('the tag of a release', () => {
  test('is that of the version', () => {
    expect(releaseOptions(['--tag', 'v1.2.0'], '1.2.0')).toMatchObject({ heading: '1.2.0' });
    expect(() => releaseOptions(['--tag', 'v1.2.1'], '1.2.0')).toThrow(
      'the tag is v1.2.1, and the version in package.json 1.2.0',
    );
  });

  test('may be left out where nothing is published', () => {
    expect(releaseOptions([], '1.2.0')).toEqual({ outdir: 'release', heading: 'Unreleased', url: undefined });
  });
});

describe('the notes of a release', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- new\n\n## [1.2.0] - 2026-11-22\n\n- told\n\n## 1.1.0\n\n## 1.0.0\n\n- first\n';

  test('are the section of the changelog that has its version', () => {
    expect(sectionOf(changelog, '1.2.0')).toBe('- told\n');
    expect(sectionOf(changelog, '1.0.0')).toBe('- first\n');
    expect(sectionOf(changelog, 'Unreleased')).toBe('- new\n');
  });

  test.each(['1.1.0', '2.0.0'])('are missing where the changelog says nothing of %s', (heading) => {
    expect(() => sectionOf(changelog, heading)).toThrow(
      `CHANGELOG.md says nothing under the heading ${heading}`,
    );
  });
});

interface Krew {
  readonly spec: {
    readonly platforms: readonly [{ readonly uri: string; readonly sha256: string; readonly bin: string }];
  };
}
