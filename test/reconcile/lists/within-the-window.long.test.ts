import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { scenario } from '../support/scenario.ts';
import { listsShow } from '../support/shaped-answers.ts';
import { AGENT, type World } from '../support/world.ts';

const LIVE = {
  name: AGENT,
  sourceConfig: { build_on_push: true, custom_url: 'https://one.example.com' },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const spec = (url: string, tag: number): Partial<DeploymentSpec> => ({
  sourceConfig: { customURL: `https://${url}.example.com` },
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
});
const url = (w: World): unknown => (w.kept().content.sourceConfig as { custom_url?: unknown }).custom_url;

/** Sends a second write, after which another client empties the URL following this delay. */
async function emptiedAfterAWrite(w: World, next: Partial<DeploymentSpec>, seconds: number): Promise<void> {
  w.apply(spec('one', 1));
  await w.pass(200);
  w.apply(next);
  await w.pass(seconds);
  w.editAtService('source_config.custom_url', null);
}

describe('a field that another client empties after our write', () => {
  for (const [unset, afterSeconds, seconds] of [
    ['absent', 5, 20],
    ['absent', 30, 20],
    ['absent', 70, 20],
    ['absent', 115, 20],
    ['absent', 400, 1500],
    ['null', 5, 20],
    ['null', 70, 20],
  ] as const) {
    scenario(
      `of it is restored, ${afterSeconds} s later with a rollout of ${seconds} s, and shown as ${unset} (B4)`,
      { deployments: [LIVE], semantics: { unset, rollout: { kind: 'after', seconds } } },
      async (w) => {
        w.apply(spec('one', 1));
        await w.pass(200);
        w.apply(spec('two', 2));
        await w.pass(afterSeconds);
        w.editAtService('source_config.custom_url', null);
        await w.pass(seconds > 1000 ? 1800 : 200);
        expect(url(w)).toBe('https://two.example.com');
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.events.reasons()).toContain('DriftCorrected');
      },
    );
  }

  scenario(
    'that lists never show stays unknown, and nothing is sent (N31)',
    { deployments: [LIVE] },
    async (w) => {
      listsShow(w, (shown) => {
        delete shown.source_config['custom_url'];
      });
      w.apply(spec('one', 1));
      await w.pass(200);
      w.apply(spec('two', 2));
      await w.pass(70);
      w.editAtService('source_config.custom_url', null);
      await w.pass(900);
      expect(w.patches()).toHaveLength(2);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  for (const afterSeconds of [5, 20, 45]) {
    scenario(
      `of another field is restored when the window of that write is over, ${afterSeconds} s later (K14)`,
      { deployments: [LIVE] },
      async (w) => {
        await emptiedAfterAWrite(w, spec('one', 2), afterSeconds);
        await w.pass(80 - afterSeconds);
        expect(url(w)).toBe('https://one.example.com');
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }

  for (const [what, next, afterSeconds] of [
    ['of it', spec('two', 2), 5],
    ['of it', spec('two', 2), 20],
    ['of another field', spec('one', 2), 5],
    ['of another field', spec('one', 2), 20],
    ['of another field', spec('one', 2), 45],
  ] as const) {
    scenario(
      `${what} is restored after the window of that write, ${afterSeconds} s later, without a sweep (K14)`,
      { deployments: [LIVE], connection: { poll: { intervalSeconds: 3600 } } },
      async (w) => {
        await emptiedAfterAWrite(w, next, afterSeconds);
        await w.pass(100 - afterSeconds);
        expect(url(w)).toBe(next.sourceConfig?.customURL);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }
});

describe('a resource at rest after an edit', () => {
  scenario(
    'is read once more when the window is over, and then left to the sweeps (K14)',
    { deployments: [LIVE], connection: { poll: { intervalSeconds: 3600 } } },
    async (w) => {
      w.apply(spec('one', 1));
      await w.pass(200);
      w.apply(spec('two', 2));
      await w.pass(40);
      const since = w.service.log.requests('list').length;
      await w.pass(300);
      const looks = w.service.log.requests('list').length - since;
      expect(looks).toBeGreaterThanOrEqual(1);
      expect(looks).toBeLessThanOrEqual(2);
    },
  );
});

describe('a value that the service ignores', () => {
  scenario(
    'and that no read ever showed is reported, if lists show the field of another deployment',
    {
      deployments: [
        { name: AGENT },
        { name: 'other', sourceConfig: { custom_url: 'https://other.example.com' } },
      ],
      semantics: { fieldRules: { 'source_config.custom_url': 'ignored' } },
    },
    async (w) => {
      w.apply({ sourceConfig: { customURL: 'https://agent.example.com' } });
      await w.pass(600);
      expect(w.condition('Synced')).toBe('False/NotConverging');
      expect(w.patches()).toHaveLength(2);
    },
  );

  for (const hidden of [false, true]) {
    scenario(
      `is reported, if lists ${hidden ? 'do not show' : 'show'} the field (B6)`,
      {
        deployments: [
          {
            name: AGENT,
            sourceConfig: {
              build_on_push: true,
              listener_config: { k8s_namespace: 'ns1' },
              install_command: 'npm ci',
            },
          },
          { name: 'other', sourceConfig: { install_command: 'npm ci' } },
        ],
        semantics: {
          fieldRules: {
            'source_config.listener_config': 'ignored',
            'source_config.install_command': 'ignored',
          },
        },
      },
      async (w) => {
        if (hidden)
          listsShow(w, ({ source_config }) => {
            delete source_config['listener_config'];
            delete source_config['install_command'];
          });
        w.apply({
          sourceConfig: { buildOnPush: true, listenerConfig: { k8sNamespace: 'ns2' } },
        });
        w.apply(
          { deploymentRef: { name: 'other' }, sourceConfig: { installCommand: 'npm ci --omit=dev' } },
          'other',
        );
        await w.pass(30);
        expect(w.condition('Synced')).not.toBe('True/InSync');
        await w.pass(400);
        expect(w.condition('Synced')).toBe('False/ImmutableFieldChanged');
        expect(w.condition('Synced', 'other')).toBe('False/NotConverging');
        w.restart();
        await w.pass(900);
        expect(w.condition('Synced')).toBe('False/ImmutableFieldChanged');
        expect(w.condition('Synced', 'other')).toBe('False/NotConverging');
        expect(w.patches()).toHaveLength(3);
        w.apply({ sourceConfig: { buildOnPush: true, listenerConfig: { k8sNamespace: 'ns1' } } });
        await w.pass(100);
        expect(w.condition('Synced')).toBe('True/InSync');
      },
    );
  }
});

describe('a write that never arrived', () => {
  scenario(
    'is not proven by the revision of another client that empties its field meanwhile: it is sent once more',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(spec('one', 1));
      await w.pass(200);
      w.fault({ kind: 'hang' });
      w.apply(spec('one', 2));
      await w.pass(1);
      w.editAtService('source_revision_config.image_uri', null);
      await w.pass(400);
      expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:2' });
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

scenario(
  'and a list from before it with unmanaged secrets delay nothing within its window',
  { deployments: [LIVE], semantics: { trigger: 'never' }, connection: { poll: { intervalSeconds: 5 } } },
  async (w) => {
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'token' } };
    w.apply({ secretsOwnership: 'Exclusive', secrets: [{ name: 'API_TOKEN', valueFrom }] });
    await w.pass(200);
    w.apply({ ...spec('one', 2), secrets: [{ name: 'API_TOKEN', valueFrom }] });
    await w.pass(10);
    let stale = true;
    listsShow(w, (shown) => {
      if (stale) Object.assign(shown, { secrets: [{ name: 'BY_HAND', value: '***' }] });
    });
    await w.pass(20);
    stale = false;
    await w.pass(200);
    expect(w.events.reasons()).not.toContain('UnmanagedSecretsPresent');
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.patches()).toHaveLength(2);
  },
);
