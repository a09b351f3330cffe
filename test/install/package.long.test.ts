import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { CRD_DOCUMENTS } from '../../src/api/generated/crd-documents.ts';
import { linksIn, ROOT } from '../docs/support.ts';
import { npmRegistry } from '../support/servers/npm-registry.ts';
import { BUILD_LIMIT_MS, sharedBundle } from '../support/bundle/shared-bundle.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const { name, version } = packageFile;
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'dms-operator-package-'));
const ARCHIVE = join(folder, `${name}-${version}.tgz`);

/** Runs an npm command as a new user: with a home of its own for settings and caches. */
async function withHome(home: TemporaryFolder, command: string, ...words: readonly string[]) {
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  // Otherwise npm sends requests about itself and about known vulnerabilities, too.
  const quiet = { npm_config_update_notifier: 'false', npm_config_audit: 'false' };
  const env = { PATH: path, HOME: home.path, ...quiet };
  return await run(command, words, { cwd: home.path, env, maxBuffer: 16 * 1024 * 1024 });
}

describe('the npm package', { timeout: BUILD_LIMIT_MS }, () => {
  beforeAll(async () => {
    const words = ['--dist', dirname(await sharedBundle()), '--outdir', folder];
    await run(process.execPath, ['scripts/package.ts', ...words], { cwd: ROOT });
  }, BUILD_LIMIT_MS);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has no dependencies, and contains both names of the program', async () => {
    const home = temporaryFolder();
    const registry = await npmRegistry({ name, version }, readFileSync(ARCHIVE));
    const words = ['--global', '--prefix', home.at('prefix'), '--registry', registry.url];
    await withHome(home, 'npm', 'install', ...words, ARCHIVE);
    expect(readdirSync(home.at('prefix/lib/node_modules'))).toEqual([name]);
    expect(existsSync(home.at(`prefix/lib/node_modules/${name}/node_modules`))).toBe(false);
    expect(registry.asked).toEqual([]);
    for (const bin of ['dms-operator', 'kubectl-dms']) {
      const { stdout } = await withHome(home, home.at(`prefix/bin/${bin}`), '--version');
      expect(stdout).toBe(`${version}\n`);
    }
  });

  test('runs by npx without a checkout', async () => {
    const home = temporaryFolder();
    const registry = await npmRegistry(packageFileOfArchive(await unpacked()), readFileSync(ARCHIVE));
    const from = async (where: string, words: readonly string[]): Promise<string> =>
      (await withHome(home, 'npx', '--yes', '--registry', registry.url, where, ...words)).stdout;
    const npx = (...words: readonly string[]): Promise<string> => from(`${name}@${version}`, words);
    expect(await npx('--version')).toBe(`${version}\n`);
    home.write('connection.yaml', readFileSync(join(ROOT, 'manifests/examples/connection-api-key.yaml')));
    expect(await npx('validate', '-f', 'connection.yaml')).toMatch(/^\d+ valid documents?, 0 errors/);
    const crds = await npx('crds');
    for (const { text } of CRD_DOCUMENTS) expect(crds).toContain(text.trimEnd());
    expect(await npx('completion', 'bash')).toContain('complete -');
    home.write('package.tgz', readFileSync(ARCHIVE));
    for (const archive of ['./package.tgz', `${registry.url}/${name}.tgz`])
      expect(await from(archive, ['--version'])).toBe(`${version}\n`);
    expect(new Set(registry.asked)).toEqual(new Set([`/${name}`, `/${name}.tgz`]));
  });

  test.each(['README.md', 'manifests/chart/README.md'])(
    'has a %s whose links lead to its contents',
    async (page) => {
      const root = await unpacked();
      const text = readFileSync(join(root, page), 'utf8');
      const files = linksIn(text).filter((link) => !/^(?:https?:|#)/.test(link));
      const missing = files.filter((file) => !existsSync(join(root, dirname(page), file)));
      expect(missing).toEqual([]);
      const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(
        ([, words]) => `#${words?.toLowerCase().replaceAll(/[^\w]+/g, '-')}`,
      );
      expect(linksIn(text).filter((link) => link.startsWith('#') && !headings.includes(link))).toEqual([]);
    },
  );

  test('differs from npm pack in a checkout, which has dependencies', async () => {
    await expect(run('npm', ['pack', '--dry-run'], { cwd: ROOT })).rejects.toThrow('npm run package');
  });
});

/** Returns the folder of the package, as in the archive. */
async function unpacked(): Promise<string> {
  const to = temporaryFolder();
  await run('tar', ['--extract', '--file', ARCHIVE, '--directory', to.path]);
  return to.at('package');
}

function packageFileOfArchive(root: string): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as typeof packageFile;
}
