import { describe, expect, test } from 'vitest';
import { classify } from '../../../src/model/connection/failure.ts';
import type { Observation, WriteAnswer } from '../../../src/model/external/observation.ts';
import type { CreateBody, PatchBody } from '../../../src/model/external/patch-body.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import type { Fault } from '../../../src/simulator/faults/scenario.ts';
import { deploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import { Bench, type Given, NAMED, present } from '../support/bench.ts';

/** Request timeout and consistency window: the time for which the answer to a write outranks the list. */
const WINDOW_MS = 60_000;

const AGENT = {
  name: 'agent',
  sourceConfig: { custom_url: 'https://a.example.com', resource_spec: { cpu: 1, gpu_count: 2 } },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
  secrets: [{ name: 'TOKEN', value: 'hunter22' }],
};

const url = (customURL: string): PatchBody => ({ sourceConfig: { fields: { customURL } } });

/** Creates a connection with one deployment, and patches it the way the core does. */
async function aClient(given: Given = {}) {
  const bench = new Bench({ ...given, named: [AGENT, ...(given.named ?? [])] });
  const client = await bench.ready();
  const id = bench.id('agent');
  const before = present(await bench.observe(client, 'agent'));
  await bench.clock.advance(1_000);
  const patch = async (body: PatchBody): Promise<WriteAnswer> => {
    const write = (): Promise<WriteAnswer> => client.patch(id, { before, body }, bench.signal);
    const answer = await bench.clock.runUntil(
      client.withPermit({ priority: 'user', namespace: 'team-a' }, write, bench.signal),
    );
    if (answer.kind === 'passed up') throw new Error('nobody passes up this permit');
    return answer;
  };
  const look = (
    more: { readonly fresh?: boolean; readonly proveAbsence?: boolean } = {},
  ): Promise<Observation> =>
    bench.observeID(client, id, {
      notOlderThanMs: more.fresh === true ? bench.clock.now() : 0,
      ...(more.proveAbsence === true ? { proveAbsence: true } : {}),
    });
  return { bench, client, id, before, patch, look };
}

const urlOf = (observation: Observation): unknown => present(observation).sourceConfig?.fields['customURL'];

describe('a deployment', () => {
  test('is found by its exact name, and by its id in any case', async () => {
    const { bench, client, id } = await aClient({ named: [{ name: 'agent-2' }, { name: 'Agent' }] });
    expect(present(await bench.observe(client, 'agent')).id).toBe(id);
    expect(present(await bench.observeID(client, id.toUpperCase())).name).toBe('agent');
    expect(await bench.observe(client, 'agen')).toMatchObject({ kind: 'absent', proven: false });
  });

  test('that shares its name with another is ambiguous', async () => {
    const { bench, client, id } = await aClient();
    bench.service.setSemantics({ duplicateNames: 'allowed' });
    bench.service.act({ kind: 'add', seed: deploymentSeed('agent') });
    await bench.clock.advance(1);
    const seen = await bench.observe(client, 'agent', { notOlderThanMs: bench.clock.now() });
    expect(seen).toMatchObject({ kind: 'ambiguous', ids: expect.arrayContaining([id]) as unknown });
  });

  test('at rest is read from the shared snapshot without a call', async () => {
    const { bench, look } = await aClient();
    const calls = await bench.listCalls(async () => {
      for (let n = 0; n < 100; n += 1) await look();
    });
    expect(calls).toBe(0);
  });

  test('is returned with the time at which the sweep that showed it began', async () => {
    const { bench, look } = await aClient({ semantics: { latencyMs: 500 } });
    const askedMs = bench.clock.now();
    expect(await look({ fresh: true })).toMatchObject({ via: 'list', beganMs: askedMs });
  });

  test('without source and status is still found (H34)', async () => {
    const { before } = await aClient({ semantics: { listShape: ['no-source-status'] } });
    expect(before).not.toHaveProperty('source');
    expect(before).not.toHaveProperty('serviceStatus');
    expect(before.latestRevisionID).toBeDefined();
  });
});

describe('absence', () => {
  test('is proven by two complete passes, and by nothing less', async () => {
    const { bench, client } = await aClient({ many: 150 });
    expect(await bench.observe(client, 'nobody')).toMatchObject({ kind: 'absent', proven: false });
    const calls = await bench.listCalls(async () => {
      const seen = await bench.observe(client, 'nobody', { proveAbsence: true });
      expect(seen).toMatchObject({ kind: 'absent', proven: true });
    });
    // The first complete pass is already available.
    expect(calls).toBe(3);
  });

  test('is proven by one more pass if a steady pass reached the end of the list', async () => {
    const { bench, client } = await aClient({ many: 99 });
    await bench.clock.advance(75_000);
    expect(bench.metrics.count(`${NAMED} swept complete`)).toBeGreaterThan(1);
    const calls = await bench.listCalls(async () => {
      const seen = await bench.observe(client, 'nobody', { proveAbsence: true });
      expect(seen).toMatchObject({ kind: 'absent', proven: true });
    });
    expect(calls).toBe(2);
  });

  test('is proven by two passes even if the clock does not move during one', async () => {
    const { bench, client } = await aClient({ many: 150 });
    const proof = { notOlderThanMs: bench.clock.now(), proveAbsence: true };
    expect(await bench.listCalls(() => bench.observe(client, 'nobody', proof))).toBe(6);
  });

  test('is not concluded for a deployment that moved to the page before while another was deleted (H32)', async () => {
    const bench = new Bench({ many: 200, named: [AGENT] });
    const client = await bench.ready();
    await bench.clock.advance(1_000);
    // The list shows `agent` first on its third page. It becomes the last item of the second page before that page is
    // read.
    bench.service.actions.add({
      match: { operation: 'list', nth: 3 },
      action: { kind: 'delete', deployment: 'load-00000' },
    });
    const first = await bench.observe(client, 'agent', { notOlderThanMs: bench.clock.now() });
    expect(first).toMatchObject({ kind: 'absent', proven: false });
    const proof = { notOlderThanMs: bench.clock.now(), proveAbsence: true };
    expect((await bench.observe(client, 'agent', proof)).kind).toBe('present');
  });

  test('is not concluded if the offset does not advance, and the list is not read again and again (H33)', async () => {
    const bench = new Bench({ many: 150, named: [AGENT], semantics: { paramNames: 'others' } });
    const client = await bench.ready();
    await bench.clock.advance(1_000);
    const calls = await bench.listCalls(async () => {
      for (let n = 0; n < 10; n += 1) {
        const seen = await bench.observe(client, 'agent', { proveAbsence: true });
        expect(seen).toMatchObject({ kind: 'absent', proven: false });
      }
    });
    expect(calls).toBe(0);
  });

  test('is not concluded if an item of the list cannot be read', async () => {
    const { bench, client } = await aClient();
    const body = JSON.stringify({ resources: [{ id: 'x' }], offset: 1 });
    bench.service.faults.add({
      match: { operation: 'list' },
      times: 0,
      fault: { kind: 'status', status: 200, body },
    });
    const proof = { notOlderThanMs: bench.clock.now(), proveAbsence: true };
    expect(await bench.observe(client, 'agent', proof)).toMatchObject({ kind: 'absent', proven: false });
  });

  test('is not proven by a pass that makes the connection doubtful (H52)', async () => {
    const { bench, client } = await aClient({ many: 4 });
    await bench.clock.advance(1_000);
    bench.bound = bench.service.deployments().map(({ id }) => id);
    bench.service.faults.add({
      match: { operation: 'list' },
      fault: { kind: 'status', status: 200, body: '{"resources":[],"offset":0}' },
    });
    const proof = { notOlderThanMs: bench.clock.now(), proveAbsence: true };
    expect(await bench.observe(client, 'nobody', proof)).toMatchObject({ kind: 'absent', proven: false });
    expect(await bench.observe(client, 'nobody', proof)).toMatchObject({ kind: 'absent', proven: false });
    await bench.clock.advance(75_000);
    const later = { ...proof, notOlderThanMs: bench.clock.now() };
    expect(await bench.observe(client, 'nobody', later)).toMatchObject({ kind: 'absent', proven: true });
  });

  test('of most bound deployments makes the connection doubtful (H52)', async () => {
    const { bench, client } = await aClient({ many: 4 });
    bench.bound = bench.service.deployments().map(({ id }) => id.toUpperCase());
    bench.service.setSemantics({ auth: { kind: 'tenant-header', name: 'X-Tenant-Id' } });
    bench.configure({
      headers: [{ name: 'X-Tenant-Id', value: new SecretValue('11111111-1111-4111-8111-111111111111') }],
    });
    const proof = { notOlderThanMs: bench.clock.now(), proveAbsence: true };
    await expect(bench.observe(client, 'agent', proof)).rejects.toMatchObject({ reason: 'MassAbsence' });
    expect(bench.troubles).toEqual([NAMED]);
  });
});

describe('after a write (N30)', () => {
  test('its answer outranks a list that still shows the old state (H31)', async () => {
    const { bench, patch, look } = await aClient({ semantics: { listLag: { seconds: 20 } } });
    const answer = await patch(url('https://b.example.com'));
    const endedMs = bench.clock.now();
    expect(answer).toMatchObject({ kind: 'shown', beganMs: endedMs });
    for (let passed = 0; passed < 20_000; passed += 4_000) {
      const seen = await look({ fresh: true });
      expect(seen).toMatchObject({ via: 'answer', beganMs: endedMs });
      expect(urlOf(seen)).toBe('https://b.example.com');
      await bench.clock.advance(4_000);
    }
    expect(await look({ fresh: true })).toMatchObject({ via: 'list' });
  });

  test('a later read that agrees with the answer counts, and shows the progress since', async () => {
    const { bench, patch, look } = await aClient({ semantics: { rollout: { kind: 'after', seconds: 10 } } });
    await patch({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
    await bench.clock.advance(5_000);
    const rolling = present(await look({ fresh: true }));
    expect(rolling.activeRevisionID).not.toBe(rolling.latestRevisionID);
    await bench.clock.advance(6_000);
    const seen = await look({ fresh: true });
    expect(seen).toMatchObject({ via: 'list' });
    expect(present(seen).activeRevisionID).toBe(present(seen).latestRevisionID);
  });

  test('a read that contradicts the answer counts if its pass began after the window', async () => {
    const { bench, patch, look } = await aClient();
    await patch(url('https://b.example.com'));
    bench.service.act({
      kind: 'edit',
      deployment: 'agent',
      path: 'source_config.custom_url',
      value: 'https://c',
    });
    await bench.clock.advance(WINDOW_MS - 1);
    expect(urlOf(await look({ fresh: true }))).toBe('https://b.example.com');
    await bench.clock.advance(1);
    expect(urlOf(await look({ fresh: true }))).toBe('https://c');
  });

  test('a pass that began before the answer counts for nothing, whenever it ended', async () => {
    const { bench, client, id, before } = await aClient({ many: 150 });
    bench.service.faults.add({ match: { operation: 'list' }, times: 1, fault: { kind: 'delay', ms: 8_000 } });
    const now = { notOlderThanMs: bench.clock.now(), priority: 'user' as const };
    const observing = client.observe({ by: 'id', id }, now, bench.signal);
    await bench.clock.advance(1_000);
    const write = client.patch(id, { before, body: url('https://b.example.com') }, bench.signal);
    await bench.clock.runUntil(write);
    expect(await bench.clock.runUntil(observing)).toMatchObject({ via: 'answer' });
  });

  test('an answer that shows the old state outranks nothing (N14)', async () => {
    const { patch, look } = await aClient({ semantics: { patchEcho: 'pre' } });
    await patch(url('https://b.example.com'));
    expect(urlOf(await look({ fresh: true }))).toBe('https://b.example.com');
  });

  test('the fields that an answer leaves out keep their old values, so that the next write loses nothing (H2)', async () => {
    const { patch, look } = await aClient({
      semantics: { patchEcho: 'partial', listLag: { seconds: 20 } },
    });
    await patch({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
    const seen = await look({ fresh: true });
    expect(seen).toMatchObject({ via: 'answer' });
    expect(present(seen).sourceConfig?.resourceSpec).toEqual({
      fields: { cpu: 1 },
      unknown: { gpu_count: 2 },
    });
    expect(present(seen).sourceRevisionConfig?.fields['imageURI']).toBe('registry.example.com/agent:2');
  });

  test.each<[what: string, fault: Fault]>([
    ['whose outcome is unknown', { kind: 'apply-then-fail', how: 500 }],
    ['that never was answered', { kind: 'apply-then-fail', how: 'reset' }],
  ])('its answer no longer counts after another write %s', async (_what, fault) => {
    const { bench, patch, look } = await aClient();
    await patch(url('https://b.example.com'));
    bench.service.faults.add({ match: { operation: 'patch' }, fault });
    await patch(url('https://c.example.com')).catch(classify);
    expect(urlOf(await look({ fresh: true }))).toBe('https://c.example.com');
  });

  test('its answer no longer counts after another write that was answered without a deployment', async () => {
    const { bench, patch, look } = await aClient();
    await patch(url('https://b.example.com'));
    bench.service.setSemantics({ patchEcho: 'empty-204' });
    await patch(url('https://c.example.com'));
    expect(urlOf(await look({ fresh: true }))).toBe('https://c.example.com');
  });

  test('its answer still outranks a lagging list after another write was refused', async () => {
    const { bench, patch, look } = await aClient({ semantics: { listLag: { seconds: 20 } } });
    await patch(url('https://b.example.com'));
    bench.service.faults.add({ match: { operation: 'patch' }, fault: { kind: 'status', status: 422 } });
    await patch(url('https://c.example.com')).catch(classify);
    expect(urlOf(await look({ fresh: true }))).toBe('https://b.example.com');
  });

  test('an accepted deletion invalidates earlier answers', async () => {
    const { bench, client, id, patch, look } = await aClient();
    await patch(url('https://b.example.com'));
    expect(await bench.clock.runUntil(client.remove({ id, name: 'agent' }, bench.signal))).toBe('accepted');
    expect(await look({ fresh: true, proveAbsence: true })).toMatchObject({ kind: 'absent', proven: true });
    expect(await bench.clock.runUntil(client.remove({ id, name: 'agent' }, bench.signal))).toBe('gone');
  });

  test('a PATCH that finds no deployment invalidates earlier answers', async () => {
    const { bench, patch, look } = await aClient();
    await patch(url('https://b.example.com'));
    bench.service.act({ kind: 'delete', deployment: 'agent' });
    const failure = await patch(url('https://c.example.com')).catch(classify);
    expect(failure).toMatchObject({ kind: 'transient', reason: 'Retrying', sent: 'no', status: 404 });
    expect((await look({ fresh: true })).kind).toBe('absent');
  });
});

describe('the answer to a PATCH', () => {
  const reply = (body: string, status = 200): Fault => ({ kind: 'status', status, body });

  test.each<[what: string, fault: Fault]>([
    ['202', reply('', 202)],
    ['204', reply('', 204)],
    ['an empty body', reply('')],
    ['HTML', { kind: 'wrong-type' }],
    ['half a body', { kind: 'truncate' }],
    ['another deployment', reply('{"id":"00000000-0000-4000-8000-000000000001","name":"agent"}')],
    ['a list', reply('[]')],
    ['a deployment without a name', reply('{"id":"00000000-0000-4000-8000-000000000001"}')],
    ['a field of another type', reply('{"id":"a","name":"b","secrets":"none"}')],
  ])('that is %s proves nothing', async (_what, fault) => {
    const { bench, patch } = await aClient();
    bench.service.faults.add({ match: { operation: 'patch' }, fault });
    expect(await patch(url('https://b.example.com'))).toMatchObject({ kind: 'unclear' });
    expect(bench.service.log.count('patch')).toBe(1);
  });

  test.each<[what: string, fault: Fault]>([
    ['a reset', { kind: 'apply-then-fail', how: 'reset' }],
    ['silence', { kind: 'apply-then-fail', how: 'hang' }],
    ['a cut body', { kind: 'reset-mid-body' }],
    ['500', { kind: 'apply-then-fail', how: 500 }],
    ['503', { kind: 'apply-then-fail', how: 503 }],
  ])(
    'that is %s may hide that it was applied: it is sent once, and affects no other deployment',
    async (_what, fault) => {
      const { bench, patch } = await aClient();
      bench.service.faults.add({ match: { operation: 'patch' }, fault });
      const failure = await patch(url('https://b.example.com')).catch(classify);
      expect(failure).toMatchObject({ kind: 'transient', reason: 'OutcomeUnknown', sent: 'perhaps' });
      expect(bench.service.log.count('patch')).toBe(1);
      expect(bench.troubles).toEqual([]);
    },
  );

  test.each<[status: number, reason: string]>([
    [401, 'AuthFailed'],
    [302, 'Redirected'],
  ])('that is %i affects every deployment on the connection', async (status, reason) => {
    const { bench, patch } = await aClient();
    bench.service.faults.add({ match: { operation: 'patch' }, fault: { kind: 'status', status } });
    await expect(patch(url('https://b.example.com'))).rejects.toMatchObject({ reason, sent: 'no' });
    expect(bench.troubles).toEqual([NAMED]);
  });

  test('that is 403 affects this deployment alone', async () => {
    const { bench, patch } = await aClient();
    bench.service.faults.add({ match: { operation: 'patch' }, fault: { kind: 'status', status: 403 } });
    expect(await patch(url('https://b.example.com')).catch(classify)).toMatchObject({ reason: 'Forbidden' });
    expect(bench.troubles).toEqual([]);
  });

  test('that repeats the request shows no secret, neither a sent one nor one shown before (H18)', async () => {
    const { bench, patch } = await aClient({ semantics: { errorEcho: true } });
    const sent = new SecretValue('correct horse battery staple');
    const invalid = {
      sourceConfig: { fields: { listenerConfig: 7 } },
      secrets: [{ name: 'TOKEN', value: sent }],
    };
    const error = (await patch(invalid).catch((caught: unknown) => caught)) as Error;
    expect(error.message).toContain('422');
    expect(error.message).not.toMatch(/horse|staple/);
    const body = JSON.stringify({ detail: 'TOKEN is hunter22 already' });
    bench.service.faults.add({ match: { operation: 'patch' }, fault: { kind: 'status', status: 422, body } });
    const shown = (await patch(url('https://b')).catch((caught: unknown) => caught)) as Error;
    expect(shown.message).toBe('PATCH was answered with 422: TOKEN is [redacted] already');
  });
});

describe('a creation', () => {
  const body: CreateBody = { name: 'new', source: 'external_container', secrets: [], extra: {} };

  test('is found by its name before the list shows it', async () => {
    const { bench, client } = await aClient({ semantics: { listLag: { seconds: 20 } } });
    const answer = await bench.clock.runUntil(client.create(body, bench.signal));
    if (answer.kind !== 'shown') throw new Error(answer.why);
    const seen = await bench.observe(client, 'new', { notOlderThanMs: bench.clock.now() });
    expect(present(seen).id).toBe(answer.deployment.id);
    expect(seen).toMatchObject({ via: 'answer' });
  });

  test.each([404, 405, 501])('that the service does not offer (%i) is terminal', async (status) => {
    const { bench, client } = await aClient();
    bench.service.faults.add({ match: { operation: 'create' }, fault: { kind: 'status', status } });
    const failure = await bench.clock.runUntil(client.create(body, bench.signal).catch(classify));
    expect(failure).toMatchObject({ kind: 'terminal', reason: 'Rejected' });
  });
});

describe('a deletion', () => {
  test.each([404, 410])('of a missing deployment (%i) succeeds', async (status) => {
    const { bench, client, id } = await aClient();
    bench.service.faults.add({ match: { operation: 'delete' }, fault: { kind: 'status', status } });
    expect(await bench.clock.runUntil(client.remove({ id, name: 'agent' }, bench.signal))).toBe('gone');
  });

  test.each([405, 501])('that the service does not support (%i) is reported as such', async (status) => {
    const { bench, client, id } = await aClient();
    bench.service.faults.add({ match: { operation: 'delete' }, fault: { kind: 'status', status } });
    const failure = await bench.clock.runUntil(
      client.remove({ id, name: 'agent' }, bench.signal).catch(classify),
    );
    expect(failure).toMatchObject({ kind: 'terminal', reason: 'DeleteNotSupported' });
  });
});

describe('a read that fails', () => {
  test.each<[what: string, fault: Fault]>([
    ['a reset', { kind: 'reset-before' }],
    ['silence', { kind: 'hang' }],
    ['a cut body', { kind: 'reset-mid-body' }],
  ])(
    'by %s has changed nothing: it is not treated as a write with an unknown outcome',
    async (_what, fault) => {
      const { bench, look } = await aClient();
      bench.service.faults.add({ match: { operation: 'list' }, times: 0, fault });
      const failure = await look({ fresh: true }).catch(classify);
      expect(failure).toMatchObject({ kind: 'waiting', reason: 'ConnectionNotReady', sent: 'no' });
    },
  );

  test('once is repeated, and no error is reported', async () => {
    const { bench, look } = await aClient();
    bench.service.faults.add({ match: { operation: 'list' }, times: 2, fault: { kind: 'reset-before' } });
    expect((await look({ fresh: true })).kind).toBe('present');
    expect(bench.troubles).toEqual([]);
  });

  test('continues for the other callers when one gives up', async () => {
    const { bench, client, id, look } = await aClient({ semantics: { latencyMs: 1_000 } });
    const caller = new AbortController();
    const now = { notOlderThanMs: bench.clock.now(), priority: 'user' as const };
    const given = client
      .observe({ by: 'id', id }, now, caller.signal)
      .catch((error: unknown) => String(error));
    const other = look({ fresh: true });
    caller.abort(new Error('given up'));
    expect(await given).toBe('Error: given up');
    expect((await other).kind).toBe('present');
  });
});

test('secrets count as listed from the first list that shows one, permanently', async () => {
  const { bench, client } = await aClient();
  expect(client.knowledge.secretsListed).toBe(true);
  bench.service.setSemantics({ secretsEcho: 'omitted' });
  await bench.clock.advance(120_000);
  expect(client.knowledge.secretsListed).toBe(true);
  const silent = await aClient({ semantics: { secretsEcho: 'omitted' } });
  expect(silent.client.knowledge.secretsListed).toBe(false);
});
