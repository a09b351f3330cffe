import { describe, expect } from 'vitest';
import { killAt } from '../support/crash.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };

describe('a revision of our own write', () => {
  scenario(
    'that appears late is reported as ours',
    { deployments: [LIVE], semantics: { trigger: 'delayed', triggerDelaySeconds: 40 } },
    async (w) => {
      w.apply(image(2));
      await w.pass(300);
      expect(w.events.reasons()).not.toContain('ExternalRevision');
      expect(w.status().revisions?.map(({ cause }) => cause)).toContain('Operator');
      w.become({ trigger: 'on-change' });
      w.editAtService('source_revision_config.graph_config_path', 'theirs.json');
      await w.pass(200);
      expect(w.events.reasons().filter((reason) => reason === 'ExternalRevision')).toHaveLength(1);
    },
  );

  scenario(
    'that lists show later than the write teaches nothing about a redeploy in between',
    {
      deployments: [{ ...LIVE, sourceConfig: { custom_url: 'https://theirs.example.com' } }],
      semantics: { trigger: 'delayed', triggerDelaySeconds: 5, listLag: { seconds: 20 } },
    },
    async (w) => {
      const trigger = (): unknown => w.connectionStatus().learned?.revisionTrigger?.verdict;
      w.apply({});
      await w.pass(100);
      w.apply(image(2));
      await w.pass(24);
      w.annotate('redeploy', 'one');
      await w.pass(300);
      expect(trigger()).not.toBe('Presence');
      w.become({ trigger: 'on-presence' });
      w.annotate('redeploy', 'two');
      await w.pass(300);
      expect(trigger()).toBe('Presence');
    },
  );

  for (const patchEcho of ['empty-204', 'post'] as const) {
    scenario(
      `behind a list that lags and an answer that is ${patchEcho} is reported as ours`,
      { deployments: [LIVE], semantics: { patchEcho } },
      async (w) => {
        w.apply(image(1));
        await w.pass(60);
        w.become({ listLag: { seconds: 20 } });
        w.apply(image(2));
        await w.pass(600);
        expect(w.events.reasons()).not.toContain('ExternalRevision');
        expect(w.status().revisions?.[0]).toMatchObject({ cause: 'Operator' });
      },
    );
  }

  for (const patchEcho of ['post', 'pre', 'empty-204', 'empty-202', 'sent-only'] as const) {
    scenario(
      `of the first pass, answered with ${patchEcho} before lists show it, hides the previous one`,
      { deployments: [LIVE], semantics: { patchEcho } },
      async (w) => {
        await w.pass(60);
        w.become({ listLag: { seconds: 20 } });
        const [first] = w.kept().revisions;
        w.apply(image(2));
        await w.pass(600);
        expect(w.events.reasons()).not.toContain('ExternalRevision');
        const shown = w.statusWrites.map(({ after }) => after.latestRevisionID);
        expect(shown.slice(shown.findIndex((id) => id !== undefined && id !== first?.id))).not.toContain(
          first?.id,
        );
        expect(w.status().revisions?.map(({ cause }) => cause)).toEqual(['Operator', 'Unknown']);
        const messages = w.events.all.map(({ event }) => event.message).join('\n');
        expect(messages).not.toContain(`latest revision ${first?.id}`);
        expect(messages).not.toContain('()');
      },
    );
  }

  scenario(
    'is only one: a later revision is reported as another client’s',
    { deployments: [LIVE], semantics: { trigger: 'delayed', triggerDelaySeconds: 20 } },
    async (w) => {
      w.apply(image(2));
      await w.pass(40);
      w.become({ trigger: 'on-change' });
      w.editAtService('source_revision_config.graph_config_path', 'theirs.json');
      await w.pass(200);
      expect(w.events.reasons().filter((reason) => reason === 'ExternalRevision')).toHaveLength(1);
    },
  );

  scenario(
    'is not the origin of a value that reverts ours: that is drift, and corrected (H11)',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(2));
      await w.pass(200);
      w.become({ trigger: 'never' });
      w.apply(image(3));
      await w.pass(100);
      w.service.act({ kind: 'redeploy', deployment: AGENT, revision: 1 });
      await w.pass(400);
      expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:3' });
      expect(w.events.reasons()).toContain('DriftCorrected');
    },
  );

  for (const secretsEcho of ['stars', 'omitted'] as const) {
    scenario(
      `for a rotation with an empty answer, behind a list that lags, is reported as ours (${secretsEcho})`,
      { deployments: [LIVE], semantics: { secretsEcho, patchEcho: 'empty-204', revisionFor: 'and-secrets' } },
      async (w) => {
        w.putSecret('agent-secrets', { token: 'the-first-token-value' });
        w.apply({
          ...image(1),
          secretsOwnership: 'Exclusive',
          secrets: [
            { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } },
          ],
        });
        await w.pass(300);
        w.become({ listLag: { seconds: 20 } });
        w.putSecret('agent-secrets', { token: 'the-second-token-value' });
        await w.pass(600);
        expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: 'the-second-token-value' }]);
        expect(w.events.reasons()).not.toContain('ExternalRevision');
      },
    );
  }
});

