import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import packageFile from '../../package.json' with { type: 'json' };
import { sectionOf } from '../../scripts/release/notes.ts';
import { releaseOptions } from '../../scripts/release/options.ts';
import { linkedFiles, linksIn, ROOT } from '../docs/support.ts';
import { useDebianPrograms } from '../support/programs/debian-programs.ts';
import { useHelm } from '../support/programs/helm.ts';
import { REGISTRY_LOGIN, REGISTRY_PACKAGE, startRegistry } from './support/oci-registry.ts';
import { ranScript } from './support/script-run.ts';
import { workflow } from './support/workflow.ts';

const run = promisify(execFile);
const { name, version, description, license, engines, bin } = packageFile;
const PROJECT = 'https://example.com/team/dms-operator';
const REPOSITORY = 'registry.example.com/team/dms-operator';
const IMAGE = `${REPOSITORY}@sha256:${'0a'.repeat(32)}`;
const LIMIT_MS = 180_000;

const folder = mkdtempSync(join(tmpdir(), 'dms-operator-release-'));
const at = (...path: readonly string[]): string => join(folder, ...path);
const read = (...path: readonly string[]): string => readFileSync(at(...path), 'utf8');

/** Runs the steps of the workflow for the chart, with this registry in place of its own. */
async function pushChart(registry: string, helm: string): Promise<void> {
  const step = workflow('release.yml').jobs['publish']?.steps.find(({ name }) => name === 'Push the chart');
  const { username, password } = REGISTRY_LOGIN;
  const variables = {
    HOME: at('home'),
    GITHUB_REF_NAME: `v${version}`,
    GITHUB_REPOSITORY: 'Team/Repository',
    GITHUB_ACTOR: username,
    GITHUB_TOKEN: password,
  };
  const here = `for word; do shift; set -- "$@" "$(printf %s "$word" | sed 's,ghcr.io,${registry},')"; done`;
  symlinkSync(at('first'), at('files'));
  const { calls } = await ranScript(
    step?.run ?? '',
    variables,
    { helm: `${here}\nexec '${helm}' "$@" --plain-http` },
    folder,
  );
  expect(calls.join()).not.toContain(password);
}

/** Makes a release as a user would whose new files have these modes. */
async function release(outdir: string, umask: string): Promise<void> {
  const words = ['scripts/release.ts', '--outdir', at(outdir), '--repository', PROJECT, '--image', IMAGE];
  await run('sh', ['-c', `umask ${umask} && exec "$0" "$@"`, process.execPath, ...words], {
    cwd: ROOT,
    env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000' },
  });
}

/** Returns the text of a file in an archive of the release. */
async function inArchive(archive: string, path: string): Promise<string> {
  const file = at('first', `${name}-${version}${archive}`);
  return (await run('tar', ['--extract', '--to-stdout', '--file', file, path])).stdout;
}

