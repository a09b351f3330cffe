import { describe, expect } from 'vitest';
import { scenario } from './support/scenario.ts';
import { AGENT } from './support/world.ts';

const image = (tag: number | string) => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
});
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };

describe('a runaway loop', () => {
  for (const rule of ['contrary', 'ignored'] as const) {
    scenario(
      `on a service that shows something else (${rule}) ends after two sends of the same value (H10)`,
      {
        deployments: [LIVE],
        semantics: { fieldRules: { 'source_revision_config.image_uri': rule } },
      },
      async (w) => {
        w.apply(image(2));
        await w.pass(3 * 3600);
        const sends = w.patches().length;
        expect(sends).toBeLessThanOrEqual(2);
        if (rule === 'ignored') {
          expect(w.state()).toBe('False/NotConverging False/NotConverging');
          expect(w.message()).toContain('sourceRevisionConfig.imageURI');
        }
        // A new value is tried afresh; a restart is no reason to try again.
        w.restart();
        await w.pass(600);
        expect(w.patches()).toHaveLength(sends);
        w.apply(image(3));
        await w.pass(600);
        expect(w.bodies()[sends]).toEqual({
          source_revision_config: { image_uri: 'registry.example.com/agent:3' },
        });
        expect(w.patches().length - sends).toBeLessThanOrEqual(2);
      },
    );
  }

  scenario(
    'of somebody who changes the value every few minutes ends at three corrections a day (H46)',
    {
      deployments: [LIVE],
      semantics: { rollout: { kind: 'after', seconds: 2 } },
    },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      for (let round = 0; round < 8; round += 1) {
        w.editAtService('source_revision_config.image_uri', `registry.example.com/agent:theirs-${round}`);
        await w.pass(200);
      }
      expect(w.patches()).toHaveLength(3);
      expect(w.condition('Synced')).toBe('False/DriftCorrectionSuspended');
      w.restart();
      await w.pass(200);
      expect(w.patches(), 'a restart forgets nothing').toHaveLength(3);
    },
  );

  scenario(
    'comes to an end a day later: corrections may be made again',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      for (let round = 0; round < 4; round += 1) {
        w.editAtService('source_revision_config.image_uri', `registry.example.com/agent:theirs-${round}`);
        await w.pass(300);
      }
      expect(w.patches()).toHaveLength(3);
      await w.pass(25 * 3600);
      expect(w.patches()).toHaveLength(4);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('the budget of revisions', () => {
  scenario(
    'lets every edit of a person go, and stops what nobody asked for (H10)',
    {
      deployments: [LIVE],
      semantics: { rollout: { kind: 'after', seconds: 2 } },
    },
    async (w) => {
      w.apply({ ...image(1), rollout: { maxRevisionsPerHour: 2 } });
      await w.pass(60);
      for (let tag = 2; tag <= 5; tag += 1) {
        w.apply({ ...image(tag), rollout: { maxRevisionsPerHour: 2 } });
        await w.pass(90);
      }
      expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:5' });
      expect(w.patches(), 'two, and one beyond for each of the others').toHaveLength(4);
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:theirs');
      await w.pass(150);
      expect(w.patches()).toHaveLength(4);
      expect(w.state()).toBe('False/RevisionBudgetExhausted False/RevisionBudgetExhausted');
      expect(w.status().plan?.changes).toHaveLength(1);
      await w.pass(3600);
      expect(w.patches()).toHaveLength(5);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario('does not count what makes no revision', { deployments: [LIVE] }, async (w) => {
    for (let n = 1; n <= 12; n += 1) {
      w.apply({
        sourceConfig: { customURL: `https://a-${n}.example.com` },
        rollout: { maxRevisionsPerHour: 1 },
      });
      await w.pass(30);
    }
    expect(w.patches()).toHaveLength(12);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.status().budget?.sends ?? []).toEqual([]);
  });
});

describe('approval', () => {
  scenario(
    'holds a plan until its hash is approved, and covers that plan once (H58)',
    { deployments: [LIVE] },
    async (w) => {
      w.apply({ ...image(2), approval: 'Manual' });
      await w.pass(60);
      expect(w.state()).toBe('False/AwaitingApproval False/AwaitingApproval');
      expect(w.events.reasons()).toContain('PlanReady');
      w.annotate('approve', 'some-other-hash');
      await w.pass(60);
      expect(w.patches()).toEqual([]);
      w.annotate('approve', w.status().plan?.hash ?? '');
      await w.pass(90);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:1');
      await w.pass(150);
      expect(w.condition('Synced')).toBe('False/AwaitingApproval');
      expect(w.patches()).toHaveLength(1);
    },
  );
});
