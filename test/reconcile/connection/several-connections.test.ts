import { describe, expect } from 'vitest';
import { keyOf } from '../../../src/api/metadata.ts';
import { scenario } from '../support/scenario.ts';

const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } };
const OTHER = { matchLabels: { 'kubernetes.io/metadata.name': 'team-c' } };
const THREE = ['a', 'b', 'c'].map((name) => ({ name }));

describe('resources in several namespaces', () => {
  scenario('use the connection that each of them refers to', { deployments: THREE }, async (w) => {
    w.connect({}, 'team-b/default');
    w.connectCluster({ namespaceSelector: OTHER });
    for (const name of ['a', 'team-b/b', 'team-c/c']) w.apply(IMAGE, name);
    await w.pass(60);
    for (const name of ['a', 'team-b/b', 'team-c/c']) expect(w.state(name)).toBe('True/InSync True/Active');
    expect(w.status('team-b/b').binding).toMatchObject({
      connectionKind: 'Connection',
      connectionNamespace: 'team-b',
    });
    expect(w.status('team-c/c').binding).toMatchObject({ connectionKind: 'ClusterConnection' });
    expect(w.connectionStatus('team-b/default').deployments).toEqual({ total: 3, managed: 1 });
    expect(w.clusterConnectionStatus().deployments).toEqual({ total: 3, managed: 1 });
    expect([w.connectionState(), w.connectionState('team-b/default'), w.clusterConnectionState()]).toEqual([
      'True/Ok',
      'True/Ok',
      'True/Ok',
    ]);
  });

  scenario('are distinct even with equal names', { deployments: THREE }, async (w) => {
    w.connect({}, 'team-b/default');
    w.apply({ ...IMAGE, deploymentRef: { name: 'a' } }, 'same');
    w.apply({ ...IMAGE, deploymentRef: { name: 'b' } }, 'team-b/same');
    await w.pass(60);
    expect(w.status('same').deploymentID).toBe(w.kept('a').id);
    expect(w.status('team-b/same').deploymentID).toBe(w.kept('b').id);
    w.disconnect('team-b/default');
    await w.pass(900);
    expect(w.state('same')).toBe('True/InSync True/Active');
    expect(w.condition('Synced', 'team-b/same')).toBe('Unknown/ConnectionNotFound');
  });

  scenario('are written behind a slow API server with conflicting writers', {}, async (w) => {
    w.slowWrites(5, { operation: 'announce', name: 'support-agent' });
    w.conflicts(3);
    w.apply(IMAGE);
    await w.pass(120);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.patches()).toHaveLength(1);
  });
});

describe('the number of resources that a connection shows', () => {
  scenario('is current within two poll intervals', { deployments: THREE }, async (w) => {
    await w.pass(90);
    expect(w.connectionStatus().deployments).toEqual({ total: 3, managed: 0 });
    for (const name of ['a', 'b']) w.apply(IMAGE, name);
    await w.pass(120);
    expect(w.connectionStatus().deployments).toEqual({ total: 3, managed: 2 });
    w.store.remove(keyOf(w.resource('b')));
    await w.pass(120);
    expect(w.connectionStatus().deployments).toEqual({ total: 3, managed: 1 });
  });
});
