import { renameSync, symlinkSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Key, keyText } from '../../../src/api/metadata.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { connectionYaml, deploymentYaml, secretYaml, together } from '../support/manifests.ts';
import { openFolder, type OpenDirectory } from '../support/open.ts';

const keyOf = (name: string): Key => ({ kind: 'Deployment', namespace: 'team-a', name });

async function imageOf({ store }: OpenDirectory, name: string): Promise<string | undefined> {
  return (await store.get(keyOf(name)))?.spec.sourceRevisionConfig?.imageURI;
}

/** Returns the keys that a source reports from now on, without its first report. */
async function changesTold(opened: OpenDirectory, source: 'deployments' | 'connections'): Promise<string[]> {
  const told: string[] = [];
  await opened.adapter.sources[source].start((key) => told.push(keyText(key)), new AbortController().signal);
  told.length = 0;
  return told;
}

const NEWER = 'registry.example.com/agent:2';

describe('a watched folder', () => {
  it('reports every manifest at first, and then the changes', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a'), 'b.yaml': deploymentYaml('b') });
    const opened = await openFolder(folder.path);
    const told: string[] = [];
    await opened.adapter.sources.deployments.start(
      (key) => told.push(keyText(key)),
      new AbortController().signal,
    );
    expect(told).toEqual(['Deployment/team-a/a', 'Deployment/team-a/b']);
    await opened.watch();
    await opened.noticed();
    folder.write('b.yaml', deploymentYaml('b', { image: NEWER }));
    await opened.noticed();
    expect(told.slice(2)).toEqual(['Deployment/team-a/b']);
    expect(await imageOf(opened, 'b')).toBe(NEWER);
  });

  it('reports nothing when files are touched or rewritten with the same content', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const opened = await openFolder(folder.path);
    await opened.watch();
    const told = await changesTold(opened, 'deployments');
    folder.write('a.yaml', deploymentYaml('a'));
    utimesSync(folder.at('a.yaml'), 1, 1);
    await opened.noticed();
    expect(told).toEqual([]);
  });

  it('stops reporting when the signal of a source aborts, and reading when the adapter stops', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const opened = await openFolder(folder.path);
    const told: string[] = [];
    const abort = new AbortController();
    await opened.adapter.sources.deployments.start((key) => told.push(keyText(key)), abort.signal);
    await opened.watch();
    abort.abort();
    folder.write('b.yaml', deploymentYaml('b'));
    await opened.noticed();
    expect(told).toEqual(['Deployment/team-a/a']);
    await opened.stop();
    expect(opened.clock.pendingTimers).toBe(0);
  });

  it('follows a symbolic link that is swapped, as git-sync and mounted volumes do', async () => {
    const folder = temporaryFolder({
      '..one/a.yaml': deploymentYaml('a'),
      '..two/a.yaml': deploymentYaml('a', { image: NEWER }),
    });
    symlinkSync('..one', folder.at('..data'));
    symlinkSync('..data/a.yaml', folder.at('a.yaml'));
    const opened = await openFolder(folder.path);
    await opened.watch();
    await opened.noticed();
    expect(await imageOf(opened, 'a')).toBe('registry.example.com/agent:1');
    symlinkSync('..two', folder.at('..new'));
    renameSync(folder.at('..new'), folder.at('..data'));
    await opened.noticed();
    expect(await imageOf(opened, 'a')).toBe(NEWER);
  });

  it('keeps the last valid documents of a half-written file, and reports it once', async () => {
    const folder = temporaryFolder({ 'a.yaml': together(deploymentYaml('a'), deploymentYaml('b')) });
    const opened = await openFolder(folder.path);
    await opened.watch();
    const told = await changesTold(opened, 'deployments');
    folder.write('a.yaml', together(deploymentYaml('a', { image: NEWER }), 'apiVersion: "dms-oper'));
    await opened.noticed();
    await opened.noticed();
    expect(await imageOf(opened, 'a')).toBe(NEWER);
    expect(await imageOf(opened, 'b')).toBe('registry.example.com/agent:1');
    expect(told).toEqual(['Deployment/team-a/a']);
    expect(opened.adapter.problems()).toHaveLength(1);
    expect(opened.logger.messages('error')).toEqual([expect.stringContaining('a.yaml:11:22: a quote')]);
    folder.write('a.yaml', together(deploymentYaml('a', { image: NEWER }), deploymentYaml('b')));
    await opened.noticed();
    expect(opened.adapter.problems()).toEqual([]);
    expect(told).toEqual(['Deployment/team-a/a']);
  });

  it('keeps a resource unchanged while its manifest is invalid', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const opened = await openFolder(folder.path);
    await opened.watch();
    folder.write('a.yaml', deploymentYaml('a', { image: NEWER }).replace('external_container', 'nonsense'));
    await opened.noticed();
    expect(await imageOf(opened, 'a')).toBe('registry.example.com/agent:1');
    expect((await opened.store.get(keyOf('a')))?.metadata.generation).toBe(1);
  });

  it('wakes deployments and connections whose Secret changed, and no others', async () => {
    const spec = '  secrets:\n  - {name: T, valueFrom: {secretKeyRef: {name: creds, key: token}}}\n';
    const headers = '  headers:\n  - {name: X-Key, valueFrom: {secretKeyRef: {name: creds, key: token}}}\n';
    const folder = temporaryFolder({
      'a.yaml': together(deploymentYaml('user', { spec }), deploymentYaml('other')),
      'b.yaml': deploymentYaml('stranger', { spec, namespace: 'team-b' }),
      'c.yaml': together(connectionYaml('default', { spec: headers }), connectionYaml('plain')),
      'creds.yaml': secretYaml('creds', { token: 'one' }),
    });
    const opened = await openFolder(folder.path);
    await opened.watch();
    const deployments = await changesTold(opened, 'deployments');
    const connections = await changesTold(opened, 'connections');
    folder.write('creds.yaml', secretYaml('creds', { token: 'two' }));
    await opened.noticed();
    expect(deployments).toEqual(['Deployment/team-a/user']);
    expect(connections).toEqual(['Connection/team-a/default']);
  });

  it('wakes the users of a connection that changed or became usable again', async () => {
    const cluster = connectionYaml('default', { namespace: 'x' })
      .replace('kind: Connection', 'kind: ClusterConnection')
      .replace(', namespace: x', '');
    const folder = temporaryFolder({
      'a.yaml': together(
        deploymentYaml('user'),
        deploymentYaml('stranger', { spec: '  connectionRef: {name: own}\n' }),
      ),
      'c.yaml': cluster,
    });
    const opened = await openFolder(folder.path);
    await opened.watch();
    const deployments = await changesTold(opened, 'deployments');
    const connections = await changesTold(opened, 'connections');
    folder.write('c.yaml', cluster.replace('example.com', 'example.org'));
    await opened.noticed();
    expect([deployments, connections]).toEqual([['Deployment/team-a/user'], ['ClusterConnection//default']]);
    const key = { kind: 'ClusterConnection', namespace: '', name: 'default' };
    for (const reason of ['Ok', 'Ok', 'AuthFailed'] as const) {
      const connection = await opened.adapter.connectionStore.get(key);
      if (connection === undefined) throw new Error('the connection should be there');
      const condition = {
        type: 'Ready',
        status: 'True',
        reason,
        message: '',
        observedGeneration: 1,
        lastTransitionTime: '',
      };
      await opened.adapter.connectionStore.saveStatus(connection, {
        conditions: [{ ...condition, status: 'True' }],
      });
    }
    expect(deployments).toHaveLength(3);
    expect(connections).toHaveLength(1);
  });
});