describe('npm run release', () => {
  beforeAll(() => release('first', '022'), LIMIT_MS);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('makes everything but the image, with verifiable checksums', async () => {
    expect(readdirSync(at('first')).toSorted()).toEqual([
      'NOTES.md',
      'SHA256SUMS',
      `${name}-${version}-bundle.tar.gz`,
      `${name}-${version}-chart.tgz`,
      `${name}-${version}-manifests.tar.gz`,
      `${name}-${version}-schemas.tar.gz`,
      `${name}-${version}.cdx.json`,
      `${name}-${version}.tgz`,
      'dms.yaml',
    ]);
    const { stdout } = await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: at('first') });
    expect(stdout.match(/: OK$/gm)).toHaveLength(8);
  });

  test('makes the plug-in that krew can find, check and run', async () => {
    const krew = parse(read('first', 'dms.yaml')) as Krew;
    const bundle = `${name}-${version}-bundle.tar.gz`;
    expect(krew.spec.platforms[0]).toMatchObject({
      uri: `${PROJECT}/releases/download/v${version}/${bundle}`,
      sha256: new RegExp(`^(\\S+) {2}${bundle}$`, 'm').exec(read('first', 'SHA256SUMS'))?.[1],
    });
    mkdirSync(at('bundle'));
    await run('tar', ['--extract', '--file', at('first', bundle)], { cwd: at('bundle') });
    const { stdout } = await run(at('bundle', krew.spec.platforms[0].bin), ['--version']);
    expect(stdout.trim()).toBe(version);
    expect(read('bundle', 'sbom.cdx.json')).toBe(read('first', `${name}-${version}.cdx.json`));
    expect(read('bundle', 'sbom.cdx.json')).toContain('"timestamp": "2023-11-14T22:13:20.000Z"');
  });

  test('makes a package that npm can read, without dependencies and scripts', async () => {
    const archive = at('first', `${name}-${version}.tgz`);
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', archive]);
    const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['README.md', 'package.json', 'dist/dms-operator.mjs']),
    );
    expect(JSON.parse(await inArchive('.tgz', 'package/package.json'))).toEqual({
      ...{ name, version, description, license, engines, bin },
      repository: { type: 'git', url: `git+${PROJECT}.git` },
      homepage: PROJECT,
    });
  });

  test.each([
    ['.tgz', 'package/README.md', 'README.md'],
    ['-chart.tgz', 'dms-operator/README.md', 'manifests/chart/README.md'],
  ])('leads from the page in %s to files of the tag', async (archive, packed, page) => {
    const links = linksIn(await inArchive(archive, packed));
    const ofTag = new RegExp(`^${PROJECT}/(?:blob|raw)/v${version}/(.*)$`);
    const paths = links.flatMap((link) => ofTag.exec(link)?.[1] ?? []);
    expect(paths.toSorted()).toEqual(linkedFiles(page).toSorted());
    expect(links.filter((link) => !ofTag.test(link) && !/^(?:#|https:)/.test(link))).toEqual([]);
  });

  test('makes manifests that name the image by its tag and digest', async () => {
    mkdirSync(at('manifests'));
    const archive = at('first', `${name}-${version}-manifests.tar.gz`);
    await run('tar', ['--extract', '--file', archive], { cwd: at('manifests') });
    const { spec } = parse(read('manifests', 'manifests/install/controller.yaml')) as Workload;
    expect(spec.template.spec.containers[0].image).toBe(IMAGE.replace('@', `:${version}@`));
    expect(readFileSync(join(ROOT, 'manifests/install/controller.yaml'), 'utf8')).not.toContain(REPOSITORY);
  });

  test('makes the same bytes each time, no matter who builds it', { timeout: LIMIT_MS }, async () => {
    await release('second', '077');
    expect(read('second', 'SHA256SUMS')).toBe(read('first', 'SHA256SUMS'));
  });

  describe('the chart', () => {
    const helm = useHelm();
    const programs = useDebianPrograms(REGISTRY_PACKAGE);

    test('renders the same from the archive as from its folder, for the released image', async () => {
      const rendered = (...words: readonly string[]): Promise<string> =>
        helm.output(['template', 'release', ...words]);
      const archived = await rendered(at('first', `${name}-${version}-chart.tgz`));
      const named = ['--set', `image.repository=${REPOSITORY}`];
      expect(archived).toBe(await rendered(join(ROOT, 'manifests/chart'), ...named));
      expect(archived).toContain(`image: ${REPOSITORY}:${version}\n`);
    });

    test('gives Artifact Hub the released image, and pages of the tag', async () => {
      const chart = parse(await inArchive('-chart.tgz', 'dms-operator/Chart.yaml')) as Chart;
      const told = (name: string): unknown => parse(chart.annotations[`artifacthub.io/${name}`] ?? '');
      expect(told('images')).toEqual([{ name, image: `${REPOSITORY}:${version}` }]);
      expect(chart).toMatchObject({ home: PROJECT, sources: [PROJECT] });
      const pages = (told('links') as readonly { readonly url: string }[]).map(
        ({ url }) => url.split(`${PROJECT}/blob/v${version}/`)[1] ?? url,
      );
      expect(pages).toContain('README.md');
      expect(pages.filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
    });

    test('is pushed by the workflow to a registry, and renders from there as from the archive', async () => {
      const registry = await startRegistry(programs());
      const chart = [
        '--version',
        version,
        `oci://${registry}/team/repository/charts/${name}`,
        '--plain-http',
      ];
      expect((await helm.run(['show', 'chart', ...chart])).stderr).toMatch(/basic credential not found|401/);
      const { username, password } = REGISTRY_LOGIN;
      const login = ['--username', username, '--password', password, '--plain-http'];
      await helm.output(['registry', 'login', registry, ...login]);
      await pushChart(registry, helm.path());
      const archive = at('first', `${name}-${version}-chart.tgz`);
      for (const show of [
        ['template', 'release'],
        ['show', 'chart'],
        ['show', 'readme'],
        ['show', 'values'],
      ])
        expect(await helm.output([...show, ...chart])).toBe(await helm.output([...show, archive]));
    });
  });
});

describe('the tag of a release', () => {
  test('equals the version', () => {
    expect(releaseOptions(['--tag', 'v1.2.0'], '1.2.0')).toMatchObject({ heading: '1.2.0' });
    expect(() => releaseOptions(['--tag', 'v1.2.1'], '1.2.0')).toThrow(
      'the tag is v1.2.1, and the version in package.json 1.2.0',
    );
  });

  test('may be omitted if nothing is published', () => {
    const trial = { outdir: 'release', heading: 'Unreleased', repository: undefined, image: undefined };
    expect(releaseOptions([], '1.2.0')).toEqual(trial);
  });
});

describe('the notes of a release', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- new\n\n## [1.2.0] - 2026-11-22\n\n- told\n\n## 1.1.0\n\n## 1.0.0\n\n- first\n';

  test('are the section of the changelog for its version', () => {
    expect(sectionOf(changelog, '1.2.0')).toBe('- told\n');
    expect(sectionOf(changelog, '1.0.0')).toBe('- first\n');
    expect(sectionOf(changelog, 'Unreleased')).toBe('- new\n');
  });

  test.each(['1.1.0', '2.0.0'])('are missing if the changelog has no section %s', (heading) => {
    expect(() => sectionOf(changelog, heading)).toThrow(
      `CHANGELOG.md says nothing under the heading ${heading}`,
    );
  });
});

interface Workload {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly [{ readonly image: string }] } };
  };
}

interface Chart {
  readonly annotations: Readonly<Record<string, string>>;
}

interface Krew {
  readonly spec: {
    readonly platforms: readonly [{ readonly uri: string; readonly sha256: string; readonly bin: string }];
  };
}
