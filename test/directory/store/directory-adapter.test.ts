import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../../src/api/metadata.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { connectionYaml, deploymentYaml } from '../support/manifests.ts';
import { openFolder } from '../support/open.ts';

const AGENT: Key = { kind: 'Deployment', namespace: 'team-a', name: 'agent' };
const DEFAULT: Key = { kind: 'Connection', namespace: 'team-a', name: 'default' };

describe('a folder as an adapter of the ports', () => {
  it('remembers uid, generation, claim and status over a restart', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('agent') });
    const first = await openFolder(folder.path);
    const resource = await first.store.get(AGENT);
    if (resource === undefined) throw new Error('the resource should be there');
    const claimed = await first.store.claim(resource);
    const saved = await first.store.saveStatus(claimed, { deploymentID: 'd-1' }, { mustLand: false });
    await first.stop();
    const second = await openFolder(folder.path);
    expect(await second.store.get(AGENT)).toEqual(saved);
  });

  it('notices at its start the edits made while no process watched', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('agent') });
    await (await openFolder(folder.path)).stop();
    folder.write('a.yaml', deploymentYaml('agent', { image: 'registry.example.com/agent:2' }));
    expect((await (await openFolder(folder.path)).store.get(AGENT))?.metadata.generation).toBe(2);
  });

  it('writes an announcement to disk before it returns', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('agent') });
    const { store } = await openFolder(folder.path);
    const resource = await store.get(AGENT);
    if (resource === undefined) throw new Error('the resource should be there');
    const onDisk = (): string => folder.read('.dms-operator/state.json');
    const announced = await store.announce(resource, { name: 'announced' });
    expect(onDisk()).toContain('announced');
    if (announced === 'stale') throw new Error('the announcement should land');
    const landed = await store.saveStatus(announced, { name: 'landed' }, { mustLand: true });
    expect(onDisk()).toContain('landed');
    if (landed === 'stale') throw new Error('the status should land');
    await store.saveStatus(landed, { name: 'later' }, { mustLand: false });
    expect(onDisk()).not.toContain('later');
    await store.claim(resource);
    expect(onDisk()).toContain('"claimed": true');
  });

  it('sends nothing if an announcement could not be written', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('agent') });
    const { store } = await openFolder(folder.path);
    const resource = await store.get(AGENT);
    if (resource === undefined) throw new Error('the resource should be there');
    folder.write('.dms-operator/state.json.new/in-the-way', '');
    await expect(store.announce(resource, { name: 'announced' })).rejects.toThrow('EISDIR');
    folder.remove('.dms-operator/state.json.new');
  });

  it('keeps the status of connections, and reports a stale writer', async () => {
    const folder = temporaryFolder({ 'c.yaml': connectionYaml('default') });
    const { adapter } = await openFolder(folder.path);
    const connection = await adapter.connectionStore.get(DEFAULT);
    if (connection === undefined) throw new Error('the connection should be there');
    const saved = await adapter.connectionStore.saveStatus(connection, {
      deployments: { total: 3, managed: 1 },
    });
    expect(saved).toMatchObject({ kind: 'Connection', status: { deployments: { total: 3 } } });
    expect(await adapter.connectionStore.saveStatus(connection, {})).toBe('stale');
    expect(adapter.listConnections()).toEqual([saved]);
    expect(await adapter.connectionStore.get({ ...DEFAULT, kind: 'ClusterConnection' })).toBeUndefined();
  });

  it('writes events as log lines', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('agent') });
    const { adapter, logger, store } = await openFolder(folder.path);
    const resource = await store.get(AGENT);
    if (resource === undefined) throw new Error('the resource should be there');
    const event = { reason: 'Bound', action: 'Bind', message: 'bound to d-1' } as const;
    adapter.events.record(resource, { ...event, type: 'Normal' });
    adapter.events.record(resource, { ...event, type: 'Warning' });
    const fields = {
      kind: 'Deployment',
      namespace: 'team-a',
      name: 'agent',
      reason: 'Bound',
      action: 'Bind',
    };
    expect(logger.lines).toEqual([
      { level: 'info', message: 'bound to d-1', fields },
      { level: 'warn', message: 'bound to d-1', fields },
    ]);
  });

  it('keeps its state beside a manifest given as a file, and does not read the state as a manifest', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('agent') });
    await (await openFolder(folder.at('a.yaml'))).stop();
    expect(existsSync(folder.at('.dms-operator/state.json'))).toBe(true);
    await (await openFolder(folder.path, { stateFile: folder.at('state.json') })).stop();
    const again = await openFolder(folder.path, { stateFile: folder.at('state.json') });
    expect(again.adapter.problems()).toEqual([]);
  });

  it('reports in one line that a folder does not exist, that none was given, and that another process uses it', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('agent') });
    await expect(openFolder(folder.at('none'))).rejects.toThrow(
      'none: there is no such folder; name one that exists',
    );
    await expect(openFolder('', { paths: [] })).rejects.toThrow('no folder of manifests was given');
    await openFolder(folder.path);
    await expect(openFolder(folder.path)).rejects.toThrow(
      /state\.json\.lock: the state is in use by process \d+; stop/,
    );
  });

  it('releases the lock if it cannot open the folder for another reason', async () => {
    const folder = temporaryFolder({
      'a.yaml': deploymentYaml('agent'),
      '.dms-operator/state.json.key': 'short',
    });
    await expect(openFolder(folder.path)).rejects.toThrow('not a digest key');
    folder.remove('.dms-operator/state.json.key');
    await openFolder(folder.path);
  });
});
