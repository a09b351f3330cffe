import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const SPEC: Partial<DeploymentSpec> = {
  sourceConfig: { customURL: 'https://a.example.com' },
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
};
const LIVE = {
  name: AGENT,
  sourceConfig: { custom_url: 'https://a.example.com' },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const IMAGE = 'source_revision_config.image_uri';
const BY_HAND = 'registry.example.com/agent:by-hand';

async function bound(w: World, spec: Partial<DeploymentSpec> = {}): Promise<void> {
  w.apply({ ...SPEC, ...spec });
  await w.pass(30);
  expect(w.condition('Synced')).toBe('True/InSync');
}

describe('drift', () => {
  scenario('is detected by the next poll and corrected once', { deployments: [LIVE] }, async (w) => {
    await bound(w);
    w.editAtService(IMAGE, BY_HAND);
    await w.pass(150);
    expect(w.bodies()).toEqual([{ source_revision_config: { image_uri: 'registry.example.com/agent:1' } }]);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.events.reasons()).toEqual([...['Ok', 'Adopted', 'DriftDetected', 'DriftCorrected']]);
    expect(w.metrics.count('drifted Connection/team-a/default corrected')).toBe(1);
    expect(w.status().revisions?.map(({ cause }) => cause)).toEqual(['Operator', 'External', 'Unknown']);
  });

  scenario(
    'without a revision is corrected by the first poll that shows it',
    { deployments: [LIVE] },
    async (w) => {
      await bound(w);
      w.editAtService('source_config.custom_url', 'https://theirs.example.com');
      await w.pass(75);
      expect(w.bodies()).toEqual([{ source_config: { custom_url: 'https://a.example.com' } }]);
    },
  );

  scenario(
    'of a field outside our last write is detected as such, however soon after that write',
    { deployments: [{ ...LIVE, sourceConfig: { ...LIVE.sourceConfig, resource_spec: { cpu: 1 } } }] },
    async (w) => {
      const spec = (tag: number) => ({
        sourceConfig: { resourceSpec: { cpu: 1 } },
        sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
      });
      w.apply(spec(1));
      await w.pass(30);
      w.apply(spec(2));
      await w.pass(65);
      w.editAtService('source_config.resource_spec.cpu', 8);
      await w.pass(150);
      expect(w.bodies().slice(1)).toEqual([{ source_config: { resource_spec: { cpu: 1 } } }]);
    },
  );

  for (const [answers, reason] of [
    ['shows it again', 'InSync'],
    ['shows the same', 'NotConverging'],
  ] as const)
    scenario(
      `that an old list shows after its correction is ${reason} at once if the answer to the next write ${answers}`,
      { deployments: [LIVE], semantics: { trigger: 'never' } },
      async (w) => {
        await bound(w);
        w.apply({ ...SPEC, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
        await w.pass(300);
        const sent = async (count: number): Promise<void> => {
          for (let second = 0; second < 300 && w.patches().length < count; second += 1) await w.pass(1);
          expect(w.patches()).toHaveLength(count);
        };
        w.become({ listLag: { seconds: 70 } });
        w.editAtService(IMAGE, BY_HAND);
        await w.pass(40);
        w.editAtService('source_config.custom_url', 'https://theirs.example.com');
        await sent(2);
        if (reason === 'NotConverging') w.editAtService(IMAGE, BY_HAND);
        await sent(3);
        expect(w.condition('Synced')).toContain(reason);
        w.become({ listLag: { seconds: 0 } });
        await w.pass(300);
        expect(w.condition('Synced')).toContain(reason);
      },
    );

  scenario('of a field that another client emptied is detected if lists show the field', {}, async (w) => {
    w.apply({ sourceConfig: { customURL: 'https://a.example.com', buildCommand: 'make' } });
    await w.pass(300);
    w.editAtService('source_config.custom_url', null);
    await w.pass(120);
    expect(w.bodies().at(-1)).toEqual({ source_config: { custom_url: 'https://a.example.com' } });
    expect(w.events.reasons()).toContain('DriftCorrected');
    expect(w.patches()).toHaveLength(2);
  });

  scenario('does not include fields that lists omit and answers show (N31, H35)', {}, async (w) => {
    w.moments.arriving = ({ method }) => {
      if (method === 'PATCH') w.become({ fieldRules: { 'source_config.custom_url': 'hidden' } });
    };
    w.apply({ sourceConfig: { customURL: 'https://a.example.com', buildCommand: 'make' } });
    await w.pass(1200);
    w.apply({ sourceConfig: { customURL: 'https://a.example.com', buildCommand: 'make all' } });
    await w.pass(1200);
    expect(w.patches()).toHaveLength(2);
    expect(w.bodies().at(-1)).toEqual({ source_config: { build_command: 'make all' } });
  });

  scenario('of undeclared fields is ignored', { deployments: [LIVE] }, async (w) => {
    await bound(w);
    w.editAtService('source_config.build_command', 'make');
    w.editAtService('source_config.resource_spec', { cpu: 4 });
    w.editAtService('secrets', { BY_HAND: 'value-set-by-hand' });
    w.secretTexts.add('value-set-by-hand');
    await w.pass(150);
    expect(w.bodies()).toEqual([]);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    'under driftPolicy Report is reported and not corrected, until the spec is edited',
    { deployments: [LIVE] },
    async (w) => {
      await bound(w, { driftPolicy: 'Report' });
      w.editAtService(IMAGE, BY_HAND);
      await w.pass(150);
      expect(w.bodies()).toEqual([]);
      expect(w.state()).toBe('False/DriftReported True/Active');
      expect(w.status().plan?.changes).toEqual([
        {
          path: 'sourceRevisionConfig.imageURI',
          from: BY_HAND,
          to: 'registry.example.com/agent:1',
          revision: 'Expected',
        },
      ]);
      expect(w.events.reasons().filter((reason) => reason === 'DriftDetected')).toHaveLength(1);
      w.apply({
        ...SPEC,
        driftPolicy: 'Report',
        sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
      });
      await w.pass(90);
      expect(w.bodies()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'under driftPolicy Report does not delay the first application',
    { deployments: [{ name: AGENT }] },
    async (w) => {
      w.apply({ ...SPEC, driftPolicy: 'Report' });
      await w.pass(90);
      expect(w.bodies()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'under managementPolicy Observe is shown as a plan; such a resource is never claimed and never written for',
    { deployments: [LIVE] },
    async (w) => {
      w.apply({ ...SPEC, managementPolicy: 'Observe', deletionPolicy: 'Delete' });
      await w.pass(30);
      expect(w.state()).toBe('True/InSync True/Active');
      w.editAtService(IMAGE, BY_HAND);
      await w.pass(150);
      expect(w.bodies()).toEqual([]);
      expect(w.state()).toBe('False/Differs True/Active');
      expect(w.status().plan?.changes).toHaveLength(1);
      expect(w.resource().metadata.finalizers ?? []).toEqual([]);
      w.apply({ ...SPEC, managementPolicy: 'Manage' });
      await w.pass(90);
      expect(w.bodies()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'of a paused resource waits for the end of the pause; its conditions and generations stay unchanged',
    { deployments: [LIVE] },
    async (w) => {
      await bound(w);
      w.annotate('paused', 'true');
      w.editAtService(IMAGE, BY_HAND);
      await w.pass(30);
      w.store.edit({ kind: 'Deployment', namespace: 'team-a', name: AGENT }, (resource) => ({
        ...resource,
        spec: { ...resource.spec, sourceConfig: { customURL: 'https://b.example.com' } },
      }));
      await w.pass(150);
      expect(w.bodies()).toEqual([]);
      expect(w.state()).toBe('Unknown/Paused True/Active');
      expect(w.status().observedGeneration).toBe(1);
      w.annotate('paused', null);
      await w.pass(90);
      expect(w.bodies()).toEqual([
        {
          source_config: { custom_url: 'https://b.example.com' },
          source_revision_config: { image_uri: 'registry.example.com/agent:1' },
        },
      ]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'behind a suspended connection is not detected: no call at all',
    { deployments: [LIVE] },
    async (w) => {
      await bound(w);
      w.connect({ suspend: true });
      await w.pass(5);
      const calls = w.service.log.requests().length;
      w.editAtService('source_config.custom_url', 'https://theirs.example.com');
      w.apply({ ...SPEC, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(1200);
      expect(w.service.log.requests()).toHaveLength(calls);
      expect(w.connectionState()).toBe('False/Suspended');
      expect(w.state()).toBe('Unknown/Paused True/Active');
      w.connect({});
      await w.pass(120);
      expect(w.connectionState()).toBe('True/Ok');
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(1);
    },
  );

  scenario(
    'from a manual rollback is corrected, and the event names the old image (H11)',
    { deployments: [LIVE] },
    async (w) => {
      await bound(w);
      w.apply({ ...SPEC, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(90);
      w.service.act({ kind: 'redeploy', deployment: AGENT, revision: 1 });
      await w.pass(150);
      expect(w.bodies()).toHaveLength(2);
      expect(w.bodies()[1]).toEqual(w.bodies()[0]);
      const told = w.events.all.find(({ event }) => event.reason === 'DriftDetected');
      expect(told?.event.message).toContain('registry.example.com/agent:1');
    },
  );

  scenario(
    'that comes back is corrected three times a day, then left with a reason (H46)',
    { deployments: [LIVE] },
    async (w) => {
      await bound(w);
      for (let round = 1; round <= 6; round += 1) {
        w.editAtService('source_config.custom_url', `https://theirs-${round}.example.com`);
        await w.pass(1800);
      }
      expect(w.patches()).toHaveLength(3);
      expect(w.state()).toBe('False/DriftCorrectionSuspended False/DriftCorrectionSuspended');
      expect(w.condition('Stalled')).toBe('True/DriftCorrectionSuspended');
      // A further edit of the spec is sent nevertheless.
      w.apply({ ...SPEC, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(90);
      expect(w.bodies()[3]).toEqual({
        source_revision_config: { image_uri: 'registry.example.com/agent:2' },
      });
    },
  );

  scenario('that equals a new manifest is adopted without a write', { deployments: [LIVE] }, async (w) => {
    await bound(w, { driftPolicy: 'Report' });
    w.editAtService(IMAGE, BY_HAND);
    await w.pass(120);
    w.apply({ ...SPEC, driftPolicy: 'Correct', sourceRevisionConfig: { imageURI: BY_HAND } });
    await w.pass(60);
    expect(w.bodies()).toEqual([]);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});

/** Returns the states of Synced that a resource shows within some seconds, without repetitions. */
async function statesWithin(w: World, seconds: number): Promise<readonly (string | undefined)[]> {
  const states: (string | undefined)[] = [];
  for (let second = 0; second < seconds; second += 1) {
    await w.pass(1);
    if (states.at(-1) !== w.condition('Synced')) states.push(w.condition('Synced'));
  }
  return states;
}

describe('an answer that shows a corrected value', () => {
  const spec = (deadlineSeconds: number): Partial<DeploymentSpec> => ({
    sourceConfig: { customURL: 'https://ours.example.com' },
    rollout: { deadlineSeconds },
  });

  scenario(
    'which no list showed after an earlier correction is no evidence, and costs no further request',
    { deployments: [LIVE], semantics: { fieldRules: { 'source_config.custom_url': 'pretended' } } },
    async (w) => {
      w.apply(spec(900));
      await w.pass(75);
      expect(w.patches()).toHaveLength(2);
      // Somebody may have set the old value again, so this answer counts.
      expect(w.state()).toBe('True/InSync True/Active');
      w.apply(spec(901));
      const states = await statesWithin(w, 600);
      expect(states).toEqual(['True/InSync', 'Unknown/Sent', 'False/NotConverging']);
      expect(w.patches()).toHaveLength(3);
    },
  );

  scenario(
    'which no list showed after an earlier correction counts once a lagging list shows it',
    { deployments: [LIVE], semantics: { listLag: { seconds: 20 } } },
    async (w) => {
      w.become({ fieldRules: { 'source_config.custom_url': 'pretended' } }, { seconds: 80 });
      w.apply(spec(900));
      await w.pass(75);
      w.apply(spec(901));
      // The window of the second request ends, and the service keeps the value of the third one.
      expect(await statesWithin(w, 90)).toEqual(['True/InSync', 'Unknown/Sent', 'True/InSync']);
      expect(await statesWithin(w, 600)).toEqual(['True/InSync']);
      expect(w.patches()).toHaveLength(3);
    },
  );

  scenario(
    'which somebody changes once a list has shown it counts at each correction',
    { deployments: [LIVE] },
    async (w) => {
      await bound(w);
      for (const round of [1, 2, 3]) {
        w.editAtService('source_config.custom_url', `https://theirs-${round}.example.com`);
        expect(await statesWithin(w, 300)).toEqual(['True/InSync']);
      }
      expect(w.patches()).toHaveLength(3);
    },
  );
});
