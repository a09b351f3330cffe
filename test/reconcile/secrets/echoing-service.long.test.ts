import { expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import type { PlannedFault } from '../../../src/simulator/faults/scenario.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const SECRET = 'deploy-secret-9876';
const CREDENTIAL = 'conn-key-5555';
const SPELLINGS = [SECRET, encodeURIComponent(`${SECRET}/`), Buffer.from(SECRET).toString('base64')].join(
  ' ',
);
const ECHO = `env S=${SPELLINGS} is bad; your key ${CREDENTIAL}`;
const HEADERS = {
  sunset: ECHO,
  deprecation: CREDENTIAL,
  'content-type': `text/${CREDENTIAL}`,
  location: `https://elsewhere.example.com/?key=${CREDENTIAL}&env=${SECRET}`,
  'www-authenticate': `Key ${CREDENTIAL}`,
};
const GIVEN = {
  deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
  semantics: { rollout: { kind: 'after' as const, seconds: 0 } },
};

/** Creates a resource with a secret, through a connection of either kind whose credential is also a secret. */
async function served(w: World, kind: 'Connection' | 'ClusterConnection'): Promise<void> {
  w.putSecret('service', { key: CREDENTIAL });
  w.putSecret('dms-operator/service', { key: CREDENTIAL });
  w.putSecret('app', { token: SECRET });
  const headers = [{ name: 'X-Api-Key', valueFrom: { secretKeyRef: { name: 'service', key: 'key' } } }];
  if (kind === 'Connection') w.connect({ headers });
  else {
    w.disconnect();
    w.connectCluster({ headers, namespaceSelector: {} });
  }
  apply(w, 1);
  await w.pass(120);
  expect(w.condition('Synced')).toBe('True/InSync');
}

function apply(w: World, version: number, more: Partial<DeploymentSpec> = {}): void {
  w.apply({
    ...more,
    sourceRevisionConfig: { imageURI: `registry.example.com/agent:${version}` },
    secretsOwnership: 'Exclusive',
    secrets: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'app', key: 'token' } } }],
  });
}

/** Returns everything visible to a user without read access to Secrets. */
function seen(w: World): string {
  const connections = w.connections.list().map(({ status }) => status);
  const lines = w.logger.lines.map((line) => JSON.stringify(line));
  return JSON.stringify([w.statusWrites, connections, w.events.all, lines]);
}

function expectNothingRepeated(w: World): void {
  const text = seen(w);
  for (const value of [SECRET, CREDENTIAL, Buffer.from(SECRET).toString('base64')])
    expect(text).not.toContain(value);
}

const answers = (status: number, body: unknown): PlannedFault['fault'] => ({
  kind: 'status',
  status,
  headers: HEADERS,
  body: JSON.stringify(body),
});

const BODIES = {
  'a text': { detail: ECHO },
  'a problem': { detail: [{ loc: ['body', 'secrets', 0], msg: ECHO, type: 'value_error' }] },
};

