import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replaceFile } from '../../../src/directory/files/replace-file.ts';
import { readDigestKey } from '../../../src/directory/state/digest-key.ts';
import { readTrusted } from '../../../src/directory/state/read-trusted.ts';
import { StateFile } from '../../../src/directory/state/state-file.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { run } from '../../cli/support/terminal.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { connectionYaml, deploymentYaml } from '../support/manifests.ts';

const STATE = '.dms-operator/state.json';
const EMPTY = '{"version":1,"keyID":"","resources":{}}\n';

/** The content that would be shown if a file were taken for a lock. */
const HOLDER = JSON.stringify({ pid: 1, started: '1', machine: 'hunter2/' });

function made(path: string): string {
  writeFileSync(path, '', { mode: 0o600 });
  return path;
}

/** Creates manifests with a state beside them, as this user would create it, changed by `change`. */
function folderWith(change: (folder: TemporaryFolder) => void): TemporaryFolder {
  const folder = temporaryFolder({ [STATE]: EMPTY });
  change(folder);
  return folder;
}

const git = (folder: TemporaryFolder, ...words: readonly string[]): void => {
  execFileSync('git', ['-C', folder.path, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...words]);
};

function committed(folder: TemporaryFolder): void {
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--force', '.');
  git(folder, 'commit', '--quiet', '--message', 'x');
}

describe('a state that somebody else may have created is refused', () => {
  it.each<readonly [string, (folder: TemporaryFolder) => void]>([
    [
      'state.json is a link',
      (folder) => {
        folder.remove(STATE);
        symlinkSync(folder.write('elsewhere', EMPTY), folder.at(STATE));
      },
    ],
    [
      '.dms-operator is a link',
      (folder) => {
        folder.remove('.dms-operator');
        folder.write('elsewhere/state.json', EMPTY);
        symlinkSync(folder.at('elsewhere'), folder.at('.dms-operator'));
      },
    ],
    ['state.json is open to others (mode 644)', (folder) => chmodSync(folder.at(STATE), 0o644)],
    ['state.json is open to others (mode 660)', (folder) => chmodSync(folder.at(STATE), 0o660)],
    ['.dms-operator is open to others (mode 777)', (folder) => chmodSync(folder.at('.dms-operator'), 0o777)],
    ['state.json is tracked by git', committed],
    [
      'state.json is no regular file',
      (folder) => {
        folder.remove(STATE);
        folder.write(`${STATE}/x`, '');
      },
    ],
    [
      'state.json is no regular file',
      (folder) => {
        folder.remove(STATE);
        execFileSync('mkfifo', [folder.at(STATE)]);
      },
    ],
    ['state.json is larger than 256 MiB', (folder) => truncateSync(folder.at(STATE), 300 * 1024 * 1024)],
  ])('%s', async (why, change) => {
    const folder = folderWith(change);
    await expect(readTrusted(folder.at(STATE))).rejects.toThrow(why);
  });

  it.runIf(process.getuid?.() === 0)('if it belongs to another user', async () => {
    const folder = folderWith((made) => chownSync(made.at(STATE), 12_345, 0));
    await expect(readTrusted(folder.at(STATE))).rejects.toThrow('belongs to user 12345, and this is user 0');
  });

  it('unlike a state of this user, or a missing one', async () => {
    const folder = folderWith((made) => git(made, 'init', '--quiet'));
    await readTrusted(folder.at(STATE));
    await readTrusted(folder.at('none/.dms-operator/state.json'));
  });
});

describe('an entry in place of the lock', () => {
  it.each<readonly [string, (lock: string) => void]>([
    ['is a link', (lock) => symlinkSync('/dev/zero', lock)],
    ['is a link', (lock) => symlinkSync('victim', lock)],
    ['is a link', (lock) => symlinkSync('nowhere', lock)],
    ['is no regular file', (lock) => execFileSync('mkfifo', [lock])],
    ['is no regular file', (lock) => mkdirSync(lock)],
    ['is open to others (mode 644)', (lock) => writeFileSync(lock, '{}', { mode: 0o644 })],
    // A sparse file: the file system allocates no space for it.
    ['is larger than 256 MiB', (lock) => truncateSync(made(lock), 1024 * 1024 * 1024 * 1024)],
  ])('%s: it is refused, and neither read, written nor removed', async (why, make) => {
    const folder = temporaryFolder({ victim: HOLDER });
    const lock = folder.at('state.json.lock');
    make(lock);
    const { ino } = lstatSync(lock);
    // An hour later, a lock without a sign of life would be taken over.
    const clock = new VirtualClock({ startMs: Date.now() + 3_600_000 });
    const opened = StateFile.open(folder.at('state.json'), clock, new MemoryLogger());
    await expect(opened).rejects.toThrow(`state.json.lock ${why}`);
    expect(lstatSync(lock).ino).toBe(ino);
    expect(folder.read('victim')).toBe(HOLDER);
  });

  it('as a link that comes later, is not touched by signs of life, and stops the writes', async () => {
    const folder = temporaryFolder({ victim: '' });
    const clock = new VirtualClock();
    const state = await StateFile.open(folder.at('state.json'), clock, new MemoryLogger());
    folder.write('victim', folder.read('state.json.lock'));
    folder.remove('state.json.lock');
    symlinkSync('victim', folder.at('state.json.lock'));
    const { mtimeMs } = lstatSync(folder.at('victim'));
    await clock.advance(20_000);
    state.set('Deployment/a/b', {
      ...{ uid: 'u', generation: 1, specHash: '', resourceVersion: 1, claimed: false },
      creationTimestamp: '2026-11-20T00:00:00Z',
    });
    await expect(state.close()).rejects.toThrow('another process took this state over');
    expect(lstatSync(folder.at('victim')).mtimeMs).toBe(mtimeMs);
  });
});

describe('plan in a clone with a committed state', () => {
  it('names it and does not believe it', async () => {
    const service = connectionYaml('default');
    const folder = temporaryFolder({
      'a.yaml': deploymentYaml('a'),
      'c.yaml': service,
      [STATE]: EMPTY,
    });
    committed(folder);
    const { code, err, out } = await run(['plan', '-f', folder.path]);
    expect(code).not.toBe(0);
    expect(`${out}${err}`).toContain(`${STATE} is tracked by git`);
  });

  it('nor believes a committed key', async () => {
    const folder = temporaryFolder({ [`${STATE}.key`]: new Uint8Array(32) });
    committed(folder);
    await expect(readDigestKey(folder.at(`${STATE}.key`))).rejects.toThrow('is tracked by git');
  });
});

describe('a file that is replaced', () => {
  it('is never written through a link, neither its own nor that of its draft', async () => {
    const folder = temporaryFolder({ victim: 'mine', 'in/x': '' });
    symlinkSync(folder.at('victim'), folder.at('in/state.json.new'));
    await replaceFile(folder.at('in/state.json'), 'new');
    expect(folder.read('in/state.json')).toBe('new');
    expect(lstatSync(folder.at('in/state.json')).isFile()).toBe(true);
    folder.remove('in/state.json');
    symlinkSync(folder.at('victim'), folder.at('in/state.json'));
    await expect(replaceFile(folder.at('in/state.json'), 'newer')).rejects.toThrow('is a link');
    expect(folder.read('victim')).toBe('mine');
  });
});
