import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replaceFile } from '../../src/directory/atomic-file.ts';
import { readDigestKey } from '../../src/directory/digest-key.ts';
import { checkTrusted } from '../../src/directory/trusted-state.ts';
import { run } from '../cli/support/terminal.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { connectionYaml, deploymentYaml } from './support/manifests.ts';

const STATE = '.dms-operator/state.json';
const EMPTY = '{"version":1,"keyID":"","resources":{}}\n';

/** Manifests with a state beside them, as this user would have made it, unless `change` does something to it. */
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

describe('a state that somebody else may have made is refused', () => {
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
  ])('%s', async (why, change) => {
    const folder = folderWith(change);
    await expect(checkTrusted(folder.at(STATE))).rejects.toThrow(why);
  });

  it.runIf(process.getuid?.() === 0)('it belongs to another user', async () => {
    const folder = folderWith((made) => chownSync(made.at(STATE), 12_345, 0));
    await expect(checkTrusted(folder.at(STATE))).rejects.toThrow('belongs to user 12345, and this is user 0');
  });

  it('and one of this user is not, nor one that does not exist', async () => {
    const folder = folderWith((made) => git(made, 'init', '--quiet'));
    await checkTrusted(folder.at(STATE));
    await checkTrusted(folder.at('none/.dms-operator/state.json'));
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
    for (const name of ['in/state.json', 'in/state.json.new'])
      symlinkSync(folder.at('victim'), folder.at(name));
    await replaceFile(folder.at('in/state.json'), 'new');
    expect(folder.read('victim')).toBe('mine');
    expect(folder.read('in/state.json')).toBe('new');
    expect(lstatSync(folder.at('in/state.json')).isFile()).toBe(true);
  });
});
