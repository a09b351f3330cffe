import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import packageFile from '../../package.json' with { type: 'json' };
import { releaseOptions } from '../../scripts/release/options.ts';
import { ROOT, textOf } from '../docs/support.ts';
import { FOLDER, type Job, workflow } from './support/workflow.ts';

const FILES = readdirSync(join(ROOT, FOLDER));
const release = workflow('release.yml');

/** True if a job may change anything outside of its own machine. */
function mayChange({ permissions = {} }: Job): boolean {
  return Object.values(permissions).includes('write');
}

describe.each(FILES)('%s', (file) => {
  const text = textOf(`${FOLDER}/${file}`);
  const { on, permissions: given, jobs: named } = workflow(file);
  const jobs = Object.values(named);
  const steps = jobs.flatMap((job) => job.steps);
  const scripts = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

  test('may read the repository, and a job has more rights only if it declares them', () => {
    expect(given).toEqual({ contents: 'read' });
    for (const { permissions } of jobs) expect(permissions).not.toBeTypeOf('string');
  });

  test('needs no secret, and hands none to changes that anybody may propose', () => {
    expect(text).not.toMatch(/\bsecrets\./);
    expect(Object.keys(on)).not.toContain('pull_request_target');
    for (const { uses, with: words } of steps) {
      if (uses?.startsWith('actions/checkout@'))
        expect(words).toMatchObject({ 'persist-credentials': false });
    }
  });

  test('runs actions as they were at one commit, with the version in words beside it', () => {
    const used = [...text.matchAll(/\buses: (.*)$/gm)].map(([, what]) => what);
    expect(used).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length);
    for (const what of used) expect(what).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('has a time limit', () => {
    for (const job of jobs) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  test('runs scripts that a shell can parse, without inserted text of an event', () => {
    for (const script of scripts) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
      expect(stderr).toBe('');
      expect(status).toBe(0);
      expect(script).not.toContain('${{');
    }
  });

  test('runs existing files', () => {
    for (const script of scripts) {
      const named = [...script.matchAll(/\bnpm run ([\w-]+)/g)].map(([, name]) => name);
      expect(named.filter((name) => !Object.keys(packageFile.scripts).includes(name ?? ''))).toEqual([]);
      const files = [...script.matchAll(/(?:^|\s)((?:\.ci|scripts)\/[\w./-]+)/g)].map(
        ([, path]) => path ?? '',
      );
      expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    }
  });

  test('keeps what may publish away from the code of dependencies', () => {
    for (const job of jobs.filter(mayChange)) {
      expect(job.steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'))).toEqual([]);
      for (const { run = '' } of job.steps)
        expect(run).not.toMatch(/\b(?:npm|npx|node|docker (?:build|run))\b/);
    }
  });
});

describe('a release', () => {
  test('is published only after the tests and a trial of its files, by the two jobs with that right', () => {
    const publishing = Object.entries(release.jobs).filter(([, job]) => mayChange(job));
    expect(publishing.map(([name]) => name)).toEqual(['push', 'publish']);
    const before = (name: string): readonly string[] =>
      [release.jobs[name]?.needs ?? []].flat().flatMap((needed) => [needed, ...before(needed)]);
    for (const [name] of publishing) expect(before(name)).toContain('test');
    expect(release.jobs['test']?.steps.flatMap(({ run }) => run ?? [])).toEqual([
      '.ci/run',
      'npm run release -- --tag "$GITHUB_REF_NAME"',
    ]);
    accessSync(join(ROOT, '.ci/run'), constants.X_OK);
  });

  test('may write its publications and prove their origin, and nothing else', () => {
    const proof = { 'id-token': 'write', attestations: 'write' };
    expect(release.jobs['push']?.permissions).toEqual({ packages: 'write', ...proof });
    expect(release.jobs['publish']?.permissions).toEqual({
      contents: 'write',
      packages: 'write',
      ...proof,
    });
  });

  test('publishes nothing before a reviewer agreed', () => {
    for (const job of Object.values(release.jobs))
      expect(job.environment).toBe(mayChange(job) ? 'release' : undefined);
  });

  test('ends if any program of a pipe fails', () => {
    expect(release.defaults).toEqual({ run: { shell: 'bash' } });
  });

  test('makes its files with arguments that `npm run release` accepts', () => {
    const script = release.jobs['files']?.steps.map(({ run = '' }) => run).join('\n') ?? '';
    const [, line = ''] = /npm run release -- (.*)$/m.exec(script) ?? [];
    const { version } = packageFile;
    const words = line
      .replace('"$GITHUB_REF_NAME"', `v${version}`)
      .replace('"$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"', 'https://example.com/owner/repository')
      .replace('"$IMAGE"', 'ghcr.io/owner/repository')
      .split(' ');
    expect(releaseOptions(words, version)).toEqual({
      outdir: 'release',
      heading: version,
      repository: 'https://example.com/owner/repository',
      image: { repository: 'ghcr.io/owner/repository', digest: undefined },
    });
  });

  test('checks the Node.js of the image before every installation of dependencies', () => {
    for (const text of [textOf(`${FOLDER}/release.yml`), textOf('Dockerfile')]) {
      expect(text).toMatch(
        /npm ci.*\s.*sha256sum --check --ignore-missing \S*node\.sha256|npm ci.* && sha256sum --check/,
      );
    }
  });
});

describe('updates of dependencies', () => {
  test('are proposed for every kind of them, a week after they came out', () => {
    const { updates } = parse(textOf('.github/dependabot.yml')) as { readonly updates: readonly object[] };
    const cooldown = { 'default-days': 7 };
    expect(updates).toMatchObject(
      ['npm', 'github-actions', 'docker'].map((kind) => ({ 'package-ecosystem': kind, cooldown })),
    );
  });
});
