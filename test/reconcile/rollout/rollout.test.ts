import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };

async function edited(w: World, tag: number, seconds: number): Promise<number> {
  const writes = w.statusWrites.length;
  w.apply(image(tag));
  await w.pass(seconds);
  return writes;
}

describe('a rollout', () => {
  scenario(
    'is followed to active with two status writes for the edit and one for active',
    { deployments: [LIVE], semantics: { rollout: { kind: 'after', seconds: 120 } } },
    async (w) => {
      await edited(w, 1, 30);
      const writes = await edited(w, 2, 60);
      expect(w.state()).toBe('True/InSync False/RolloutInProgress');
      expect(w.condition('Reconciling')).toBe('True/RolloutInProgress');
      await w.pass(75);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.condition('Reconciling')).toBeUndefined();
      await w.pass(120);
      expect(w.statusStory(writes)).toEqual([
        'announce Pending Pending',
        'saveStatus InSync RolloutInProgress',
        'saveStatus InSync Active',
      ]);
      expect(w.status().revisions?.[0]).toMatchObject({ generation: 2, cause: 'Operator' });
      expect(w.status().revisions?.[0]?.activeTime).toBeDefined();
      expect(w.status().rolloutStartedTime).toBeUndefined();
    },
  );

  scenario(
    'is polled at the rollout interval, not at the steady one',
    { deployments: [LIVE], semantics: { rollout: { kind: 'after', seconds: 120 } } },
    async (w) => {
      await edited(w, 1, 30);
      await edited(w, 2, 5);
      const before = w.service.log.count('list');
      await w.pass(60);
      expect(w.service.log.count('list') - before).toBeGreaterThanOrEqual(5);
      await w.pass(120);
      const later = w.service.log.count('list');
      await w.pass(60);
      expect(w.service.log.count('list') - later).toBeLessThanOrEqual(3);
    },
  );

  scenario(
    'that misses its deadline is told, an older revision still serves, and nothing is sent again (H9)',
    { deployments: [LIVE], semantics: { rollout: { kind: 'never-active' } } },
    async (w) => {
      await edited(w, 1, 30);
      await edited(w, 2, 1700);
      expect(w.state()).toBe('True/InSync False/RolloutInProgress');
      await w.pass(200);
      expect(w.state()).toBe('True/InSync False/DeadlineExceeded');
      expect(w.condition('Stalled')).toBe('True/DeadlineExceeded');
      expect(w.events.reasons()).toContain('DeadlineExceeded');
      const ready = w.status().conditions?.find(({ type }) => type === 'Ready');
      expect(ready?.message).toContain(
        `${JSON.stringify(w.shown()['active_revision_id']).slice(1, -1)} still serves`,
      );
      await w.pass(4000);
      expect(w.patches()).toHaveLength(1);
    },
  );

  scenario(
    'keeps its deadline beside an edit that makes no revision, and whose answer shows none (H9)',
    { deployments: [LIVE], semantics: { rollout: { kind: 'never-active' }, patchEcho: 'sent-only' } },
    async (w) => {
      await edited(w, 1, 30);
      await edited(w, 2, 1000);
      w.apply({ ...image(2), sourceConfig: { customURL: 'https://agent.example.com' } });
      await w.pass(60);
      expect(w.patches()).toHaveLength(2);
      expect(w.condition('Ready')).toBe('False/RolloutInProgress');
      await w.pass(840);
      expect(w.condition('Ready')).toBe('False/DeadlineExceeded');
    },
  );

  scenario(
    'that missed its deadline is retried by a changed redeploy annotation, once (H9, H57)',
    { deployments: [LIVE], semantics: { rollout: { kind: 'fails' }, trigger: 'on-presence' } },
    async (w) => {
      w.apply({ ...image(1), rollout: { deadlineSeconds: 60 } });
      await w.pass(30);
      w.apply({ ...image(2), rollout: { deadlineSeconds: 60 } });
      await w.pass(120);
      expect(w.condition('Ready')).toBe('False/DeadlineExceeded');
      w.become({ rollout: { kind: 'after', seconds: 20 } });
      w.annotate('redeploy', '1');
      await w.pass(120);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.bodies()[1]).toEqual(w.bodies()[0]);
      expect(w.events.reasons()).toContain('Redeployed');
      w.restart();
      await w.pass(120);
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'in progress does not delay an edit: a hotfix is sent at once (H53)',
    { deployments: [LIVE], semantics: { rollout: { kind: 'fails' } } },
    async (w) => {
      await edited(w, 1, 30);
      await edited(w, 2, 600);
      w.become({ rollout: { kind: 'after', seconds: 20 } });
      const sentMs = w.clock.now();
      await edited(w, 3, 90);
      expect(w.patches()).toHaveLength(2);
      expect(w.patches()[1]?.beganMs).toBeLessThan(sentMs + 1000);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'in progress delays the correction of drift until it has ended',
    { deployments: [LIVE], semantics: { rollout: { kind: 'after', seconds: 300 } } },
    async (w) => {
      w.apply({ ...image(1), sourceConfig: { customURL: 'https://a.example.com' } });
      await w.pass(120);
      w.apply({ ...image(2), sourceConfig: { customURL: 'https://a.example.com' } });
      await w.pass(90);
      w.editAtService('source_config.custom_url', 'https://theirs.example.com');
      await w.pass(100);
      expect(w.patches()).toHaveLength(2);
      await w.pass(250);
      expect(w.bodies().slice(2)).toEqual([{ source_config: { custom_url: 'https://a.example.com' } }]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'that waits for a database holds what makes a revision, and continues when it is there (N43)',
    { deployments: [LIVE] },
    async (w) => {
      await edited(w, 1, 30);
      w.editAtService('status', 'AWAITING_DATABASE');
      await w.pass(75);
      await edited(w, 2, 100);
      expect(w.patches()).toHaveLength(0);
      expect(w.state()).toBe('Unknown/Pending Unknown/Pending');
      w.editAtService('status', null);
      await w.pass(60);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(1);
    },
  );

  scenario(
    'of a push is reported as an external revision and sends nothing (H4)',
    {
      deployments: [
        {
          name: AGENT,
          source: 'codehost',
          sourceConfig: { build_on_push: true, repo_url: 'https://code.example.com/agent' },
          revisionConfig: { repo_ref: 'main' },
        },
      ],
      semantics: { rollout: { kind: 'after', seconds: 200 } },
    },
    async (w) => {
      w.apply({
        source: 'codehost',
        sourceConfig: { buildOnPush: true },
        sourceRevisionConfig: { repoRef: 'main' },
      });
      await w.pass(30);
      w.service.act({ kind: 'push', deployment: AGENT, commit: 'a'.repeat(40) });
      await w.pass(90);
      expect(w.state()).toBe('True/InSync False/RolloutInProgress');
      expect(w.events.reasons().filter((reason) => reason === 'ExternalRevision')).toHaveLength(1);
      expect(w.status().observed?.sourceRevisionConfig?.repoCommitSHA).toBe('a'.repeat(40));
      expect(w.status().revisions?.[0]).toMatchObject({ cause: 'External', repoCommitSHA: 'a'.repeat(40) });
      await w.pass(200);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.bodies()).toEqual([]);
    },
  );

  scenario(
    'delays a redeploy until it has ended (N47)',
    { deployments: [LIVE], semantics: { rollout: { kind: 'after', seconds: 300 } } },
    async (w) => {
      await edited(w, 2, 60);
      w.annotate('redeploy', 'once more');
      await w.pass(120);
      expect(w.patches()).toHaveLength(1);
      expect(w.message()).toContain('redeploy');
      expect(w.status().lastHandledRedeploy).toBeUndefined();
      await w.pass(600);
      expect(w.patches()).toHaveLength(2);
      expect(w.status().lastHandledRedeploy).toBe('once more');
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'on a service that shows no status is judged by the revision ids alone (H34)',
    { deployments: [LIVE], semantics: { listShape: ['no-source-status'] } },
    async (w) => {
      await edited(w, 1, 30);
      expect(w.state()).toBe('True/InSync True/ActiveStatusNotShown');
      expect(w.bodies()).toEqual([]);
      await edited(w, 2, 120);
      expect(w.condition('Synced')).toBe('True/InSync');
      expect(w.patches()).toHaveLength(1);
    },
  );

  for (const [status, ready] of [
    ['UNUSED', 'Unknown/Unused'],
    ['UNKNOWN', 'Unknown/UnknownState'],
    ['SOMETHING_NEW', 'Unknown/UnknownState'],
  ] as const) {
    scenario(
      `of a deployment that is ${status} shows ${ready}, and nothing is written because of it (H43, N33)`,
      {
        deployments: [LIVE],
      },
      async (w) => {
        await edited(w, 1, 30);
        w.editAtService('status', status);
        await w.pass(120);
        expect(w.state()).toBe(`True/InSync ${ready}`);
        expect(w.bodies()).toEqual([]);
        await edited(w, 2, 120);
        expect(w.patches()).toHaveLength(1);
        expect(w.state()).toBe(`True/InSync ${ready}`);
      },
    );
  }
});
