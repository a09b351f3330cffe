import { describe, expect } from 'vitest';
import type { Fault } from '../../../src/simulator/faults/scenario.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, NAMESPACE, type World } from '../support/world.ts';

const KEY = { kind: 'Connection', namespace: NAMESPACE, name: 'default' } as const;
const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const GIVEN = {
  deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
};

/** Blocks an edit. Returns a function that removes the block. */
type Hindrance = (w: World) => () => void;

function fault(fault: Fault): Hindrance {
  return (w) => {
    w.service.faults.add({ match: {}, times: 0, fault });
    return () => w.service.faults.clear();
  };
}

const HINDRANCES: readonly (readonly [what: string, reason: string, hinder: Hindrance])[] = [
  ['answers 429', 'ConnectionNotReady', fault({ kind: 'status', status: 429 })],
  ['answers 503', 'ConnectionNotReady', fault({ kind: 'status', status: 503 })],
  ['answers 401', 'ConnectionNotReady', fault({ kind: 'status', status: 401 })],
  ['resets every connection', 'ConnectionNotReady', fault({ kind: 'reset-before' })],
  [
    'is behind a deleted connection',
    'ConnectionNotFound',
    (w) => {
      w.connections.remove(KEY);
      return () => w.connect();
    },
  ],
];

/** Returns the pairs of status and generation of Ready since a position in `statusWrites`. */
function readySince(w: World, since: number): readonly string[] {
  return w.statusWrites
    .slice(since)
    .flatMap(({ after }) =>
      (after.conditions ?? [])
        .filter(({ type }) => type === 'Ready')
        .map(({ status, observedGeneration }) => `${status} ${observedGeneration}`),
    );
}

async function rest(w: World): Promise<void> {
  w.apply(image(1));
  await w.pass(30);
  expect(w.state()).toBe('True/InSync True/Active');
}

describe('a spec that is edited while the service', () => {
  for (const [what, reason, hinder] of HINDRANCES) {
    scenario(`${what} is not Ready before it is sent (K1)`, GIVEN, async (w) => {
      await rest(w);
      const clear = hinder(w);
      await w.pass(100);
      expect(w.state(), 'the generation that was Ready is left alone').toBe(`Unknown/${reason} True/Active`);
      const since = w.statusWrites.length;
      w.apply(image(2));
      await w.pass(60);
      expect(w.state()).toBe(`Unknown/${reason} Unknown/${reason}`);
      expect(w.status().observedGeneration).toBe(2);
      expect(readySince(w, since)).not.toContain('True 2');
      expect(w.patches().filter(({ status }) => status === 200)).toEqual([]);
      clear();
      await w.pass(400);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches().filter(({ status }) => status === 200)).toHaveLength(1);
    });

    scenario(`${what}, starting with the edit, is not Ready before it is sent (K1)`, GIVEN, async (w) => {
      await rest(w);
      const since = w.statusWrites.length;
      const clear = hinder(w);
      w.apply(image(2));
      await w.pass(250);
      expect(readySince(w, since)).not.toContain('True 2');
      expect(w.condition('Ready')).toMatch(/^Unknown\//);
      clear();
      await w.pass(700);
      expect(w.state()).toBe('True/InSync True/Active');
    });
  }
});

scenario('a write after a pause no longer stands beside Paused while it is under way', GIVEN, async (w) => {
  await rest(w);
  w.annotate('paused', 'true');
  w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand');
  await w.pass(100);
  expect(w.state()).toBe('Unknown/Paused True/Active');
  w.service.faults.add({ match: { operation: 'patch' }, fault: { kind: 'delay', ms: 5000 } });
  w.annotate('paused', null);
  await w.pass(2);
  expect(w.status().pendingWrite?.operation).toBe('Patch');
  expect(w.state()).toBe('Unknown/Pending Unknown/Pending');
  expect(w.message()).toBe('a request is being sent');
  await w.pass(100);
  expect(w.state()).toBe('True/InSync True/Active');
});

