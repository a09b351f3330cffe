import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replaceFile } from '../../../src/directory/files/replace-file.ts';
import { writeManifests } from '../../../src/directory/manifests/write-manifests.ts';
import { writeOutput } from '../../../src/directory/files/write-output.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

/** Creates one regular file and several special files, each named after its kind. */
async function zoo(): Promise<TemporaryFolder> {
  const folder = temporaryFolder({ file: 'old', target: 'untouched' });
  mkdirSync(folder.at('a folder'));
  symlinkSync('target', folder.at('a link'));
  symlinkSync('nowhere', folder.at('a link to nothing'));
  execFileSync('mkfifo', [folder.at('a pipe')]);
  const server = createServer().listen(folder.at('a socket'));
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return folder;
}

/** Creates a device, if this user may create one. It discards what is written to it, as /dev/null does. */
function device(folder: TemporaryFolder): string | undefined {
  const path = folder.at('a device');
  return spawnSync('mknod', [path, 'c', '1', '3']).status === 0 ? path : undefined;
}

const SPECIAL = ['a folder', 'a link', 'a link to nothing', 'a pipe', 'a socket'];

describe('a file that is replaced', () => {
  it.each(SPECIAL)('is not %s, which stays unchanged', async (name) => {
    const folder = await zoo();
    const before = lstatSync(folder.at(name));
    const names = readdirSync(folder.path);
    const kind = name.replace(' to nothing', '');
    await expect(replaceFile(folder.at(name), 'new')).rejects.toThrow(
      `${folder.at(name)} is ${kind}, and only a regular file is replaced; name another`,
    );
    expect(lstatSync(folder.at(name)).ino).toBe(before.ino);
    expect(readdirSync(folder.path)).toEqual(names);
    expect(folder.read('target')).toBe('untouched');
  });

  it('is not the file that took its place while the new content was written', async () => {
    const folder = await zoo();
    const ready = async (): Promise<void> => {
      folder.remove('file');
      symlinkSync('target', folder.at('file'));
    };
    await expect(replaceFile(folder.at('file'), 'new', { ready })).rejects.toThrow('is a link');
    expect(lstatSync(folder.at('file')).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder.path)).not.toContain('file.new');
  });
});

describe('manifests that the program writes', () => {
  it.each([true, false])('touch nothing if one of their paths is a link, replacing: %s', async (replace) => {
    const folder = temporaryFolder({ target: 'untouched' });
    symlinkSync('target', folder.at('b.yaml'));
    const files = ['a.yaml', 'b.yaml'].map((name) => ({ name, text: 'new' }));
    await expect(writeManifests(folder.path, files, { replace })).rejects.toThrow('b.yaml');
    expect(readdirSync(folder.path)).toEqual(['b.yaml', 'target']);
    expect(folder.read('target')).toBe('untouched');
  });
});

describe('an output path that a person named', () => {
  it('holds a file that its owner alone can read, and the files beside it stay', async () => {
    const folder = temporaryFolder({ 'plan.new': 'of somebody' });
    for (const text of ['first', 'second']) {
      await writeOutput(folder.at('plan'), text);
      expect(folder.read('plan')).toBe(text);
    }
    expect(statSync(folder.at('plan')).mode & 0o777).toBe(0o600);
    expect(folder.read('plan.new')).toBe('of somebody');
    expect(readdirSync(folder.path)).toEqual(['plan', 'plan.new']);
  });

  it.each(SPECIAL.filter((name) => name !== 'a pipe'))('stays %s', async (name) => {
    const folder = await zoo();
    const before = lstatSync(folder.at(name));
    await expect(writeOutput(folder.at(name), 'new')).rejects.toThrow(`${folder.at(name)} is a`);
    expect(lstatSync(folder.at(name)).ino).toBe(before.ino);
    expect(folder.read('target')).toBe('untouched');
  });

  it('is refused if it is a pipe that no process reads', async () => {
    const folder = await zoo();
    await expect(writeOutput(folder.at('a pipe'), 'new')).rejects.toThrow('a pipe that no process reads');
  });

  it.each(['itself', 'by a link'])('is a pipe, named %s, that gets more than it holds', async (how) => {
    const folder = await zoo();
    const text = 'x'.repeat(300_000);
    const reader = spawn('sh', ['-c', `cat '${folder.at('a pipe')}' > '${folder.at('read')}'`]);
    const ended = once(reader, 'exit');
    symlinkSync('a pipe', folder.at('to the pipe'));
    const path = folder.at(how === 'itself' ? 'a pipe' : 'to the pipe');
    await expect
      .poll(() => writeOutput(path, text).then(() => 'written', String), { timeout: 10_000 })
      .toBe('written');
    await ended;
    expect(readFileSync(folder.at('read'), 'utf8')).toBe(text);
    expect(lstatSync(folder.at('a pipe')).isFIFO()).toBe(true);
  });

  it('may be a device', async ({ skip }) => {
    const folder = temporaryFolder();
    const path = device(folder);
    if (path === undefined) return skip('only root can make a device');
    await writeOutput(path, 'new');
    expect(lstatSync(path).isCharacterDevice()).toBe(true);
    expect(readdirSync(folder.path)).toEqual(['a device']);
  });
});
