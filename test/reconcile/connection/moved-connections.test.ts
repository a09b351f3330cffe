import { describe, expect } from 'vitest';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, NAMESPACE, type World } from '../support/world.ts';

const image = (tag: number) => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
});
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const ELSEWHERE = { baseURL: 'https://dms-next.example.com/api' };
const BACK = { baseURL: 'https://dms.example.com/api' };
const CHANGED = 'False/ConnectionChanged Unknown/ConnectionChanged';

const writes = (w: World) => w.service.log.requests().filter(({ method }) => method !== 'GET').length;

/** Binds a resource, then deletes its deployment and moves the connection to a new address. */
async function moved(w: World, spec: Parameters<World['apply']>[0]): Promise<void> {
  w.apply(spec);
  await w.pass(30);
  expect(w.state()).toBe('True/InSync True/Active');
  w.service.act({ kind: 'delete', deployment: AGENT });
  w.connect(ELSEWHERE);
}

/** Replaces the Connection by a ClusterConnection `default` that serves the namespace. */
function ofCluster(w: World): void {
  w.connections.remove({ kind: 'Connection', namespace: NAMESPACE, name: 'default' });
  w.connections.apply({
    apiVersion: API_VERSION,
    kind: 'ClusterConnection',
    metadata: { name: 'default' },
    spec: { ...BACK, rateLimit: NO_RATE_LIMIT, namespaceSelector: {} },
  });
}

describe('a connection whose address moves', () => {
  scenario(
    'is accepted if the service shows the pinned id with the pinned tenant (H27)',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(30);
      w.connect(ELSEWHERE);
      w.apply(image(2));
      await w.pass(120);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.status().binding?.endpoint).toBe(ELSEWHERE.baseURL);
      expect(w.patches()).toHaveLength(1);
    },
  );

  scenario(
    'is not accepted where no tenant was ever shown, however often it is looked at (H27)',
    { deployments: [LIVE], semantics: { fieldRules: { tenant_id: 'hidden' } } },
    async (w) => {
      w.apply(image(1));
      await w.pass(30);
      w.connect(ELSEWHERE);
      w.apply(image(2));
      await w.pass(1500);
      expect(w.state()).toBe(CHANGED);
      expect(w.status().binding?.endpoint).toBe(BACK.baseURL);
      expect(w.patches()).toEqual([]);
      w.connect(BACK);
      await w.pass(120);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'does not count as a deletion if the pinned id is missing (H27)',
    { deployments: [LIVE, { name: 'x' }] },
    async (w) => {
      await moved(w, image(1));
      await w.pass(300);
      expect(w.state()).toBe(CHANGED);
    },
  );

  scenario('gets no creation (H27)', { deployments: [LIVE, { name: 'x' }] }, async (w) => {
    await moved(w, { ...image(1), creation: { policy: 'IfMissing', recreate: true } });
    await w.pass(300);
    expect(w.state()).toBe(CHANGED);
    expect(writes(w)).toBe(0);
  });

  scenario(
    'releases a deployment marked for deletion at the old address only on a user’s decision (H27, H47)',
    { deployments: [LIVE, { name: 'x' }] },
    async (w) => {
      await moved(w, { ...image(1), deletionPolicy: 'Delete' });
      w.store.remove(keyOf(AGENT));
      await w.pass(300);
      expect(w.state()).toBe(CHANGED);
      w.apply({ ...image(1), deletionPolicy: 'Orphan' });
      await w.pass(10);
      expect(w.store.peek(keyOf(AGENT))).toBeUndefined();
      expect(writes(w)).toBe(0);
    },
  );
});

describe('a Connection named default that appears beside the active ClusterConnection', () => {
  scenario(
    'takes nothing over until spec.connectionRef names it (H27)',
    { started: false, deployments: [LIVE] },
    async (w) => {
      ofCluster(w);
      w.start();
      w.apply(image(1));
      await w.pass(60);
      expect(w.status().binding?.connectionKind).toBe('ClusterConnection');
      w.connect();
      await w.pass(60);
      w.apply(image(2));
      await w.pass(1500);
      expect(w.state()).toBe(CHANGED);
      expect(w.status().binding?.connectionKind).toBe('ClusterConnection');
      expect(w.patches()).toEqual([]);
      w.apply({ ...image(2), connectionRef: { kind: 'Connection', name: 'default' } });
      await w.pass(120);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.status().binding?.connectionKind).toBe('Connection');
      expect(w.patches()).toHaveLength(1);
    },
  );

  scenario(
    'and points to another service proves nothing about bound deployments (H27)',
    { started: false, deployments: [LIVE, { name: 'x' }] },
    async (w) => {
      ofCluster(w);
      w.start();
      w.apply(image(1));
      await w.pass(60);
      w.service.act({ kind: 'delete', deployment: AGENT });
      w.connect(ELSEWHERE);
      await w.pass(300);
      expect(w.state()).toBe(CHANGED);
    },
  );
});