describe('a spec that is edited', () => {
  const paused = 'Unknown/Paused True/Active';

  for (const [what, pause, resume] of [
    [
      'while its resource is paused',
      (w: World) => w.annotate('paused', 'true'),
      (w: World) => w.annotate('paused', null),
    ],
    ['behind a suspended connection', (w: World) => w.connect({ suspend: true }), (w: World) => w.connect()],
  ] as const) {
    scenario(
      `${what} leaves Ready and its generation unchanged, and is not Ready afterwards before it is sent (K1)`,
      GIVEN,
      async (w) => {
        await rest(w);
        pause(w);
        await w.pass(10);
        w.store.edit({ kind: 'Deployment', namespace: NAMESPACE, name: AGENT }, (resource) => ({
          ...resource,
          spec: { ...resource.spec, ...image(2) },
        }));
        await w.pass(60);
        expect(w.state()).toBe(paused);
        expect(w.status().observedGeneration).toBe(1);
        expect(w.status().conditions?.map(({ observedGeneration }) => observedGeneration)).toEqual([1, 1]);
        w.service.faults.add({ match: {}, times: 0, fault: { kind: 'status', status: 503 } });
        const since = w.statusWrites.length;
        resume(w);
        await w.pass(60);
        expect(w.state()).toBe('Unknown/ConnectionNotReady Unknown/ConnectionNotReady');
        w.service.faults.clear();
        await w.pass(400);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.patches().filter(({ status }) => status === 200)).toHaveLength(1);
        expect(readySince(w, since).indexOf('True 2')).toBeGreaterThan(0);
      },
    );
  }

  scenario('under Observe is not Ready before the service shows the values (K1)', GIVEN, async (w) => {
    w.apply({ ...image(1), managementPolicy: 'Observe' });
    await w.pass(30);
    w.apply({ ...image(2), managementPolicy: 'Observe' });
    await w.pass(30);
    expect(w.state()).toBe('False/Differs Unknown/Differs');
    w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:2');
    await w.pass(120);
    expect(w.state()).toBe('True/InSync True/Active');
    w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:3');
    await w.pass(120);
    expect(w.state(), 'it was as declared, and somebody changed it').toBe('False/Differs True/Active');
  });
});

describe('the time of a condition', () => {
  scenario('stays if reasons change with the same status (K2)', GIVEN, async (w) => {
    await rest(w);
    const times = (): readonly string[] =>
      (w.status().conditions ?? []).map(({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`);
    w.connections.remove(KEY);
    await w.pass(10);
    expect(w.condition('Synced')).toBe('Unknown/ConnectionNotFound');
    const before = times();
    w.service.faults.add({ match: {}, times: 0, fault: { kind: 'status', status: 503 } });
    w.connect();
    await w.pass(60);
    expect(w.state()).toBe('Unknown/ConnectionNotReady True/Active');
    expect(times()).toEqual(before);
    w.annotate('paused', 'true');
    await w.pass(10);
    expect(times()).toEqual(before.filter((text) => !text.startsWith('Reconciling')));
    w.annotate('paused', null);
    w.service.faults.clear();
    await w.pass(400);
  });

  scenario('of a connection stays while it is not ready, regardless of the reason (K2)', GIVEN, async (w) => {
    await rest(w);
    const time = (): string | undefined =>
      w.connectionStatus().conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
    w.service.faults.add({ match: {}, times: 0, fault: { kind: 'status', status: 503 } });
    await w.pass(120);
    expect(w.connectionState()).toBe('False/Unreachable');
    const before = time();
    w.service.faults.clear();
    w.service.faults.add({ match: {}, times: 0, fault: { kind: 'status', status: 403 } });
    await w.pass(300);
    expect(w.connectionState()).toBe('False/Forbidden');
    expect(time()).toBe(before);
    w.service.faults.clear();
    await w.pass(700);
  });

  scenario(
    'is not the age of a missing Secret: a Secret that is recreated at once waits for others (K2)',
    {
      deployments: [
        { name: AGENT },
        { name: 'seen', secrets: [{ name: 'OTHER', value: 'of-the-neighbour' }] },
      ],
    },
    async (w) => {
      const names = ['a', 'b'];
      const put = (name: string, round: string): void =>
        w.putSecret(`secret-${name}`, { key: `${round}-value-of-${name}` });
      for (const name of names) put(name, 'first');
      w.apply({
        ...image(1),
        driftPolicy: 'Report',
        secretsOwnership: 'Exclusive',
        secrets: names.map((name) => ({
          name: name.toUpperCase(),
          valueFrom: { secretKeyRef: { name: `secret-${name}`, key: 'key' } },
        })),
      });
      await w.pass(120);
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand');
      await w.pass(300);
      expect(w.condition('Synced')).toBe('False/DriftReported');
      const sent = w.patches().length;
      for (const name of names) {
        w.removeSecret(`secret-${name}`);
        await w.pass(0.5);
        put(name, 'second');
        await w.pass(1);
      }
      await w.pass(120);
      expect(w.patches()).toHaveLength(sent + 1);
    },
  );
});
