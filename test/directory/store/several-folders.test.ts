import { renameSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../../src/api/metadata.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { connectionYaml, deploymentYaml } from '../support/manifests.ts';
import { openFolder, type OpenDirectory } from '../support/open.ts';

const keyOf = (name: string): Key => ({ kind: 'Deployment', namespace: 'team-a', name });

/** Opens two folders and claims every resource that they declare. */
async function openBoth(one: string, two: string): Promise<OpenDirectory> {
  const stateFile = temporaryFolder().at('state.json');
  const opened = await openFolder('', { paths: [one, two], prune: true, stateFile });
  await opened.watch();
  await opened.noticed();
  for (const resource of opened.adapter.list()) await opened.store.claim(resource);
  return opened;
}

const isDeleting = async ({ store }: OpenDirectory, name: string): Promise<boolean> =>
  (await store.get(keyOf(name)))?.metadata.deletionTimestamp !== undefined;

describe('several folders', () => {
  it('declare resources together, and a change in each is noticed', async () => {
    const one = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const two = temporaryFolder({ 'b.yaml': deploymentYaml('b'), 'c.yaml': connectionYaml('default') });
    const opened = await openBoth(one.path, two.path);
    expect(opened.adapter.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    two.write('b.yaml', deploymentYaml('b', { image: 'registry.example.com/agent:2' }));
    await opened.noticed();
    expect((await opened.store.get(keyOf('b')))?.metadata.generation).toBe(2);
  });

  it.each([
    { name: 'is empty, as one that is not filled yet', remove: 'b.yaml' },
    { name: 'is gone', remove: '.' },
  ])('lose nothing while one of them $name', async ({ remove }) => {
    const one = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const two = temporaryFolder({ 'b.yaml': deploymentYaml('b') });
    const opened = await openBoth(one.path, two.path);
    two.remove(remove);
    await opened.noticed();
    await opened.noticed();
    expect(await isDeleting(opened, 'b')).toBe(false);
    two.write('other.yaml', deploymentYaml('other'));
    await opened.pruned();
    expect(await isDeleting(opened, 'b')).toBe(true);
  });

  it('are reported once as empty, and again only after they had manifests', async () => {
    const warning = 'there are no manifests; nothing is removed because of that';
    const one = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const two = temporaryFolder({});
    const { logger, noticed } = await openBoth(one.path, two.path);
    const warnings = (): number => logger.messages('warn').filter((text) => text === warning).length;
    for (const image of ['agent:2', 'agent:3']) {
      one.write('a.yaml', deploymentYaml('a', { image: `registry.example.com/${image}` }));
      await noticed();
    }
    expect(warnings()).toBe(1);
    two.write('b.yaml', deploymentYaml('b'));
    await noticed();
    two.remove('b.yaml');
    await noticed();
    expect(warnings()).toBe(2);
  });

  it('are reported when a manifest disappears, and when a broken file becomes readable', async () => {
    const one = temporaryFolder({ 'a.yaml': deploymentYaml('a'), 'b.yaml': deploymentYaml('b') });
    const { logger, noticed, pruned } = await openBoth(
      one.path,
      temporaryFolder({ 'c.yaml': deploymentYaml('c') }).path,
    );
    one.write('a.yaml', 'kind: [');
    await noticed();
    one.write('a.yaml', deploymentYaml('a'));
    await noticed();
    one.remove('b.yaml');
    await pruned();
    expect(logger.messages('info').filter((text) => text.includes('again'))).toEqual([
      'the file can be read again',
    ]);
    expect(logger.messages('warn')).toEqual([
      'a manifest is gone; its resource is pruned unless it comes back',
      'a manifest did not come back; its resource is pruned',
    ]);
  });

  it('are named in the error if both declare a resource', async () => {
    const one = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const two = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const { adapter } = await openFolder('', {
      paths: [one.path, two.path],
      stateFile: temporaryFolder().at('state.json'),
    });
    expect(adapter.problems().map(({ message }) => message)).toEqual([
      'Deployment/team-a/a is declared twice',
    ]);
  });
});

describe('a folder that is a link, as git-sync creates it', () => {
  it('is followed each time the link is swapped, and what disappeared is pruned', async () => {
    const image = (tag: number): string => `registry.example.com/agent:${tag}`;
    const root = temporaryFolder({
      '.worktrees/1/a.yaml': deploymentYaml('a', { image: image(1) }),
      '.worktrees/1/b.yaml': deploymentYaml('b'),
      '.worktrees/2/a.yaml': deploymentYaml('a', { image: image(2) }),
      '.worktrees/2/b.yaml': deploymentYaml('b'),
      '.worktrees/3/a.yaml': deploymentYaml('a', { image: image(3) }),
    });
    symlinkSync('.worktrees/1', root.at('current'));
    const stateFile = temporaryFolder().at('state.json');
    const opened = await openFolder(root.at('current'), { prune: true, stateFile });
    await opened.watch();
    await opened.noticed();
    for (const resource of opened.adapter.list()) await opened.store.claim(resource);
    for (const tag of [2, 3]) {
      symlinkSync(`.worktrees/${tag}`, root.at('next'));
      renameSync(root.at('next'), root.at('current'));
      root.remove(`.worktrees/${tag - 1}`);
      await opened.pruned();
      expect((await opened.store.get(keyOf('a')))?.spec.sourceRevisionConfig?.imageURI).toBe(image(tag));
      expect(await isDeleting(opened, 'b')).toBe(tag === 3);
    }
    expect(opened.adapter.problems()).toEqual([]);
  });
});
