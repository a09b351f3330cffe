import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as realTime } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClusterOptions } from '../../../src/kubernetes/cluster/cluster-adapter.ts';
import { type ClusterWorld, useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy/fault-proxy.ts';

const plane = useControlPlane();
const start = useClusterWorlds(plane);
const WATCH = { watch: true, resource: 'deployments' } as const;
const STATUS = { resource: 'deployments/status' } as const;
const QUICK: ClusterOptions['tuning'] = { backoffBaseMs: 20, backoffCapMs: 100, stableMs: 1000 };

interface Faulty extends ClusterWorld {
  readonly proxy: FaultProxy;
  /** The number of full lists of deployments that went through the proxy. */
  lists(): number;
  /** The number of requested watches of deployments. */
  watchesAsked(): number;
}

/** Starts an adapter that reaches a real API server through a faulty proxy. Users bypass the proxy. */
async function startBehindProxy(tuning: ClusterOptions['tuning'] = {}): Promise<Faulty> {
  const proxy = await startFaultProxy(plane());
  onTestFinished(() => proxy.stop());
  const world = await start({ kubeconfig: proxy.kubeconfigFile, tuning: { ...QUICK, ...tuning } });
  await world.create('first');
  await world.adapter.start(new AbortController().signal);
  await expect.poll(() => proxy.underWay(WATCH)).toHaveLength(1);
  const asked = (kind: string): number => proxy.log.count(`${kind} deployments`);
  return { ...world, proxy, lists: () => asked('list'), watchesAsked: () => asked('watch') };
}

describe('behind a faulty connection to a real API server', () => {
  it('misses nothing when watches are cut again and again, and lists only once', async () => {
    const world = await startBehindProxy();
    for (let turn = 0; turn < 8; turn += 1) {
      world.proxy.strike(WATCH, { kind: 'cut' });
      await world.create(`during-${turn}`);
      await world.caughtUp();
    }
    await world.api('DELETE', world.deployments('during-3'));
    world.proxy.strike(WATCH, { kind: 'cut' });
    await world.caughtUp();
    expect(world.lists()).toBe(1);
    expect(world.counted.lost).toBe(0);
  });

  it('notices a connection that is up and dead', async () => {
    const world = await startBehindProxy({ idleMs: 400 });
    world.proxy.strike(WATCH, { kind: 'silence' });
    await world.create('unheard');
    await world.caughtUp();
    expect(world.lists()).toBe(1);
  });

  it('lists again for 410 in the stream, and reports only what changed', async () => {
    const world = await startBehindProxy();
    const keys: string[] = [];
    world.adapter.informers.deployments.subscribe({ onChange: ({ name }) => keys.push(name) });
    world.proxy.strike(WATCH, { kind: 'silence' });
    await world.create('second');
    world.proxy.strike(WATCH, { kind: 'error-event', code: 410 });
    await world.caughtUp();
    expect(world.lists()).toBe(2);
    expect(keys).toEqual(['second']);
    expect(world.counted.lost).toBe(0);
  });

  it('lists again where the watch itself is refused with 410', async () => {
    const world = await startBehindProxy();
    world.proxy.plan(WATCH, { kind: 'status', status: 410 });
    world.proxy.strike(WATCH, { kind: 'cut' });
    await world.create('second');
    await world.caughtUp();
    expect(world.lists()).toBe(2);
  });

  it('lists again after an unreadable line', async () => {
    const world = await startBehindProxy();
    world.proxy.strike(WATCH, { kind: 'corrupt' });
    await world.create('second');
    await world.caughtUp();
    expect(world.lists()).toBe(2);
  });

  it('keeps its version through 429 and 5xx answers to the watch', async () => {
    const world = await startBehindProxy();
    world.proxy.plan(WATCH, { kind: 'status', status: 429, retryAfter: '0' });
    world.proxy.plan(WATCH, { kind: 'status', status: 503 });
    world.proxy.strike(WATCH, { kind: 'cut' });
    await world.create('second');
    await world.caughtUp();
    expect(world.lists()).toBe(1);
    expect(world.watchesAsked()).toBe(4);
  });

  it('starts a list over when the token of its second page has expired', async () => {
    const proxy = await startFaultProxy(plane());
    onTestFinished(() => proxy.stop());
    const world = await start({ kubeconfig: proxy.kubeconfigFile, tuning: { ...QUICK, pageLimit: 2 } });
    for (const name of ['a', 'b', 'c']) await world.create(name);
    proxy.plan({ contains: 'continue=' }, { kind: 'status', status: 410 });
    await world.adapter.start(new AbortController().signal);
    expect(world.adapter.informers.deployments.list()).toHaveLength(3);
  });

  it('lands a status that must land although the API server fails twice', async () => {
    const world = await startBehindProxy();
    const store = world.adapter.deploymentStore;
    const before = await store.get(world.key('first'));
    if (before === undefined) throw new Error('first should be there');
    world.proxy.plan(STATUS, { kind: 'status', status: 503 });
    world.proxy.plan(STATUS, { kind: 'status', status: 500 });
    const saved = await store.saveStatus(
      before,
      { observedGeneration: 1, name: 'landed' },
      { mustLand: true },
    );
    expect(saved).toMatchObject({ status: { name: 'landed' } });
    expect(world.proxy.log.count('patch deployments/status')).toBe(3);
  });

  it.each([
    ['is cut in the middle of a line', { kind: 'cut-mid-line' }],
    ['ends in a chunk that is cut short', { kind: 'truncated-chunk' }],
    ['is closed as agreed', { kind: 'close' }],
    ['comes a few bytes at a time', { kind: 'drip', everyMs: 1, bytes: 97 }],
    ['comes late', { kind: 'pause', ms: 300 }],
  ] as const)('misses nothing of a watch that %s', async (_what, fault) => {
    const world = await startBehindProxy();
    const keys: string[] = [];
    world.adapter.informers.deployments.subscribe({ onChange: ({ name }) => keys.push(name) });
    expect(world.proxy.strike(WATCH, fault)).toBe(1);
    await world.create('second');
    await world.create('third');
    await world.caughtUp();
    expect(keys).toEqual(['second', 'third']);
    expect(world.lists()).toBe(1);
  });

  it('misses nothing of a watch in which a line is corrupt, and lists again', async () => {
    const world = await startBehindProxy();
    world.proxy.strike(WATCH, { kind: 'corrupt' });
    await world.create('second');
    await world.create('third');
    await world.caughtUp();
    expect(world.lists()).toBe(2);
  });

  it('reports a namesake that came while it was away as gone and come', async () => {
    const world = await startBehindProxy();
    const uids: (readonly [boolean, boolean])[] = [];
    world.adapter.informers.deployments.subscribe({
      concerns: ({ before, after }) => uids.push([before !== undefined, after !== undefined]) > 0,
      onChange: () => undefined,
    });
    world.proxy.plan({ ...WATCH }, { kind: 'status', status: 410 });
    world.proxy.plan({ method: 'GET', resource: 'deployments', watch: false }, { kind: 'delay', ms: 400 });
    world.proxy.strike(WATCH, { kind: 'cut' });
    await world.api('DELETE', world.deployments('first'));
    await world.create('first');
    await world.caughtUp();
    expect(uids).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(world.counted.lost).toBe(0);
  });
});

describe('during a rotation of credentials', () => {
  it('a refused token is read again, for watches and for calls', async () => {
    const world = await startBehindProxy();
    await world.proxy.rotateTokens();
    world.proxy.strike(WATCH, { kind: 'cut' });
    await world.create('second');
    await world.caughtUp();
    await world.adapter.transport.request('GET', world.deployments('second'));
    expect(world.lists()).toBe(1);
    expect(world.logger.messages('warn')).not.toContain('list failed');
  });

  it('an authority that does not vouch for the server is read again, and open watches continue', async () => {
    const world = await startBehindProxy();
    await world.proxy.rotateAuthority();
    await world.create('second');
    await world.caughtUp();
    expect(world.watchesAsked()).toBe(1);
    world.proxy.strike({}, { kind: 'cut' });
    await world.create('third');
    await world.caughtUp();
    await world.adapter.transport.request('GET', world.deployments('third'));
    expect(world.lists()).toBe(1);
  });

  it('a server that cannot be trusted gets no more requests until it can be trusted', async () => {
    const world = await startBehindProxy();
    const trusted = await readFile(world.proxy.kubeconfigFile, 'utf8');
    await world.proxy.rotateAuthority();
    const renewed = await readFile(world.proxy.kubeconfigFile, 'utf8');
    await writeFile(world.proxy.kubeconfigFile, trusted);
    world.proxy.strike({}, { kind: 'cut' });
    await world.create('second');
    await expect.poll(() => world.logger.messages('warn')).toContain('watch failed');
    await realTime(300);
    expect(world.adapter.informers.deployments.get(world.namespace, 'second')).toBeUndefined();
    await writeFile(world.proxy.kubeconfigFile, renewed);
    await world.caughtUp();
  });
});
