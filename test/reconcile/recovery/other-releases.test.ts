import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const IMAGE = 'registry.example.com/agent:1';
const GIVEN = {
  deployments: [
    { name: AGENT, revisionConfig: { image_uri: IMAGE } },
    { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] },
  ],
  semantics: { secretsEcho: 'stars' },
} as const;
const SPEC = {
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
  secrets: [{ name: 'API_TOKEN', value: 'the-token-of-the-agent' }],
};

async function atRest(w: World): Promise<void> {
  w.apply(SPEC);
  await w.pass(90);
  expect(w.state()).toBe('True/InSync True/Active');
  expect(w.patches()).toHaveLength(1);
}

/** Simulates a newer release that takes over, writes this status, and is rolled back. */
function rolledBackFrom(w: World, status: object): void {
  w.kill();
  w.store.overwriteStatus(keyOf(AGENT), { ...w.status(), ...status });
  w.start();
}

describe('after a rollback from a newer release', () => {
  scenario(
    'unknown fields and conditions cost no request; fields stay, conditions are removed',
    GIVEN,
    async (w) => {
      await atRest(w);
      const { conditions = [], applied, lastPatch } = w.status();
      rolledBackFrom(w, {
        ofTomorrow: { kept: [1, null] },
        conditions: [
          ...conditions,
          { ...conditions[0], type: 'Degraded', status: 'Maybe', reason: 'OfTomorrow' },
        ],
        lastPatch: { ...lastPatch, outcome: 'OfTomorrow', ofTomorrow: true },
        applied: { ...applied, ofTomorrow: 'x' },
      });
      const before = w.statusWrites.length;
      await w.pass(600);
      expect(w.statusStory(before)).toEqual(['saveStatus InSync Active']);
      expect(w.status().conditions).toHaveLength(conditions.length);
      expect(w.patches()).toHaveLength(1);

      w.apply({ ...SPEC, sourceConfig: { buildCommand: 'make' } });
      await w.pass(120);
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.status()).toMatchObject({ ofTomorrow: { kept: [1, null] } });
    },
  );

  scenario('an announcement of an unknown kind is awaited, and then discarded', GIVEN, async (w) => {
    await atRest(w);
    const time = new Date(w.clock.now()).toISOString();
    rolledBackFrom(w, {
      pendingWrite: {
        ...{ operation: 'Restart', bodyDigest: 'of-tomorrow', generation: 1, time, attempt: 1 },
        ...{ paths: ['labels'], ofTomorrow: { deep: true } },
      },
    });
    w.apply({ ...SPEC, sourceConfig: { buildCommand: 'make' } });
    await w.pass(30);
    expect(w.patches()).toHaveLength(1);
    expect(w.condition('Synced')).toBe('Unknown/OutcomeUnknown');

    await w.pass(300);
    expect(w.patches()).toHaveLength(2);
    expect(w.status().pendingWrite).toBeUndefined();
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('digests of an unknown form are treated like a lost key: nothing is sent', GIVEN, async (w) => {
    await atRest(w);
    const { applied } = w.status();
    rolledBackFrom(w, { applied: { ...applied, key: 'v2:of-tomorrow' } });
    await w.pass(600);
    expect(w.patches()).toHaveLength(1);
    expect(w.condition('Ready')).toBe('True/Active');
  });

  scenario(
    'a creation in an unknown state is looked up, not requested again',
    { deployments: [] },
    async (w) => {
      w.kill();
      w.apply({ ...SPEC, secrets: [], creation: { policy: 'IfMissing' }, deploymentRef: { name: AGENT } });
      rolledBackFrom(w, {
        creation: { state: 'Requested', time: new Date(w.clock.now()).toISOString() },
        pendingWrite: {
          ...{ operation: 'Create', bodyDigest: 'of-tomorrow', generation: 1, paths: [], attempt: 1 },
          time: new Date(w.clock.now()).toISOString(),
        },
      });
      await w.pass(30);
      expect(w.service.log.count('create')).toBe(0);
      expect(w.condition('Synced')).toBe('Unknown/CreatePending');
      expect(w.resource().metadata.finalizers).toHaveLength(1);

      // Nothing appeared within its window, so one request follows.
      await w.pass(300);
      expect(w.service.log.count('create')).toBe(1);
      expect(w.status().creation?.state).toBe('Done');
    },
  );
});
