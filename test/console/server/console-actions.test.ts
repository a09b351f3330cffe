import { beforeEach, describe, expect, test } from 'vitest';
import { awaitingApproval, inState } from '../../support/console/fleet-of-states.ts';
import { MemorySource } from '../../support/console/memory-source.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { servedConsole } from '../../support/console/served-console.ts';

const [HASH, OTHER] = ['5c1e0b7a90d2f1c44e07', '00000b7a90d2f1c44e07'];
const PAUSED = { 'dms-operator.dev/paused': 'true' };

let source: MemorySource;
beforeEach(() => {
  source = new MemorySource([
    awaitingApproval('asks', HASH),
    inState('calm', 'InSync'),
    inState('rests', 'InSync', { annotations: PAUSED }),
  ]);
});

const signed = async () => (await servedConsole(source, { allowActions: true })).signIn();
const about = (action: string, name: string, more: object = {}) => ({
  ...{ action, namespace: 'team-a', name, resourceVersion: '7', ...more },
});

describe('an action', () => {
  test.each([
    [about('approve', 'asks', { hash: HASH }), { name: 'dms-operator.dev/approve', value: HASH }],
    [about('pause', 'calm'), { name: 'dms-operator.dev/paused', value: 'true' }],
    [about('resume', 'rests'), { name: 'dms-operator.dev/paused', value: null }],
    [
      about('reconcile', 'calm'),
      { name: 'dms-operator.dev/reconcile-at', value: expect.stringMatching(/^\d{4}-.*Z$/) },
    ],
    [
      about('redeploy', 'calm'),
      { name: 'dms-operator.dev/redeploy', value: expect.stringMatching(/^\d{4}-.*Z$/) },
    ],
  ])('sets the annotation that its command sets: %j', async (request, change) => {
    const { post } = await signed();
    expect(await post('/api/actions', request)).toMatchObject({
      status: 200,
      json: { done: expect.any(String) },
    });
    expect(source.changes).toEqual([change]);
  });

  test('without effect is reported as such', async () => {
    const { post } = await signed();
    expect((await post('/api/actions', about('pause', 'rests'))).json).toEqual({
      done: 'team-a/rests is paused already',
    });
    expect(source.changes).toEqual([]);
  });

  test('approves no plan but the one that was seen, and shows the one that waits', async () => {
    const { post } = await signed();
    source.resources = [awaitingApproval('asks', OTHER, 'agent:3')];
    const answer = await post('/api/actions', about('approve', 'asks', { hash: HASH }));
    expect(answer).toMatchObject({
      status: 409,
      json: {
        error: expect.stringContaining(OTHER),
        screen: { plan: { hash: OTHER, changes: [{ to: 'agent:3' }] } },
      },
    });
    expect(source.changes).toEqual([]);
  });

  test('is done on no other version, be it in the moment of the change', async () => {
    const { post } = await signed();
    expect(await post('/api/actions', about('pause', 'calm', { resourceVersion: '6' }))).toMatchObject({
      status: 409,
    });
    source.end = { kind: 'changed' };
    source.meanwhile = () => (source.resources = [awaitingApproval('asks', OTHER)]);
    const answer = await post('/api/actions', about('approve', 'asks', { hash: HASH }));
    expect(answer).toMatchObject({ status: 409, json: { screen: { plan: { hash: OTHER } } } });
    expect(source.changes).toEqual([]);
  });

  test('on a deleted resource is refused', async () => {
    const { post } = await signed();
    expect(await post('/api/actions', about('pause', 'nowhere'))).toMatchObject({
      status: 409,
      json: { error: expect.stringContaining('deleted') },
    });
  });

  test('without the right names the right, and is not offered for a minute', async () => {
    const clock = { ...systemClock, now: () => nowMs };
    let nowMs = Date.now();
    const { post, get } = await (await servedConsole(source, { allowActions: true, clock })).signIn();
    source.end = {
      kind: 'forbidden',
      missingRight: 'patch deployments.dms-operator.dev in namespace team-a',
    };
    const missingRight = 'patch deployments.dms-operator.dev in namespace team-a';
    expect(await post('/api/actions', about('pause', 'calm'))).toMatchObject({
      status: 403,
      json: { missingRight },
    });
    const pause = async (): Promise<object> => {
      const { json } = await get('/api/deployment?namespace=team-a&name=calm');
      return json.actions.find(({ action }: { action: string }) => action === 'pause');
    };
    expect(await pause()).toMatchObject({ allowed: false, why: `you lack the right to ${missingRight}` });
    nowMs += 60_000;
    expect(await pause()).toMatchObject({ allowed: true });
  });
});
