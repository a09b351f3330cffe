import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };
const asked = (tag: number) => ({
  source_revision_config: { image_uri: `registry.example.com/agent:${tag}` },
});

describe('B10: a write with a slow announcement', () => {
  for (const [title, fault] of [
    ['an error and is applied late', { kind: 'fail-then-apply-late', how: 504, afterMs: 25_000 }],
    ['no answer and is applied late', { kind: 'fail-then-apply-late', how: 'hang', afterMs: 40_000 }],
  ] as const) {
    scenario(
      `is announced again before it leaves: one revision if it meets ${title}`,
      {
        deployments: [LIVE],
        semantics: { secretsEcho: 'stars', trigger: 'on-presence' },
        // Rollouts are polled rarely enough that the decision is not yet too old.
        connection: { poll: { rolloutSeconds: 120 } },
      },
      async (w) => {
        w.apply(image(1));
        await w.pass(200);
        w.slowWrites(45, { operation: 'announce' });
        w.fault(fault);
        w.apply(image(2));
        await w.pass(400);
        expect(w.bodies()).toEqual([asked(2)]);
        expect(w.revisionsMade()).toBe(1);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }

  scenario('leaves no trace of an unsent request', { deployments: [LIVE] }, async (w) => {
    w.apply(image(1));
    await w.pass(200);
    w.slowWrites(45, { operation: 'announce' });
    const before = w.statusWrites.length;
    w.apply(image(2), AGENT, { 'dms-operator.dev/redeploy': 'now' });
    await w.pass(46);
    const [announced, withdrawn, again] = w.statusWrites.slice(before).map(({ after }) => after);
    expect(announced?.pendingWrite).toBeDefined();
    expect(announced?.budget?.sends).toHaveLength(1);
    expect(withdrawn?.pendingWrite).toBeUndefined();
    expect(withdrawn?.budget?.sends ?? []).toHaveLength(0);
    expect(withdrawn?.lastPatch).toBeUndefined();
    expect(withdrawn?.lastHandledRedeploy).toBeUndefined();
    expect(withdrawn?.observedGeneration, 'it never goes back').toBe(announced?.observedGeneration);
    expect(again?.pendingWrite).toBeDefined();
    await w.pass(60);
    expect(w.bodies()).toEqual([asked(2)]);
    expect(w.status().budget?.sends).toHaveLength(1);
    expect(w.status().lastHandledRedeploy).toBe('now');
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('that binds the resource leaves it as unbound as before', { deployments: [LIVE] }, async (w) => {
    w.slowWrites(45, { operation: 'announce' });
    w.apply(image(2));
    await w.pass(45.2);
    const unbound = w.statusWrites
      .map(({ after }) => after)
      .find(({ pendingWrite }) => pendingWrite === undefined);
    expect(unbound?.deploymentID).toBeUndefined();
    expect(unbound?.binding).toBeUndefined();
    await w.pass(60);
    expect(w.bodies()).toEqual([asked(2)]);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('is sent if the delay was short', { deployments: [LIVE] }, async (w) => {
    w.apply(image(1));
    await w.pass(200);
    w.slowWrites(4, { operation: 'announce' });
    w.apply(image(2));
    await w.pass(4.1);
    expect(w.bodies()).toEqual([asked(2)]);
    await w.pass(60);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    'is not proven by a revision that the next process read before it found the announcement',
    { deployments: [LIVE, SEEN], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'first-value' });
      const secrets = [
        { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } },
      ];
      w.apply({ secrets });
      await w.pass(200);
      w.slowWrites(4, { operation: 'announce' });
      w.putSecret('agent-secrets', { token: 'second-value' });
      await w.pass(11);
      w.service.act({ kind: 'redeploy', deployment: AGENT, revision: 0 });
      w.restart();
      await w.pass(200);
      expect(w.kept().content.secrets).toEqual([{ name: 'TOKEN', value: 'second-value' }]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario('of a creation or a deletion is announced again, too', { deployments: [] }, async (w) => {
    w.slowWrites(45, { operation: 'announce' });
    w.apply({ source: 'internal_container', creation: { policy: 'IfMissing' }, deletionPolicy: 'Delete' });
    await w.pass(200);
    expect(w.service.log.count('create')).toBe(1);
    expect(w.state()).toBe('True/InSync True/Active');
    w.slowWrites(45, { operation: 'announce' });
    w.store.remove(keyOf(AGENT));
    await w.pass(300);
    expect(w.service.log.count('delete')).toBe(1);
    expect(w.store.peek(keyOf(AGENT))).toBeUndefined();
  });

  scenario(
    'is planned again if its read is too old: changes of other clients meanwhile stay',
    { deployments: [{ name: AGENT, sourceConfig: { resource_spec: { cpu: 1, memory_mb: 1024 } } }] },
    async (w) => {
      const cpu = (cores: number) => ({ sourceConfig: { resourceSpec: { cpu: cores } } });
      w.apply(cpu(1));
      await w.pass(200);
      const sweeps = w.service.log.count('list');
      while (w.service.log.count('list') === sweeps) await w.pass(1);
      await w.pass(3);
      w.slowWrites(4, { operation: 'announce' });
      w.apply(cpu(2));
      await w.pass(1);
      w.editAtService('source_config.resource_spec.memory_mb', 4096);
      await w.pass(60);
      expect(w.bodies()).toEqual([{ source_config: { resource_spec: { cpu: 2, memory_mb: 4096 } } }]);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );
});

describe('C3: a write that was announced while the service asked for a pause', () => {
  const NAMES = ['a', 'b', 'c', 'd'];

  scenario(
    'is withdrawn, and sent when the pause is over',
    { deployments: NAMES.map((name) => ({ ...LIVE, name })) },
    async (w) => {
      const apply = (tag: number): void => {
        for (const name of NAMES) w.apply({ deploymentRef: { name }, ...image(tag) }, name);
      };
      apply(1);
      await w.pass(200);
      for (const name of ['b', 'c', 'd']) w.slowWrites(2, { operation: 'announce', name });
      w.fault({ kind: 'status', status: 429, headers: { 'retry-after': '60' } });
      apply(2);
      await w.pass(50);
      expect(w.patches().map(({ status }) => status)).toEqual([429]);
      expect(w.connectionState()).toBe('False/RateLimited');
      for (const name of NAMES) expect(w.status(name).pendingWrite).toBeUndefined();
      await w.pass(120);
      expect(w.patches()).toHaveLength(1 + NAMES.length);
      for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
    },
  );
});