for (const kind of ['Connection', 'ClusterConnection'] as const) {
  for (const [what, body] of Object.entries(BODIES)) {
    scenario(
      `the output through a ${kind} exposes no repeated value: every answer is ${what} (H17)`,
      GIVEN,
      async (w) => {
        await served(w, kind);
        let version = 1;
        for (const status of [500, 401, 302, 429, 403, 404, 400, 422]) {
          for (const operation of ['list', 'get', 'patch', 'providers'] as const) {
            w.fault(answers(status, body), { match: { operation }, times: 3 });
            version += 1;
            apply(w, version);
            await w.pass(120);
          }
        }
        await w.pass(1_200);
        w.service.faults.clear();
        apply(w, version + 1);
        await w.pass(600);
        expectNothingRepeated(w);
        expect(seen(w)).toContain('was answered with 422');
        expect(w.condition('Synced')).toBe('True/InSync');
      },
    );
  }

  scenario(
    `nothing that a service repeats is shown through a ${kind}: fields of the deployment (H17)`,
    GIVEN,
    async (w) => {
      await served(w, kind);
      w.editAtService('image_version', `built with ${SECRET} by ${CREDENTIAL}`);
      w.editAtService('source_revision_config.repo_ref', `branch-${SECRET}`);
      w.editAtService('source_config.custom_url', `https://example.com/${SECRET}`);
      await w.pass(300);
      expectNothingRepeated(w);
      expect(w.status().imageVersion).toBe('built with [redacted] by [redacted]');
      const writes = w.statusWrites.length;
      await w.pass(600);
      expect(w.statusWrites.length - writes, 'a status that hides something is at rest too').toBe(0);
    },
  );

  scenario(
    `what was hidden through a ${kind} stays hidden when its Secret or the resource goes (H17)`,
    GIVEN,
    async (w) => {
      await served(w, kind);
      w.editAtService('image_version', `built with ${SECRET} by ${CREDENTIAL}`);
      w.editAtService('source_revision_config.repo_ref', `branch-${SECRET}`);
      await w.pass(300);
      w.removeSecret('app');
      await w.pass(600);
      expect(w.condition('Synced')).toBe('False/SecretMissing');
      expect(w.status().imageVersion).toBe('built with [redacted] by [redacted]');
      w.putSecret('app', { token: SECRET });
      await w.pass(120);
      expect(w.condition('Synced')).toBe('True/InSync');
      w.removeSecret('app');
      w.fault(answers(500, { detail: ECHO }), { match: { operation: 'delete' }, times: 5 });
      apply(w, 1, { deletionPolicy: 'Delete' });
      await w.pass(30);
      w.store.remove(keyOf(AGENT));
      await w.pass(1_200);
      expectNothingRepeated(w);
      w.service.faults.clear();
      await w.pass(1_200);
    },
  );

  scenario(
    `a resource that is deleted through a ${kind} shows nothing new of its secrets (H17)`,
    GIVEN,
    async (w) => {
      await served(w, kind);
      apply(w, 1, { deletionPolicy: 'Delete' });
      await w.pass(30);
      w.fault(answers(409, { detail: ECHO }), { match: { operation: 'delete' }, times: 0 });
      w.store.remove(keyOf(AGENT));
      await w.pass(30);
      w.editAtService('image_version', `built with ${SECRET} by ${CREDENTIAL}`);
      await w.pass(600);
      expect(w.state()).toMatch(/Deleting|Rejected/);
      expectNothingRepeated(w);
      w.service.faults.clear();
      await w.pass(1_200);
      expectNothingRepeated(w);
    },
  );

  scenario(
    `nothing that a service repeats is shown through a ${kind}: everything else that it lists (H17)`,
    GIVEN,
    async (w) => {
      await served(w, kind);
      const text = `by ${SECRET} with ${CREDENTIAL}`;
      const item = {
        ...w.shown(),
        status: text,
        created_at: text,
        updated_at: text,
        [CREDENTIAL]: 1,
        [SECRET]: 1,
      };
      const broken = {
        id: 'broken',
        name: 7,
        source_config: { [CREDENTIAL]: { [SECRET]: { ['__proto__x']: 1 } } },
      };
      const provider = {
        ...{ id: CREDENTIAL, organization_id: 'o', provider_id: CREDENTIAL, name: `by ${CREDENTIAL}` },
        ...{ client_id: 'c', auth_url: CREDENTIAL, token_url: CREDENTIAL, provider_type: CREDENTIAL },
      };
      const list = { resources: [item, broken], offset: 2 };
      w.fault(answers(200, list), { match: { operation: 'list' }, times: 0 });
      w.fault(answers(200, [provider]), { match: { operation: 'providers' }, times: 0 });
      await w.pass(1_200);
      expectNothingRepeated(w);
      expect(w.status().serviceStatus).toBe('by [redacted] with [redacted]');
      w.service.faults.clear();
      await w.pass(600);
    },
  );

  scenario(
    `a provider that is missing behind a ${kind} is named by the spec alone (H17)`,
    GIVEN,
    async (w) => {
      await served(w, kind);
      const provider = {
        ...{ id: 'p', organization_id: 'o', provider_id: `google ${CREDENTIAL}`, name: CREDENTIAL },
        ...{ client_id: 'c', auth_url: ECHO, token_url: ECHO, provider_type: CREDENTIAL },
      };
      const required = { requiredOAuthProviders: ['github'] };
      w.fault(answers(200, [provider]), { match: { operation: 'providers' }, times: 0 });
      apply(w, 2, required);
      await w.pass(900);
      expect(w.condition('Synced')).toBe('False/ProviderMissing');
      expect(w.message()).toBe('OAuth providers github: the service does not list them');
      for (const status of [500, 403, 404]) {
        w.service.faults.clear();
        w.fault(answers(status, { detail: ECHO }), { match: { operation: 'providers' }, times: 0 });
        apply(w, status, required);
        await w.pass(900);
        expect(w.condition('Synced')).toBe('False/ProviderMissing');
        expect(w.message()).toMatch(
          /^OAuth providers github: the service did not list its providers \([A-Za-z]+\)$/,
        );
      }
      expectNothingRepeated(w);
      w.service.faults.clear();
      apply(w, 1);
      await w.pass(600);
    },
  );
}
