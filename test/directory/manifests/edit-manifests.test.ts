import { chmodSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getuid } from 'node:process';
import { describe, expect, it } from 'vitest';
import { editManifests } from '../../../src/directory/manifests/edit-manifests.ts';
import { ManifestFiles } from '../../../src/directory/manifests/manifest-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { deploymentYaml, together } from '../support/manifests.ts';

const change = { name: 'dms-operator.dev/paused', value: 'true' };

/** Returns edits of all resources of a file, as they were when it was read. */
async function edits(file: string) {
  const { declared } = await new ManifestFiles([file]).read();
  return [...declared.values()].map(({ key, object }) => ({ key, object, change }));
}

describe('an edited manifest file', () => {
  it('keeps its mode, and the edit leaves no file beside it', async () => {
    const folder = temporaryFolder({ 'a.yaml': together(deploymentYaml('a'), deploymentYaml('b')) });
    chmodSync(folder.at('a.yaml'), 0o664);
    const results = await editManifests(folder.at('a.yaml'), await edits(folder.at('a.yaml')));
    expect(results).toEqual([
      { kind: 'edited', line: 7 },
      { kind: 'edited', line: 19 },
    ]);
    expect(statSync(folder.at('a.yaml')).mode & 0o777).toBe(0o664);
    expect(readdirSync(folder.path)).toEqual(['a.yaml']);
  });

  it('is not written if an edit is refused', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const meant = await edits(folder.at('a.yaml'));
    folder.write('a.yaml', deploymentYaml('a', { image: 'other:1' }));
    const { ino } = statSync(folder.at('a.yaml'));
    expect(await editManifests(folder.at('a.yaml'), meant)).toEqual([
      { kind: 'refused', why: 'the manifest has changed meanwhile; try again' },
    ]);
    expect(statSync(folder.at('a.yaml')).ino).toBe(ino);
  });

  it('keeps a change that somebody else makes during the edit', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const theirs = `${deploymentYaml('a')}# theirs\n`;
    const meant = (await edits(folder.at('a.yaml'))).map(({ key, object }) => ({
      key,
      object,
      // The edit reads this property after it has read the file.
      get change() {
        folder.write('a.yaml', theirs);
        return change;
      },
    }));
    expect(await editManifests(folder.at('a.yaml'), meant)).toEqual([
      { kind: 'refused', why: 'the file has changed meanwhile; try again' },
    ]);
    expect(folder.read('a.yaml')).toBe(theirs);
    expect(readdirSync(folder.path)).toEqual(['a.yaml']);
  });

  it.each([
    {
      name: 'a link',
      make: (path: string) => symlinkSync('real', path),
      why: 'the file is a link',
    },
    {
      name: 'one of several names',
      make: (path: string) => linkSync(join(dirname(path), 'real'), path),
      why: 'the file has several names, which would become several files',
    },
    {
      name: 'write-protected',
      make: (path: string) => writeFileSync(path, deploymentYaml('a'), { mode: 0o400 }),
      why: 'the file is write-protected',
    },
    { name: 'a folder', make: (path: string) => mkdirSync(path), why: 'this is no regular file' },
    { name: 'gone', make: () => undefined, why: 'there is no such file or folder (ENOENT)' },
  ])('stays unchanged if it is $name', async ({ make, why }) => {
    const folder = temporaryFolder({ real: deploymentYaml('a') });
    const meant = await edits(folder.at('real'));
    make(folder.at('a.yaml'));
    expect(await editManifests(folder.at('a.yaml'), meant)).toEqual([{ kind: 'refused', why }]);
    expect(folder.read('real')).toBe(deploymentYaml('a'));
  });

  it.skipIf(getuid?.() === 0)('reports that its folder is not writable', async () => {
    const folder = temporaryFolder({ 'in/a.yaml': deploymentYaml('a') });
    const meant = await edits(folder.at('in/a.yaml'));
    chmodSync(folder.at('in'), 0o500);
    expect(await editManifests(folder.at('in/a.yaml'), meant)).toEqual([
      { kind: 'refused', why: 'this user may not write there (EACCES)' },
    ]);
    chmodSync(folder.at('in'), 0o700);
  });

  it('cannot be standard input', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    expect(await editManifests('-', await edits(folder.at('a.yaml')))).toEqual([
      { kind: 'refused', why: 'standard input is no file' },
    ]);
  });
});