describe('a revision of a push that follows a write without an answer', () => {
  scenario(
    'is not reported as ours, so a change by hand is not taken for the form of our value (H4)',
    {
      deployments: [
        {
          name: AGENT,
          source: 'codehost',
          sourceConfig: { resource_spec: { labels: { team: 'theirs' } } },
          revisionConfig: { repo_ref: 'main' },
        },
      ],
      semantics: { revisionFor: 'revision-config' },
    },
    async (w) => {
      w.service.act({ kind: 'push', deployment: AGENT, commit: 'b'.repeat(40), build: true });
      w.apply({ source: 'codehost', sourceConfig: {} });
      await w.pass(300);
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      w.plan(
        { kind: 'push', deployment: AGENT, commit: 'c'.repeat(40), build: true },
        { when: 'after', delaySeconds: 1 },
      );
      w.apply({ source: 'codehost', sourceConfig: { resourceSpec: { labels: { tier: 'one' } } } });
      await w.pass(10);
      expect(w.status().lastPatch).toMatchObject({ outcome: 'Verified' });
      expect(w.status().revisions?.[0]).toMatchObject({ cause: 'External', repoCommitSHA: 'c'.repeat(40) });
      expect(w.events.reasons()).toContain('ExternalRevision');
      w.editAtService('source_config.resource_spec.labels.tier', 'two');
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toMatchObject({ resource_spec: { labels: { tier: 'one' } } });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a revision of another client that a list shows before a write is announced', () => {
  scenario(
    'proves nothing about it, even if the answer to the previous write takes precedence over the list',
    {
      deployments: [
        { ...LIVE, source: 'external_container', sourceConfig: { resource_spec: { memory_mb: 512 } } },
      ],
      semantics: { listShape: ['empty-source-config'] },
    },
    async (w) => {
      w.apply({ sourceConfig: { buildCommand: 'make' } });
      await w.pass(20);
      w.service.act({ kind: 'push', deployment: AGENT, commit: 'c'.repeat(40), build: true });
      w.fault({ kind: 'wrong-type' }, { match: { operation: 'patch' } });
      w.apply({ sourceConfig: { buildCommand: 'make', resourceSpec: { cpu: 2 } } });
      await w.pass(300);
      expect(w.patches()).toHaveLength(3);
      expect(w.kept().content.sourceConfig).toMatchObject({ resource_spec: { cpu: 2 } });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a late revision of the write before', () => {
  scenario(
    'proves no secrets that a process announced and did not live to send',
    { deployments: [LIVE], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'token' } };
      const ours = { secretsOwnership: 'Exclusive', secrets: [{ name: 'TOKEN', valueFrom }] } as const;
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply({ ...image(1), ...ours });
      await w.pass(200);
      w.become({ trigger: 'delayed', triggerDelaySeconds: 40 });
      w.apply({ ...image(2), ...ours });
      await w.pass(5);
      expect(w.patches()).toHaveLength(2);
      const died = killAt(w, 'after the announcement');
      w.putSecret('agent-secrets', { token: 'the-second-token-value' });
      await w.pass(60);
      expect(died()).toBe(true);
      w.start();
      await w.pass(200);
      expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: 'the-second-token-value' }]);
      expect(w.patches()).toHaveLength(3);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'proves no secrets of a request that never arrived',
    { deployments: [LIVE], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      const ours = (value: string) =>
        ({ secretsOwnership: 'Exclusive', secrets: [{ name: 'TOKEN', value }] }) as const;
      w.apply({ ...image(1), ...ours('the-first-token-value') });
      await w.pass(200);
      w.become({ patchEcho: 'sent-only', listLag: { seconds: 20 } });
      w.apply({ ...image(2), ...ours('the-first-token-value') });
      await w.pass(5);
      w.fault({ kind: 'reset-before' }, { match: { operation: 'patch' } });
      w.apply({ ...image(2), ...ours('the-second-token-value') });
      await w.pass(300);
      expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: 'the-second-token-value' }]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'proves secrets that arrived after all, once the service has accepted them again',
    {
      deployments: [LIVE],
      semantics: { secretsEcho: 'stars', patchEcho: 'empty-204', trigger: 'delayed', triggerDelaySeconds: 5 },
    },
    async (w) => {
      const ours = (value: string) =>
        ({ secretsOwnership: 'Exclusive', secrets: [{ name: 'TOKEN', value }] }) as const;
      w.apply({ ...image(1), ...ours('the-first-token-value') });
      await w.pass(200);
      w.apply({ ...image(2), ...ours('the-first-token-value') });
      await w.pass(1);
      w.fault({ kind: 'apply-then-fail', how: 502 }, { match: { operation: 'patch' } });
      w.apply({ ...image(2), ...ours('the-second-token-value') });
      await w.pass(600);
      expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: 'the-second-token-value' }]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'does not make an accepted write doubtful: masked secrets are sent once although the answer is empty',
    {
      deployments: [LIVE],
      semantics: {
        secretsEcho: 'stars',
        patchEcho: 'empty-204',
        trigger: 'delayed',
        triggerDelaySeconds: 25,
      },
    },
    async (w) => {
      const ours = (value: string) =>
        ({ secretsOwnership: 'Exclusive', secrets: [{ name: 'TOKEN', value }] }) as const;
      w.apply({ ...image(1), ...ours('the-first-token-value') });
      await w.pass(200);
      w.apply({ ...image(2), ...ours('the-first-token-value') });
      await w.pass(5);
      const before = w.patches().length;
      w.apply({ ...image(2), ...ours('the-second-token-value') });
      await w.pass(500);
      expect(w.patches()).toHaveLength(before + 1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is not expected of a resource spec, so masked secrets are sent once although the answer is empty',
    { deployments: [LIVE], semantics: { secretsEcho: 'stars', patchEcho: 'empty-204' } },
    async (w) => {
      const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'token' } };
      const ours = { secretsOwnership: 'Exclusive', secrets: [{ name: 'TOKEN', valueFrom }] } as const;
      const withMemory = (memoryMB: number) => ({ ...ours, sourceConfig: { resourceSpec: { memoryMB } } });
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply(withMemory(512));
      await w.pass(200);
      w.apply(withMemory(1024));
      await w.pass(30);
      const before = w.patches().length;
      w.putSecret('agent-secrets', { token: 'the-second-token-value' });
      await w.pass(500);
      expect(w.patches()).toHaveLength(before + 1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a write of a branch and hidden secrets, whose answer does not show it', () => {
  const deployments = [{ name: AGENT, source: 'codehost', revisionConfig: { repo_ref: 'main' } }] as const;
  const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'token' } };
  const on = (repoRef: string) =>
    ({
      source: 'codehost',
      sourceConfig: {},
      sourceRevisionConfig: { repoRef },
      secretsOwnership: 'Exclusive',
      secrets: [{ name: 'TOKEN', valueFrom }],
    }) as const;

  const settled = async (w: World): Promise<void> => {
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    w.apply(on('main'));
    await w.pass(200);
  };
  const isKept = (w: World): void => {
    expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: 'the-second-token-value' }]);
    expect(w.state()).toBe('True/InSync True/Active');
  };

  scenario(
    'is proven by its revision, although that shows the commit of the new branch',
    { deployments, semantics: { secretsEcho: 'stars', patchEcho: 'pre' } },
    async (w) => {
      await settled(w);
      const before = w.patches().length;
      w.putSecret('agent-secrets', { token: 'the-second-token-value' });
      w.apply(on('release'));
      await w.pass(300);
      expect(w.patches()).toHaveLength(before + 1);
      expect(w.events.reasons()).not.toContain('ExternalRevision');
      isKept(w);
    },
  );

  scenario(
    'is sent again if it never arrived and somebody moved the branch by hand',
    { deployments, semantics: { secretsEcho: 'stars' } },
    async (w) => {
      await settled(w);
      w.fault({ kind: 'reset-before' }, { match: { operation: 'patch' } });
      w.putSecret('agent-secrets', { token: 'the-second-token-value' });
      w.apply(on('release'));
      await w.pass(2);
      w.editAtService('source_revision_config.repo_ref', 'release');
      await w.pass(300);
      isKept(w);
    },
  );

  scenario(
    'is sent again if it never arrived and a push to the old branch made the revision',
    { deployments, semantics: { secretsEcho: 'stars' } },
    async (w) => {
      await settled(w);
      const before = w.patches().length;
      w.fault({ kind: 'reset-before' }, { match: { operation: 'patch' } });
      w.plan(
        { kind: 'push', deployment: AGENT, commit: 'c'.repeat(40), build: true },
        { when: 'after', delaySeconds: 1 },
      );
      w.putSecret('agent-secrets', { token: 'the-second-token-value' });
      w.apply(on('release'));
      await w.pass(300);
      expect(w.patches()).toHaveLength(before + 2);
      isKept(w);
    },
  );
});
