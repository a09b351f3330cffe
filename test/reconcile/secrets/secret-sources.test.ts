import { describe, expect } from 'vitest';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, NAMESPACE, type World } from '../support/world.ts';

const IMAGE = 'registry.example.com/agent:1';
const HEADERS = [
  { name: 'X-Api-Key', valueFrom: { secretKeyRef: { name: 'service-credentials', key: 'key' } } },
];
const auth = { kind: 'header', name: 'X-Api-Key', value: 'the-right-credential' } as const;
const GIVEN = {
  deployments: [{ name: AGENT, revisionConfig: { image_uri: IMAGE } }],
  semantics: { auth },
  started: false,
};

function put(w: World, namespace: string, name: string, data: Readonly<Record<string, string>>): void {
  for (const value of Object.values(data)) w.secretTexts.add(value);
  w.secrets.put({ kind: 'Secret', namespace, name }, data);
}

describe('the Secret of a connection', () => {
  scenario('that is a ClusterConnection comes from the namespace of the operator alone', GIVEN, async (w) => {
    w.connections.remove({ kind: 'Connection', namespace: NAMESPACE, name: 'default' });
    w.connections.apply({
      apiVersion: API_VERSION,
      kind: 'ClusterConnection',
      metadata: { name: 'default' },
      spec: {
        baseURL: 'https://dms.example.com/api',
        namespaceSelector: {},
        rateLimit: NO_RATE_LIMIT,
        headers: HEADERS,
      },
    });
    put(w, NAMESPACE, 'service-credentials', { key: 'a-credential-of-the-team' });
    put(w, 'dms-operator', 'service-credentials', { key: 'the-right-credential' });
    w.start();
    w.apply({ sourceRevisionConfig: { imageURI: IMAGE } });
    await w.pass(60);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('comes from its own namespace alone', GIVEN, async (w) => {
    w.connect({ headers: HEADERS });
    put(w, 'dms-operator', 'service-credentials', { key: 'the-right-credential' });
    w.start();
    w.apply({ sourceRevisionConfig: { imageURI: IMAGE } });
    await w.pass(60);
    expect(w.connectionState()).toBe('False/SecretMissing');
    expect(w.service.log.requests()).toEqual([]);
    w.putSecret('service-credentials', { key: 'the-right-credential' });
    await w.pass(60);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});

describe('the key of the digests', () => {
  const KEY = 'dms-operator-digest-key';
  for (const [how, spec] of [
    ['by name', { secrets: [{ name: 'A', valueFrom: { secretKeyRef: { name: KEY, key: 'key' } } }] }],
    ['as a whole', { secretsFrom: [{ secretRef: { name: KEY } }] }],
  ] as const)
    scenario(`is sent nowhere, whatever a resource names: ${how}`, {}, async (w) => {
      w.putSecret(KEY, { key: 'the-key-of-every-digest' });
      w.apply({ ...spec, secretsOwnership: 'Exclusive' });
      await w.pass(60);
      expect(w.state()).toBe('False/InvalidSpec False/InvalidSpec');
      expect(w.message()).toBe(`the spec names Secret ${KEY}, which belongs to the controller alone`);
      expect(w.patches()).toEqual([]);
    });
});
