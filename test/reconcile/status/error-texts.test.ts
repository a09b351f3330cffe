import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };

const from = (key: string, name = 'agent-secrets') => ({ valueFrom: { secretKeyRef: { name, key } } });
const TOKEN = { name: 'API_TOKEN', ...from('token') };
const PASSWORD = 'hunter2-credential';
const ENV = { resourceSpec: { sidecars: [{ name: 's', env: [{ name: 'DB_PASSWORD', value: PASSWORD }] }] } };

/** Refuses the next write with this text. */
function refuse(w: World, detail: string, operation: 'patch' | 'create' | 'delete' = 'patch'): void {
  const fault = { kind: 'status', status: 422, body: JSON.stringify({ detail }) } as const;
  w.service.faults.add({ match: { operation }, fault });
}

describe('an error text', () => {
  scenario(
    'with the environment of a container exposes no value (H50)',
    { deployments: [LIVE] },
    async (w) => {
      w.secretTexts.add(PASSWORD);
      refuse(w, `invalid sidecar {"name":"s","env":[{"name":"DB_PASSWORD","value":"${PASSWORD}"}]}`);
      w.apply({ ...image(1), sourceConfig: ENV });
      await w.pass(60);
      expect(w.message()).toContain('"name":"DB_PASSWORD","value":"[redacted]"');
    },
  );

  scenario(
    'with an environment known only to the service exposes no value (H50)',
    {
      deployments: [
        { ...LIVE, sourceConfig: { resource_spec: { init_containers: ENV.resourceSpec.sidecars } } },
      ],
    },
    async (w) => {
      w.secretTexts.add(PASSWORD);
      refuse(w, `init container refused: ${PASSWORD}`);
      w.apply(image(2));
      await w.pass(60);
      expect(w.message()).toContain('init container refused: [redacted]');
    },
  );

  scenario(
    'exposes no secret that the request does not carry (N69, H18)',
    { deployments: [LIVE, SEEN], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply({ ...image(1), secrets: [TOKEN] });
      await w.pass(60);
      refuse(w, 'build failed with API_TOKEN=the-first-token-value');
      w.apply({ ...image(2), secrets: [TOKEN] });
      await w.pass(60);
      expect(w.message()).toContain('build failed with API_TOKEN=[redacted]');
    },
  );

  scenario(
    'exposes no secret of a set that is withheld because another secret is missing (N69, H19)',
    { deployments: [LIVE, SEEN], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      refuse(w, 'build failed with API_TOKEN=the-first-token-value');
      w.apply({ ...image(2), secrets: [TOKEN, { name: 'MISSING', ...from('token', 'agent-missing') }] });
      await w.pass(60);
      expect(w.message()).toContain('build failed with API_TOKEN=[redacted]');
      w.putSecret('agent-missing', { token: 'now-it-is-there' });
      await w.pass(2400);
    },
  );

  scenario('of a creation exposes no value of an environment (H50)', { deployments: [] }, async (w) => {
    w.secretTexts.add(PASSWORD);
    refuse(w, `invalid environment: ${PASSWORD}`, 'create');
    w.apply({ ...image(1), sourceConfig: ENV, creation: { policy: 'IfMissing' } });
    await w.pass(60);
    expect(w.message()).toBe('POST was answered with 422: invalid environment: [redacted]');
  });

  scenario(
    'of a deletion exposes no value that was shown (N69)',
    { deployments: [{ ...LIVE, secrets: [{ name: 'API_TOKEN', value: 'the-first-token-value' }] }] },
    async (w) => {
      w.apply({ ...image(1), deletionPolicy: 'Delete' });
      await w.pass(60);
      refuse(w, 'in use: the-first-token-value', 'delete');
      w.store.remove({ kind: 'Deployment', namespace: 'team-a', name: AGENT });
      await w.pass(10);
      expect(w.message()).toBe('DELETE was answered with 422');
      await w.pass(2400);
    },
  );

  scenario('keeps our own words, regardless of values', { deployments: [LIVE] }, async (w) => {
    refuse(w, 'status 422 is what you get');
    const env = [{ name: 'CODE', value: '422' }];
    w.apply({ ...image(1), sourceConfig: { resourceSpec: { sidecars: [{ name: 's', env }] } } });
    await w.pass(60);
    expect(w.message()).toBe('PATCH was answered with 422: status [redacted] is what you get');
  });
});
