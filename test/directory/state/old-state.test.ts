import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../../src/api/metadata.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { connectionYaml, deploymentYaml, secretYaml, together } from '../support/manifests.ts';
import { openFolder } from '../support/open.ts';

/**
 * The state that release 0.1.0 left in a folder with these manifests and this key. Users have such files, so the test
 * never regenerates it.
 */
const STATE = readFileSync(join(import.meta.dirname, '..', 'golden', 'state-0.1.0.json'), 'utf8');
const KEY_OF_DIGESTS = Buffer.alloc(32, 'first release ');
const CONNECTION = connectionYaml('default').replace('https://deploy.example.com', 'http://127.0.0.1:7193');
const MANIFESTS = together(
  CONNECTION,
  deploymentYaml('agent', { spec: '  deletionPolicy: Delete\n' }),
  secretYaml('agent-secrets', { token: 'the-token-of-the-agent' }),
);
const AGENT: Key = { kind: 'Deployment', namespace: 'team-a', name: 'agent' };

interface State {
  readonly version: number;
  readonly resources: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function folderOfFirstRelease(state: string = STATE) {
  return temporaryFolder({
    'deploy.yaml': MANIFESTS,
    '.dms-operator/state.json': state,
    '.dms-operator/state.json.key': KEY_OF_DIGESTS,
  });
}

describe('the state that release 0.1.0 wrote', () => {
  it('is read unchanged: nothing counts as edited, and the status is present', async () => {
    const { resources } = JSON.parse(STATE) as State;
    const entry = resources['Deployment/team-a/agent'];
    const { store } = await openFolder(folderOfFirstRelease().path);
    const resource = await store.get(AGENT);
    expect(entry).toMatchObject({ generation: 1, claimed: true });
    expect(resource?.metadata).toMatchObject({ uid: entry?.['uid'], generation: 1 });
    expect(resource?.metadata.finalizers).toHaveLength(1);
    expect(resource?.status).toEqual(entry?.['status']);
    expect(resource?.status?.applied?.fields).not.toEqual([]);
  });

  it('still names what to delete when the manifest is gone', async () => {
    const folder = folderOfFirstRelease();
    folder.write('deploy.yaml', CONNECTION);
    const { store } = await openFolder(folder.path, { once: true, prune: true });
    expect(await store.get(AGENT)).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) as string },
      spec: { deletionPolicy: 'Delete' },
    });
  });

  it('keeps the fields of a later release when this release writes', async () => {
    const before = JSON.parse(STATE) as State;
    const agent = before.resources['Deployment/team-a/agent'];
    const later = { ...agent, ofTomorrow: { deep: [1] } };
    const resources = { ...before.resources, 'Deployment/team-a/agent': later };
    const folder = folderOfFirstRelease(JSON.stringify({ ...before, resources }));
    const opened = await openFolder(folder.path);
    const resource = await opened.store.get(AGENT);
    if (resource === undefined) throw new Error('the resource should be there');
    await opened.store.saveStatus(resource, { ...resource.status, name: 'new' }, { mustLand: true });
    await opened.stop();
    const after = JSON.parse(folder.read('.dms-operator/state.json')) as State;
    expect(after.version).toBe(1);
    expect(after.resources['Deployment/team-a/agent']).toMatchObject({
      ofTomorrow: { deep: [1] },
      status: { name: 'new' },
    });
  });
});