describe('a folder does not remove', () => {
  const files = {
    'a.yaml': deploymentYaml('a'),
    'b.yaml': deploymentYaml('b'),
    'c.yaml': deploymentYaml('c'),
  };

  async function claimedIn(
    folder: ReturnType<typeof temporaryFolder>,
    prune: boolean,
  ): Promise<OpenDirectory> {
    const opened = await openFolder(folder.path, { prune });
    await opened.watch();
    await opened.noticed();
    const resource = await opened.store.get(keyOf('a'));
    if (resource === undefined) throw new Error('the resource should be there');
    await opened.store.claim(resource);
    return opened;
  }

  const present = async (opened: OpenDirectory): Promise<DeploymentResource | undefined> =>
    opened.store.get(keyOf('a'));

  it.each([
    {
      name: 'the folder is empty',
      change: { 'a.yaml': undefined, 'b.yaml': undefined, 'c.yaml': undefined },
    },
    { name: 'another file does not parse', change: { 'a.yaml': undefined, 'b.yaml': 'a: [' } },
    {
      name: 'another file is invalid',
      change: { 'a.yaml': undefined, 'b.yaml': files['b.yaml'].replace('source:', 'sourc:') },
    },
    { name: 'a resource is declared twice', change: { 'a.yaml': undefined, 'd.yaml': files['b.yaml'] } },
    { name: 'the folder itself is gone', change: { '.': undefined } },
  ])('a resource whose manifest is missing while $name (H61)', async ({ change }) => {
    const folder = temporaryFolder(files);
    const manifests = await openFolderBeside(folder);
    for (const [name, content] of Object.entries(change)) {
      if (content === undefined) folder.remove(name);
      else folder.write(name, content);
    }
    await manifests.noticed();
    await manifests.noticed();
    expect(await present(manifests)).toMatchObject({ metadata: { generation: 1 } });
    expect((await present(manifests))?.metadata.deletionTimestamp).toBeUndefined();
  });

  /** Keeps the state outside of the folder, so that the test can remove the folder. */
  async function openFolderBeside(folder: ReturnType<typeof temporaryFolder>): Promise<OpenDirectory> {
    const opened = await openFolder(folder.path, {
      prune: true,
      stateFile: temporaryFolder().at('state.json'),
    });
    await opened.watch();
    await opened.noticed();
    const resource = await present(opened);
    if (resource === undefined) throw new Error('the resource should be there');
    await opened.store.claim(resource);
    return opened;
  }

  it('anything if it is empty at the start (H61)', async () => {
    const folder = temporaryFolder(files);
    const stateFile = temporaryFolder().at('state.json');
    const first = await openFolder(folder.path, { prune: true, stateFile });
    const resource = await present(first);
    if (resource === undefined) throw new Error('the resource should be there');
    await first.store.claim(resource);
    await first.stop();
    for (const name of Object.keys(files)) folder.remove(name);
    const second = await openFolder(folder.path, { prune: true, stateFile });
    await second.watch();
    await second.noticed();
    for (const [name, content] of Object.entries(files)) folder.write(name, content);
    await second.noticed();
    expect(await present(second)).toMatchObject({ metadata: { uid: resource.metadata.uid, generation: 1 } });
    expect(second.logger.messages('warn')).toContain(
      'there are no manifests; nothing is removed because of that',
    );
  });

  it('a resource without --prune: it is only hidden, and has its status when its manifest returns', async () => {
    const folder = temporaryFolder(files);
    const opened = await claimedIn(folder, false);
    const before = await present(opened);
    if (before === undefined) throw new Error('the resource should be there');
    await opened.store.saveStatus(before, { deploymentID: 'd-1' }, { mustLand: true });
    const told = await changesTold(opened, 'deployments');
    folder.remove('a.yaml');
    await opened.noticed();
    expect(await present(opened)).toBeUndefined();
    expect(told).toEqual(['Deployment/team-a/a']);
    expect(opened.adapter.list().map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
    folder.write('a.yaml', files['a.yaml']);
    await opened.noticed();
    expect(await present(opened)).toMatchObject({
      metadata: { uid: before.metadata.uid },
      status: { deploymentID: 'd-1' },
    });
  });

  it('a resource whose manifest returns before its deletion is done', async () => {
    const folder = temporaryFolder(files);
    const opened = await claimedIn(folder, true);
    folder.remove('a.yaml');
    await opened.pruned();
    expect((await present(opened))?.metadata.deletionTimestamp).toBeTypeOf('string');
    folder.write('a.yaml', files['a.yaml']);
    await opened.noticed();
    const back = await present(opened);
    expect(back?.metadata.deletionTimestamp).toBeUndefined();
    expect(back?.metadata.finalizers).toHaveLength(1);
    expect(back?.metadata.generation).toBe(3);
  });
});

describe('a resource that a folder removes with --prune', () => {
  it('is known after a restart: enough of the manifest is kept for the deletion, and no secret', async () => {
    const spec =
      '  deletionPolicy: Delete\n  connectionRef: {name: own}\n  secrets: [{name: T, value: hunter2}]\n';
    const folder = temporaryFolder({
      'a.yaml': deploymentYaml('a', {
        spec,
        annotations: '{dms-operator.dev/paused: "false", other: "hunter2"}',
      }),
      'b.yaml': deploymentYaml('b'),
    });
    const first = await openFolder(folder.path, { prune: true });
    const resource = await first.store.get(keyOf('a'));
    if (resource === undefined) throw new Error('the resource should be there');
    await first.store.claim(resource);
    await first.stop();
    expect(folder.read('.dms-operator/state.json')).not.toContain('hunter2');

    folder.remove('a.yaml');
    const second = await openFolder(folder.path, { prune: true });
    expect(await second.store.get(keyOf('a'))).toBeUndefined();
    await second.watch();
    await second.noticed();
    expect(await second.store.get(keyOf('a'))).toBeUndefined();
    await second.pruned();
    const deleting = await second.store.get(keyOf('a'));
    expect(deleting).toMatchObject({
      metadata: {
        deletionTimestamp: expect.any(String) as string,
        annotations: { 'dms-operator.dev/paused': 'false' },
      },
      spec: { deletionPolicy: 'Delete', connectionRef: { name: 'own' }, deploymentRef: { name: 'a' } },
    });
    expect(second.adapter.list().map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
    if (deleting !== undefined) await second.store.release(deleting);
    expect(await second.store.get(keyOf('a'))).toBeUndefined();
    await second.stop();
    expect(folder.read('.dms-operator/state.json')).not.toContain('Deployment/team-a/a');
  });
});

describe('a manifest that is missing for less than the grace time of --prune (B14, H61)', () => {
  const both = together(deploymentYaml('a'), deploymentYaml('b'));
  const REMOVED = 'a manifest is gone; its resource is pruned unless it comes back';

  async function claimed(files: Readonly<Record<string, string>>) {
    const folder = temporaryFolder({ ...files, 'z.yaml': deploymentYaml('z') });
    const opened = await openFolder(folder.path, { prune: true });
    await opened.watch();
    await opened.noticed();
    for (const resource of opened.adapter.list()) await opened.store.claim(resource);
    return { folder, opened, told: await changesTold(opened, 'deployments') };
  }

  const textsGone = ({ logger }: OpenDirectory): readonly unknown[] =>
    logger.lines.filter(({ message }) => message === REMOVED).map(({ fields }) => fields);

  it.each([
    { name: 'the file is gone', away: { 'two.yaml': undefined } },
    { name: 'the file is empty', away: { 'two.yaml': '' } },
    { name: 'the file holds comments only', away: { 'two.yaml': '# deployments of team-a\n' } },
    { name: 'the file is cut between two documents', away: { 'two.yaml': `${deploymentYaml('a')}---\n` } },
    {
      name: 'the file is on its way to another folder',
      away: { 'two.yaml': undefined },
      to: 'deep/two.yaml',
    },
  ])('changes nothing when it returns: $name', async ({ away, to = 'two.yaml' }) => {
    const { folder, opened, told } = await claimed({ 'two.yaml': both });
    const before = opened.adapter.list();
    for (const [name, content] of Object.entries(away)) {
      if (content === undefined) folder.remove(name);
      else folder.write(name, content);
    }
    await opened.noticed();
    expect(opened.adapter.list()).toEqual(expect.arrayContaining([...before]));
    expect(textsGone(opened)).not.toEqual([]);
    folder.write(to, both);
    await opened.noticed();
    await opened.pruned();
    expect(opened.adapter.list()).toHaveLength(before.length);
    expect(opened.adapter.list()).toEqual(expect.arrayContaining([...before]));
    expect(told).toEqual([]);
    expect(opened.logger.messages('info')).toContain('a manifest is back; its resource is not pruned');
  });

  it('is pruned when the grace time ends, and the log has announced it once, with the time', async () => {
    const { folder, opened, told } = await claimed({ 'two.yaml': both });
    folder.write('two.yaml', deploymentYaml('a'));
    await opened.noticed();
    await opened.pruned();
    await opened.pruned();
    expect(told).toEqual(['Deployment/team-a/b']);
    const deleting = (await opened.store.get(keyOf('b')))?.metadata.deletionTimestamp ?? '';
    const [said, ...more] = textsGone(opened);
    expect(more).toEqual([]);
    expect(said).toMatchObject({ kind: 'Deployment', namespace: 'team-a', name: 'b' });
    const { at } = said as { readonly at: string };
    expect(Date.parse(deleting)).toBeGreaterThanOrEqual(Math.floor(Date.parse(at) / 1_000) * 1_000);
    expect(Date.parse(deleting) - Date.parse(at)).toBeLessThanOrEqual(10_000);
    expect(opened.logger.messages('warn')).toContain('a manifest did not come back; its resource is pruned');
  });

  it('starts its grace time again after a reading with an error', async () => {
    const { folder, opened } = await claimed({ 'two.yaml': both });
    folder.write('two.yaml', deploymentYaml('a'));
    await opened.noticed();
    folder.write('broken.yaml', 'a: [');
    await opened.noticed();
    folder.remove('broken.yaml');
    await opened.noticed();
    expect((await opened.store.get(keyOf('b')))?.metadata.deletionTimestamp).toBeUndefined();
    await opened.pruned();
    expect((await opened.store.get(keyOf('b')))?.metadata.deletionTimestamp).toBeTypeOf('string');
  });
});
