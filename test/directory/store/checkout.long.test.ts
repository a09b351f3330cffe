import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { closeSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { oneOf, seededRandom } from '../../support/chance.ts';
import { startOperator } from '../../support/worlds/operator-process.ts';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { deploymentYaml, together } from '../support/manifests.ts';

/** The number of switches between branches; CHECKOUTS sets another number. */
const CHECKOUTS = Number(process.env['CHECKOUTS'] ?? 200);

/**
 * How long a manifest has to be missing, in milliseconds. A checkout takes a few milliseconds, and a slow editor less
 * than half a second.
 */
const GRACE_MS = 4_000;

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;
const IMAGE = 'registry.example.com/agent:1';
const manifest = (name: string): string =>
  deploymentYaml(name, { image: IMAGE, spec: '  deletionPolicy: Delete\n' });

function git(folder: TemporaryFolder, ...words: readonly string[]): void {
  const identity = [
    '-c',
    'user.name=test',
    '-c',
    'user.email=test@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  execFileSync('git', [...identity, '-C', folder.path, ...words], { stdio: 'pipe' });
}

type Save = (path: string, text: string) => Promise<void>;

/** Ways in which editors and scripts save a file. Each one restores the text that the file had before. */
const SAVED: readonly [Save, ...Save[]] = [
  async (path, text) => {
    writeFileSync(path, '');
    await pause(400);
    writeFileSync(path, text);
  },
  async (path, text) => {
    renameSync(path, `${path}~`);
    await pause(200);
    writeFileSync(path, text);
    renameSync(`${path}~`, `${path}.bak`);
  },
  async (path, text) => {
    const file = openSync(path, 'w');
    for (let at = 0; at < text.length; at += 100) {
      writeSync(file, text.slice(at, at + 100));
      await pause(60);
    }
    closeSync(file);
  },
  async (path, text) => {
    writeFileSync(`${path}.tmp`, text);
    renameSync(`${path}.tmp`, path);
  },
];

/**
 * Creates three branches: one file per manifest; all but two, in one file of another folder; all but `e`, which is
 * removed permanently.
 */
function repository(connection: string): TemporaryFolder {
  const folder = temporaryFolder({ 'connection.yaml': connection });
  const commit = (branch: string, files: Readonly<Record<string, string>>): void => {
    git(folder, 'checkout', '-q', '-B', branch);
    git(folder, 'rm', '-rq', '--ignore-unmatch', 'one', 'all');
    for (const [name, text] of Object.entries(files)) folder.write(name, text);
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', branch);
  };
  git(folder, 'init', '-q');
  folder.write('.gitignore', '.dms-operator/\n*.bak\n*~\n');
  const each = Object.fromEntries(NAMES.map((name) => [`one/${name}.yaml`, manifest(name)]));
  commit('each', each);
  commit('together', { 'all/deployments.yaml': together(...NAMES.slice(2).map(manifest)) });
  commit('without', Object.fromEntries(Object.entries(each).filter(([name]) => name !== 'one/e.yaml')));
  git(folder, 'checkout', '-q', 'each');
  return folder;
}

it(
  `run --dir --prune deletes only what was removed permanently, over ${CHECKOUTS} checkouts and every way to save a file (H61)`,
  { timeout: CHECKOUTS * 600 + 90_000 },
  async () => {
    const { service, url } = await servedService(
      NAMES.map((name) => ({ name, revisionConfig: { image_uri: IMAGE } })),
    );
    const folder = repository(
      connectionTo(url, { spec: '  poll: {intervalSeconds: 1, rolloutSeconds: 1}\n' }),
    );
    const operator = startOperator([
      ...['run', '--dir', folder.path, '--prune', '--prune-after', `${GRACE_MS}ms`],
      ...['--metrics-address', '0', '--log-format', 'json'],
    ]);
    onTestFinished(() => operator.kill());
    const there = (): readonly string[] => NAMES.filter((name) => service.deployment(name) !== undefined);
    const bound = (): number => operator.lines.filter((line) => line.includes('"plan":"nothing"')).length;
    await expect.poll(bound, { timeout: 30_000 }).toBeGreaterThanOrEqual(NAMES.length);

    const random = seededRandom(1);
    for (let n = 0; n < CHECKOUTS; n += 1) {
      // The test leaves the branch that lacks manifests before the grace time ends, like a person who only looks at it.
      git(folder, 'checkout', '-q', '-f', oneOf(random, ['together', 'without']));
      await pause(random() * 120);
      git(folder, 'checkout', '-q', '-f', 'each');
      await pause(random() * 120);
      if (n % 10 === 0) {
        const name = oneOf(random, NAMES);
        await oneOf(random, SAVED)(folder.at(`one/${name}.yaml`), manifest(name));
      }
    }
    expect(there()).toEqual(NAMES);
    await pause(GRACE_MS + 1_000);
    expect(there(), 'nothing that came back is deleted later').toEqual(NAMES);
    expect(service.log.count('delete')).toBe(0);

    git(folder, 'checkout', '-q', '-f', 'without');
    await expect.poll(there, { timeout: GRACE_MS + 20_000 }).toEqual(NAMES.slice(0, -1));
    expect(service.log.count('delete')).toBe(1);
    expect(service.log.count('patch')).toBe(0);
    expect(await operator.stop()).toBe(0);
  },
);
