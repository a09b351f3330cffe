import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } };
const NAMES = ['a', 'b', 'c', 'd'];
const fleet = NAMES.map((name) => ({ name, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }));

const gone = (w: World, name = AGENT): boolean => w.store.peek(keyOf(name)) === undefined;

describe('deleting', () => {
  scenario('every resource of a connection is not a mass absence', { deployments: fleet }, async (w) => {
    for (const name of NAMES) w.apply({ ...IMAGE, deletionPolicy: 'Delete' }, name);
    await w.pass(120);
    for (const name of NAMES) w.store.remove(keyOf(name));
    await w.pass(300);
    expect(NAMES.map((name) => gone(w, name))).toEqual([true, true, true, true]);
    expect(w.service.deployments()).toEqual([]);
  });

  scenario(
    'is requested once, although the list lags behind it',
    { deployments: [{ name: AGENT }], semantics: { listLag: { seconds: 25 } } },
    async (w) => {
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      await w.pass(120);
      w.store.remove(keyOf(AGENT));
      await w.pass(300);
      expect(gone(w)).toBe(true);
      expect(w.service.log.count('delete')).toBe(1);
    },
  );

  scenario('waits for approval under manual approval', { deployments: [{ name: AGENT }] }, async (w) => {
    w.apply({ deletionPolicy: 'Delete', approval: 'Manual' });
    await w.pass(60);
    w.store.remove(keyOf(AGENT));
    await w.pass(60);
    expect(w.state()).toContain('AwaitingApproval');
    expect(w.service.log.count('delete')).toBe(0);
    w.annotate('approve', w.status().plan?.hash ?? '');
    await w.pass(120);
    expect(gone(w)).toBe(true);
  });
});

describe('a creation', () => {
  scenario('waits for approval under manual approval', { deployments: [] }, async (w) => {
    w.apply({ ...IMAGE, creation: { policy: 'IfMissing' }, approval: 'Manual' });
    await w.pass(60);
    expect(w.state()).toContain('AwaitingApproval');
    expect(w.service.deployments()).toEqual([]);
    w.annotate('approve', w.status().plan?.hash ?? '');
    await w.pass(120);
    expect(w.service.deployments()).toHaveLength(1);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    'by a service that rounds is not followed by a PATCH',
    { deployments: [], semantics: { normalise: ['round1'] } },
    async (w) => {
      w.apply({ creation: { policy: 'IfMissing' }, sourceConfig: { resourceSpec: { cpu: 0.25 } } });
      await w.pass(300);
      expect(w.bodies()).toEqual([]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a removed secret', () => {
  scenario(
    'remains ours when the write that removed it was lost',
    {
      deployments: [{ name: AGENT, secrets: [{ name: 'A', value: 'value-of-a-old' }] }],
      semantics: { secretsEcho: 'stars' },
    },
    async (w) => {
      w.putSecret('tokens', { a: 'value-of-a-new', b: 'value-of-b-new' });
      const ref = (name: string) => ({
        name: name.toUpperCase(),
        valueFrom: { secretKeyRef: { name: 'tokens', key: name } },
      });
      w.apply({ secrets: [ref('a'), ref('b')] });
      await w.pass(120);
      w.fault({ kind: 'status', status: 504 });
      w.apply({ secrets: [ref('a')] });
      await w.pass(400);
      expect(w.kept().content.secrets.map(({ name }) => name)).toEqual(['A']);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a redeploy', () => {
  scenario(
    'whose request was lost is requested once more',
    { semantics: { trigger: 'on-presence' } },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(120);
      const before = w.revisionsMade();
      w.fault({ kind: 'status', status: 504 });
      w.annotate('redeploy', '1');
      await w.pass(400);
      expect(w.revisionsMade()).toBe(before + 1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a revision that never becomes active', () => {
  scenario(
    'does not hide drift once it is overdue',
    { semantics: { rollout: { kind: 'never-active' }, revisionFor: 'revision-config' } },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } }, ...IMAGE, rollout: { deadlineSeconds: 60 } });
      await w.pass(400);
      w.editAtService('source_config.resource_spec.cpu', 7);
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toMatchObject({ resource_spec: { cpu: 2 } });
    },
  );
});

describe('the first write on a connection', () => {
  scenario(
    'without an answer unblocks other resources when its window is over',
    {
      deployments: fleet.map((seed) => ({
        ...seed,
        sourceConfig: { custom_url: 'https://by-hand.example.com' },
      })),
    },
    async (w) => {
      w.service.faults.add({
        match: { operation: 'patch', deployment: 'a' },
        times: 0,
        fault: { kind: 'status', status: 504 },
      });
      for (const name of NAMES) w.apply(IMAGE, name);
      await w.pass(200);
      for (const name of ['b', 'c', 'd']) expect(w.state(name)).toBe('True/InSync True/Active');
      w.service.faults.clear();
      await w.pass(600);
    },
  );

  const two = {
    deployments: fleet.slice(0, 2).map((seed) => ({
      ...seed,
      sourceConfig: { custom_url: 'https://by-hand.example.com' },
    })),
  };

  scenario('that is planned again does not wait for itself', two, async (w) => {
    for (const name of ['a', 'b']) w.apply({}, name);
    await w.pass(60);
    w.slowWrites(8, { operation: 'announce' });
    w.apply(IMAGE, 'a');
    await w.pass(1);
    w.apply(IMAGE, 'b');
    await w.pass(1);
    w.store.remove(keyOf('b'));
    await w.pass(60);
    expect(w.state('a')).toBe('True/InSync True/Active');
  });

  const rare = { rateLimit: { requestsPerSecond: 0.1, burst: 1, concurrency: 4 } };

  scenario(
    'that is planned again under other settings still counts as the first',
    { ...two, connection: rare },
    async (w) => {
      for (const name of ['a', 'b']) w.apply({}, name);
      await w.pass(60);
      w.apply(IMAGE, 'a');
      await w.pass(1);
      w.apply(IMAGE, 'b');
      await w.pass(1);
      w.connect({ ...rare, poll: { rolloutSeconds: 12 } });
      await w.pass(300);
      const names = new Map(w.service.deployments().map(({ id, name }) => [id, name]));
      expect(w.patches().map(({ id }) => names.get(id))).toEqual(['a', 'b']);
    },
  );
});
