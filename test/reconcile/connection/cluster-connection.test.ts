import { describe, expect, test } from 'vitest';
import type { ClusterConnectionSpec } from '../../../src/api/connection.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import { AGENT, NAMESPACE, World } from '../support/world.ts';

const DEFAULT = { kind: 'ClusterConnection', namespace: '', name: 'default' } as const;
const SELECTED = { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } };
const OTHERS = { matchLabels: { 'kubernetes.io/metadata.name': 'team-b' } };
const IMAGE = 'registry.example.com/agent:2';

function share(w: World, spec: Partial<ClusterConnectionSpec>): void {
  w.connections.apply({
    apiVersion: API_VERSION,
    kind: 'ClusterConnection',
    metadata: { name: 'default' },
    spec: { baseURL: 'https://dms.example.com/api', rateLimit: NO_RATE_LIMIT, ...spec },
  });
}

/** Returns a world with a ClusterConnection instead of the Connection. */
function shared(spec: Partial<ClusterConnectionSpec>): World {
  const w = new World({ started: false });
  w.connections.remove({ kind: 'Connection', namespace: NAMESPACE, name: 'default' });
  share(w, spec);
  w.start();
  w.apply({ sourceRevisionConfig: { imageURI: IMAGE } });
  return w;
}

describe('a ClusterConnection named default', () => {
  test('serves resources without a Connection of their own, if it selects their namespace', async () => {
    const w = shared({ namespaceSelector: SELECTED });
    await w.pass(60);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.status().binding).toMatchObject({
      connectionKind: 'ClusterConnection',
      connectionName: 'default',
    });
    expect(w.connections.peek(DEFAULT)?.status?.deployments).toEqual({ total: 1, managed: 1 });
  });

  test('reports when its allowed names let a namespace bind a deployment of another namespace', async () => {
    const w = shared({ namespaceSelector: SELECTED, allowedNames: ['*', '{namespace}-*'] });
    await w.pass(60);
    const message = (): string | undefined => w.connections.peek(DEFAULT)?.status?.conditions?.[0]?.message;
    expect(message()).toBe(
      'the service lists 1 deployment; ' +
        'spec.allowedNames[1] lets a namespace such as team bind what is meant for team-a',
    );
    share(w, { namespaceSelector: SELECTED, allowedNames: ['*', '{namespace}.*'] });
    await w.pass(60);
    expect(message()).toBe('the service lists 1 deployment');
  });

  test.each([
    ['selects no namespace', {}],
    ['selects other namespaces', { namespaceSelector: OTHERS }],
  ])('is not used if it %s, and counts only resources that it serves', async (_, spec) => {
    const w = shared(spec);
    await w.pass(60);
    expect(w.state()).toBe('Unknown/ConnectionNotFound Unknown/ConnectionNotFound');
    expect(w.message()).toBe(
      'there is no Connection default and ClusterConnection default does not select namespace team-a',
    );
    expect(w.patches()).toEqual([]);
    expect(w.connections.peek(DEFAULT)?.status?.deployments).toEqual({ total: 1, managed: 0 });
  });

  test('that cannot be used says nothing about itself to those it does not serve', async () => {
    const valueFrom = { secretKeyRef: { name: 'internal-name', key: 'key' } };
    const w = shared({ namespaceSelector: OTHERS, headers: [{ name: 'X-Api-Key', valueFrom }] });
    await w.pass(60);
    expect(w.condition('Synced')).toBe('Unknown/ConnectionNotFound');
    expect(JSON.stringify(w.status())).not.toContain('internal-name');
  });

  test('is withdrawn and granted within seconds', async () => {
    const w = shared({ namespaceSelector: SELECTED });
    await w.pass(60);
    share(w, { namespaceSelector: OTHERS });
    await w.pass(3);
    expect(w.condition('Synced')).toBe('Unknown/ConnectionNotFound');
    w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand');
    await w.pass(120);
    expect(w.patches(), 'what is not served is not written to').toHaveLength(1);
    share(w, { namespaceSelector: {} });
    await w.pass(60);
    expect(w.patches()).toHaveLength(2);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  test('that is deleted is reported to every resource, regardless of its selector', async () => {
    const w = shared({ namespaceSelector: SELECTED });
    await w.pass(60);
    w.connections.remove(DEFAULT);
    await w.pass(3);
    expect(w.message()).toBe('there is no Connection default and there is no ClusterConnection default');
  });
});

describe('the names that a ClusterConnection allows', () => {
  test('apply when they change, and nothing is exposed or written before', async () => {
    const w = shared({ namespaceSelector: {}, allowedNames: ['{namespace}-*'] });
    await w.pass(60);
    expect(w.state()).toBe('False/NameNotAllowed Unknown/NameNotAllowed');
    expect(w.status().deploymentID).toBeUndefined();
    expect(w.patches()).toEqual([]);
    share(w, { namespaceSelector: {}, allowedNames: ['{namespace}-*', AGENT] });
    await w.pass(60);
    expect(w.state()).toBe('True/InSync True/Active');
    share(w, { namespaceSelector: {}, allowedNames: ['{namespace}-*'] });
    await w.pass(3);
    expect(w.condition('Synced')).toBe('False/NameNotAllowed');
  });

  test('apply to creations', async () => {
    const w = shared({ namespaceSelector: {}, allowedNames: ['{namespace}-*'] });
    w.apply({ creation: { policy: 'IfMissing' } }, 'unheard-of');
    w.apply({ creation: { policy: 'IfMissing' } }, `${NAMESPACE}-new`);
    await w.pass(120);
    expect(w.condition('Synced', 'unheard-of')).toBe('False/NameNotAllowed');
    expect(w.service.log.requests('create').map(({ body }) => body)).toMatchObject([
      { name: `${NAMESPACE}-new` },
    ]);
  });
});
