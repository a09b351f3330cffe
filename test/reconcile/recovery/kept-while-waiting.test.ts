import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const TOKEN = [
  { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } },
] as const;
const ASSUME = { 'dms-operator.dev/assume-applied': 'moved here' };

/** Returns the number of PATCHes with secrets since a position. */
function withSecrets(w: World, since = 0): number {
  return w.bodies().filter((body, n) => n >= since && JSON.stringify(body).includes('"secrets"')).length;
}

describe('the findings of a pass are kept', () => {
  for (const ending of ['a correction that waits for the rollout', 'a correction at once'] as const) {
    scenario(
      `when a rotation of unknown outcome is proven beside ${ending}: it is not sent twice (H39, H54)`,
      {
        deployments: [LIVE],
        semantics: {
          secretsEcho: 'stars',
          rollout: { kind: 'after', seconds: ending === 'a correction at once' ? 0 : 120 },
        },
      },
      async (w) => {
        w.putSecret('agent-secrets', { token: 'the-first-token-value' });
        w.apply({
          secretsOwnership: 'Exclusive',
          sourceConfig: { customURL: 'https://mine.example.com' },
          secrets: TOKEN,
        });
        await w.pass(900);
        expect(w.state()).toBe('True/InSync True/Active');
        const before = w.patches().length;
        w.fault({ kind: 'apply-then-fail', how: 'reset' });
        w.service.actions.add({
          match: { operation: 'patch' },
          action: {
            kind: 'edit',
            deployment: AGENT,
            path: 'source_config.custom_url',
            value: 'https://theirs.example.com',
          },
          times: 1,
        });
        w.putSecret('agent-secrets', { token: 'the-second-token-value' });
        await w.pass(900);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(withSecrets(w, before)).toBe(1);
        expect(w.kept().content.sourceConfig).toEqual({ custom_url: 'https://mine.example.com' });
      },
    );
  }

  scenario(
    'when a rotation is proven while another change waits for approval: the plan does not request it again',
    { deployments: [LIVE], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      const spec = {
        approval: 'Manual',
        secretsOwnership: 'Exclusive',
        ...image(1),
        secrets: TOKEN,
      } as const;
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply(spec);
      await w.pass(30);
      w.annotate('approve', w.status().plan?.hash ?? '');
      await w.pass(300);
      expect(w.state()).toBe('True/InSync True/Active');
      w.putSecret('agent-secrets', { token: 'the-second-token-value' });
      await w.pass(30);
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      w.moments.leaving = ({ method }) => {
        if (method === 'PATCH') w.apply({ ...spec, sourceConfig: { buildOnPush: true } });
      };
      w.annotate('approve', w.status().plan?.hash ?? '');
      await w.pass(300);
      expect(w.condition('Synced')).toBe('False/AwaitingApproval');
      expect(w.status().plan?.changes.map(({ path }) => path)).toEqual(['sourceConfig.buildOnPush']);
    },
  );

  const MASKED = {
    deployments: [{ ...LIVE, secrets: [{ name: 'API_TOKEN', value: 'set-by-hand-there' }] }],
    semantics: { secretsEcho: 'stars' },
  } as const;

  scenario('when secrets are assumed as applied and the rest waits for approval', MASKED, async (w) => {
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    w.apply({ ...image(2), approval: 'Manual', secrets: TOKEN }, AGENT, ASSUME);
    await w.pass(30);
    w.resync();
    await w.pass(30);
    w.annotate('approve', w.status().plan?.hash ?? '');
    await w.pass(90);
    expect(w.bodies()).toEqual([{ source_revision_config: { image_uri: 'registry.example.com/agent:2' } }]);
  });

  for (const [what, fault] of [
    ['is refused for now', { kind: 'status', status: 409 }],
    ['gets no answer', { kind: 'apply-then-fail', how: 'reset' }],
    ['is answered with nothing', { kind: 'status', status: 204, body: '' }],
  ] as const) {
    scenario(`when secrets are assumed as applied and the rest ${what}`, MASKED, async (w) => {
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.fault(fault);
      w.apply({ ...image(2), secrets: TOKEN }, AGENT, ASSUME);
      await w.pass(300);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(withSecrets(w)).toBe(0);
    });
  }

  scenario(
    'when secrets are to be adopted as applied and the first read finds no deployment',
    { ...MASKED, started: false },
    async (w) => {
      const empty = '{"resources":[],"offset":0}';
      const headers = { 'content-type': 'application/json' };
      const nothing = { kind: 'status', status: 200, headers, body: empty } as const;
      w.fault(nothing, { match: { operation: 'list' }, times: 2 });
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply({ ...image(2), secrets: TOKEN }, AGENT, ASSUME);
      w.start();
      await w.pass(900);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(withSecrets(w)).toBe(0);
    },
  );

  scenario(
    'when a value is rounded late beside a field that is sent once more: it is not drift (H36)',
    {
      deployments: [{ ...LIVE, sourceConfig: { custom_url: 'https://by-hand.example.com' } }],
      semantics: { fieldRules: { 'source_config.custom_url': 'ignored' } },
    },
    async (w) => {
      w.apply({ sourceConfig: { customURL: 'https://mine.example.com', resourceSpec: { cpu: 0.25 } } });
      await w.pass(25);
      w.editAtService('source_config.resource_spec.cpu', 0.3);
      await w.pass(1200);
      expect(w.condition('Synced')).toBe('False/NotConverging');
      expect(w.bodies().filter((body) => JSON.stringify(body).includes('cpu'))).toHaveLength(1);
    },
  );
});
