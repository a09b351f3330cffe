import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isTrackedByGit } from '../../../src/directory/files/is-tracked-by-git.ts';
import { readTrusted } from '../../../src/directory/state/read-trusted.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const STATE = 'deploy/.dms-operator/state.json';
const OWN = 'deploy/.dms-operator/state.json.key';

/** Runs git in a subfolder of the test's folder and returns its output. */
function git(folder: TemporaryFolder, below: string, ...words: readonly string[]): string {
  const settings = ['user.name=x', 'user.email=x@example.com', 'protocol.file.allow=always'];
  const args = ['-C', folder.at(below), ...settings.flatMap((setting) => ['-c', setting]), ...words];
  // Git creates files with the mode that the state file has: readable by this user alone.
  const script = 'umask 077 && exec git "$@"';
  return execFileSync('sh', ['-c', script, 'git', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * Creates a repository `repo` with a committed state among other files, and one file of this user that is not
 * committed.
 */
function repository(...words: readonly string[]): TemporaryFolder {
  const folder = temporaryFolder({
    [`repo/${STATE}`]: 'forged',
    [`repo/${OWN}`]: 'own',
    'repo/deploy/.dms-operator/state.jsom': 'beside',
    'repo/deploy/a.yaml': 'a: 1',
    'repo/zebra/state.json': 'elsewhere',
  });
  git(folder, 'repo', 'init', '--quiet', ...words);
  git(folder, 'repo', 'add', '--force', 'deploy/a.yaml', 'deploy/.dms-operator/state.jsom', STATE, 'zebra');
  git(folder, 'repo', 'commit', '--quiet', '--message', 'x');
  return folder;
}

/** Returns the files of a checkout that are refused, of the committed state and the file that is not committed. */
async function refusedIn(folder: TemporaryFolder, checkout: string): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const file of [STATE, OWN]) {
    const read = readTrusted(folder.at(`${checkout}/${file}`));
    await read.catch((error: Error) =>
      refused.push(error.message.replace(/.*\/(.*) is tracked by git:.*/, '$1')),
    );
  }
  return refused;
}

describe('a committed state is refused, and an untracked file beside it is not', () => {
  it.each<readonly [string, (folder: TemporaryFolder) => string]>([
    ['in the checkout itself', () => 'repo'],
    [
      'through a link to its folder from outside of any repository',
      (folder) => {
        mkdirSync(folder.at('out'));
        symlinkSync(folder.at('repo/deploy'), folder.at('out/deploy'));
        return 'out';
      },
    ],
    [
      'through a link that another repository holds',
      (folder) => {
        mkdirSync(folder.at('other'));
        git(folder, 'other', 'init', '--quiet');
        symlinkSync('../repo/deploy', folder.at('other/deploy'));
        git(folder, 'other', 'add', 'deploy');
        return 'other';
      },
    ],
    [
      'through a link that the repository itself holds',
      (folder) => {
        mkdirSync(folder.at('repo/stage'));
        symlinkSync('../deploy', folder.at('repo/stage/deploy'));
        git(folder, 'repo', 'add', 'stage');
        return 'repo/stage';
      },
    ],
    [
      'in a linked work tree',
      (folder) => {
        git(folder, 'repo', 'worktree', 'add', '--quiet', folder.at('tree'));
        folder.write(`tree/${OWN}`, 'own');
        return 'tree';
      },
    ],
    [
      'in a linked work tree with a split index',
      (folder) => {
        git(folder, 'repo', 'worktree', 'add', '--quiet', folder.at('tree'));
        git(folder, 'tree', 'update-index', '--split-index');
        folder.write(`tree/${OWN}`, 'own');
        return 'tree';
      },
    ],
    [
      'in a submodule',
      (folder) => {
        mkdirSync(folder.at('super'));
        git(folder, 'super', 'init', '--quiet');
        git(folder, 'super', 'submodule', '--quiet', 'add', folder.at('repo'), 'sub');
        folder.write(`super/sub/${OWN}`, 'own');
        return 'super/sub';
      },
    ],
    [
      'with the repository kept in another folder',
      (folder) => {
        git(
          folder,
          '.',
          'clone',
          '--quiet',
          '--separate-git-dir',
          folder.at('kept'),
          folder.at('repo'),
          folder.at('clone'),
        );
        folder.write(`clone/${OWN}`, 'own');
        return 'clone';
      },
    ],
    [
      'in a repository that contains another new one',
      (folder) => {
        git(folder, 'repo/deploy', 'init', '--quiet');
        git(folder, 'repo/deploy', 'add', 'a.yaml');
        return 'repo';
      },
    ],
    ...[2, 3, 4].map(
      (version) =>
        [
          `with an index of version ${version}`,
          (folder: TemporaryFolder) => {
            // Only version 3 can hold a path that `git add --intent-to-add` recorded.
            git(folder, 'repo', 'rm', '--quiet', '--cached', 'deploy/a.yaml');
            if (version === 3) git(folder, 'repo', 'add', '--intent-to-add', 'deploy/a.yaml');
            else git(folder, 'repo', 'update-index', '--index-version', String(version));
            return 'repo';
          },
        ] as const,
    ),
    [
      'with a split index',
      (folder) => {
        git(folder, 'repo', 'update-index', '--split-index');
        folder.write('repo/late.yaml', '');
        git(folder, 'repo', 'add', 'late.yaml');
        return 'repo';
      },
    ],
    [
      'with a split index that changed later',
      (folder) => {
        git(folder, 'repo', 'update-index', '--split-index');
        folder.write(`repo/${STATE}`, 'forged anew');
        git(folder, 'repo', 'add', '--force', STATE);
        return 'repo';
      },
    ],
    [
      'with a split index of version 4',
      (folder) => {
        git(folder, 'repo', 'update-index', '--index-version', '4');
        git(folder, 'repo', 'update-index', '--split-index');
        return 'repo';
      },
    ],
    [
      'with an index without a checksum, and caches of all kinds in it',
      (folder) => {
        for (const setting of ['index.skipHash', 'core.untrackedCache', 'index.threads'])
          git(folder, 'repo', 'config', setting, 'true');
        git(folder, 'repo', 'update-index', '--force-write-index', '--untracked-cache');
        return 'repo';
      },
    ],
    [
      'with the whole folder left out of a sparse index',
      (folder) => {
        git(folder, 'repo', 'sparse-checkout', 'set', '--sparse-index', 'zebra');
        folder.write(`repo/${STATE}`, 'forged');
        return 'repo';
      },
    ],
  ])('%s', async (how, make) => {
    const folder = repository();
    const checkout = make(folder);
    const refused = await refusedIn(folder, checkout);
    // A sparse index does not list the names that it leaves out, so that both files may be in it.
    expect(refused).toEqual(how.includes('sparse') ? ['state.json', 'state.json.key'] : ['state.json']);
  });

  it('in a repository with SHA-256', async () => {
    const folder = repository('--object-format=sha256');
    expect(await refusedIn(folder, 'repo')).toEqual(['state.json']);
    git(folder, 'repo', 'update-index', '--split-index');
    expect(await refusedIn(folder, 'repo')).toEqual(['state.json']);
  });

  it('under a name that some file systems take for the same', async () => {
    const folder = temporaryFolder({ 'Größe/.DMS-Operator/State.json': 'forged' });
    git(folder, '.', 'init', '--quiet');
    git(folder, '.', 'add', '--force', '.');
    const own = 'Größe/.dms-operator/state.json'.normalize('NFD');
    folder.write(own, 'read in its place');
    expect(await isTrackedByGit(folder.at(own))).toBe(true);
  });
});

describe('a state that is no longer tracked is trusted again', () => {
  it.each([
    ['', [] as readonly string[]],
    ['version 4', ['--index-version', '4']],
    ['a split index', ['--split-index']],
  ])('%s', async (_, words) => {
    const folder = repository();
    if (words.length > 0) git(folder, 'repo', 'update-index', ...words);
    git(folder, 'repo', 'rm', '--quiet', '--cached', STATE);
    expect(await refusedIn(folder, 'repo')).toEqual([]);
  });

  it('also after many were removed from a shared index in a row', async () => {
    const names = Array.from({ length: 400 }, (_, n) => `many/${String(n).padStart(3, '0')}.json`);
    const folder = temporaryFolder(Object.fromEntries(names.map((name) => [name, ''])));
    git(folder, '.', 'init', '--quiet');
    git(folder, '.', 'add', '.');
    git(folder, '.', 'config', 'splitIndex.maxPercentChange', '100');
    git(folder, '.', 'update-index', '--split-index');
    const removed = names.filter((_, n) => (n >= 10 && n < 300) || n === 350);
    git(folder, '.', 'rm', '--quiet', '--cached', ...removed);
    const listed = git(folder, '.', 'ls-files').trim().split('\n');
    expect(listed).toHaveLength(400 - removed.length);
    for (const name of names) expect(await isTrackedByGit(folder.at(name))).toBe(listed.includes(name));
  });
});

describe('an index that cannot be read', () => {
  it.each<readonly [string, (index: Buffer) => Buffer]>([
    ['is cut off', (index) => index.subarray(0, 150)],
    [
      'has an unknown version',
      (index) => Buffer.concat([index.subarray(0, 7), Buffer.of(9), index.subarray(8)]),
    ],
    [
      'has a required part that is unknown',
      (index) => Buffer.concat([index.subarray(0, -20), Buffer.from('next\0\0\0\0'), index.subarray(-20)]),
    ],
    ['is empty', () => Buffer.alloc(0)],
  ])('has the state refused: it %s', async (_, change) => {
    const folder = repository();
    const index = folder.at('repo/.git/index');
    writeFileSync(index, change(execFileSync('cat', [index])));
    await expect(readTrusted(folder.at(`repo/${OWN}`))).rejects.toThrow(
      `state.json.key may be tracked by git (its index ${realpathSync(index)} cannot be read)`,
    );
  });

  it('has the state refused: its shared index is gone', async () => {
    const folder = repository();
    git(folder, 'repo', 'update-index', '--split-index');
    execFileSync('sh', ['-c', 'rm "$0"/sharedindex.*', folder.at('repo/.git')]);
    await expect(readTrusted(folder.at(`repo/${OWN}`))).rejects.toThrow('may be tracked by git');
  });

  it('is not read from a pipe, on which the read would hang', async () => {
    const folder = temporaryFolder({ 'state.json': 'own' });
    execFileSync('mkfifo', [folder.at('.git')]);
    expect(String(await readTrusted(folder.at('state.json')))).toBe('own');
  });
});
