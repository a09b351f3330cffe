import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

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
        // A new value gets a fresh attempt. A restart does not.
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
    'on a service that keeps the list item that a person added ends after two sends, though answers repeat ours',
    {
      deployments: [
        { ...LIVE, sourceConfig: { install_command: 'npm ci', resource_spec: { memory_mb: 512 } } },
      ],
      semantics: {
        lists: 'merge-by-name',
        nested: { resourceSpec: 'merge-null-clears' },
        patchEcho: 'sent-keys',
      },
    },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { volumes: [{ name: 'a' }] } } });
      await w.pass(200);
      w.editAtService('source_config.resource_spec.volumes', [{ name: 'a' }, { name: 'b' }]);
      await w.pass(3600);
      expect(w.patches()).toHaveLength(2);
      expect(w.condition('Synced')).toBe('False/NotConverging');
    },
  );

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

describe('a list of secrets', () => {
  const secretsOf = (value: string) => ({
    secrets: [
      { name: 'API_A', value },
      { name: 'API_B', value: 'the-value-that-stays' },
    ],
  });
  const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };
  const sent = (w: World, value: string): number =>
    w.bodies().filter((body) => JSON.stringify(body).includes(value)).length;

  for (const secretsEcho of ['plain', 'stars', 'names-only', 'digest'] as const) {
    scenario(
      `that a service only extends, shown as ${secretsEcho}, is reported correctly and not sent again (K5)`,
      { deployments: [LIVE, SEEN], semantics: { lists: 'append', secretsEcho } },
      async (w) => {
        w.apply(secretsOf('the-first-value-of-it'));
        await w.pass(200);
        w.apply(secretsOf('the-second-value-of-it'));
        await w.pass(900);
        expect(sent(w, 'the-second-value-of-it')).toBe(1);
        expect(w.condition('Synced')).toBe('False/NotConverging');
        expect(w.message()).toContain('lists API_A more than once');
        expect(w.message()).not.toContain('someone else');
        w.restart();
        await w.pass(3600);
        expect(sent(w, 'the-second-value-of-it')).toBe(1);
        // A person removes the older ones.
        w.editAtService('secrets.API_A', null);
        w.editAtService('secrets.API_A', 'the-second-value-of-it');
        await w.pass(200);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }

  scenario(
    'that is seen to arrive between is corrected three times a day (H46)',
    { deployments: [LIVE, SEEN] },
    async (w) => {
      w.apply(secretsOf('the-value-of-the-spec'));
      await w.pass(200);
      for (let round = 0; round < 6; round += 1) {
        w.secretTexts.add(`value-by-hand-${round}`);
        w.editAtService('secrets.API_A', `value-by-hand-${round}`);
        await w.pass(200);
      }
      expect(w.patches()).toHaveLength(4);
      expect(w.condition('Synced')).toBe('False/DriftCorrectionSuspended');
    },
  );
});

describe('the revision budget', () => {
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

  scenario('does not count writes without a revision', { deployments: [LIVE] }, async (w) => {
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

describe('a whole body with parts that may make a revision (B11)', () => {
  const WHOLE = {
    deployments: [{ ...LIVE, sourceConfig: { build_on_push: true, resource_spec: { cpu: 1 } } }],
    semantics: { trigger: 'on-presence', rollout: { kind: 'after', seconds: 2 } },
    connection: { patch: { bodies: 'Full' } },
  } as const;
  const building = (buildOnPush: boolean) => ({
    sourceConfig: { buildOnPush },
    rollout: { maxRevisionsPerHour: 2 },
  });

  scenario('counts against the revision budget (H10)', WHOLE, async (w) => {
    w.apply(building(true));
    await w.pass(100);
    for (let round = 0; round < 4; round += 1) {
      w.editAtService('source_config.build_on_push', false);
      await w.pass(200);
    }
    expect(w.patches()).toHaveLength(2);
    expect(w.status().budget?.sends).toHaveLength(2);
    expect(w.condition('Synced')).toBe('False/RevisionBudgetExhausted');
    w.apply({ ...building(true), sourceConfig: { buildOnPush: true, customURL: 'https://a.example.com' } });
    await w.pass(60);
    expect(w.patches(), 'one beyond for an edit').toHaveLength(3);
  });

  scenario('waits while the service prepares the database (N43)', WHOLE, async (w) => {
    w.apply(building(true));
    await w.pass(100);
    w.editAtService('status', 'AWAITING_DATABASE');
    await w.pass(100);
    w.apply(building(false));
    await w.pass(200);
    expect(w.bodies()).toEqual([]);
    expect(w.condition('Synced')).toBe('Unknown/Pending');
    w.editAtService('status', 'READY');
    await w.pass(120);
    expect(w.patches()).toHaveLength(1);
    expect(w.state()).toBe('True/InSync True/Active');
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
