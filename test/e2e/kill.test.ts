import { describe, expect, test } from 'vitest';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { inAWorld, type World, type WorldOptions } from '../support/worlds/e2e-world.ts';
import { startFaultProxy } from '../support/fault-proxy/fault-proxy.ts';

const plane = useControlPlane();

const NAMES = Array.from({ length: 10 }, (_, index) => `agent-${index}`);

/** Masked values: only the new revision shows what arrived. */
const TEN = {
  start: false,
  rolloutSeconds: 0,
  semantics: { secretsEcho: 'stars' },
  connectionSpec: { requestTimeoutSeconds: 1 },
  deployments: NAMES.map((name) => ({
    name,
    revisionConfig: { image_uri: 'registry.example.com/agent:1' },
    secrets: [{ name: 'TOKEN', value: 'old' }],
  })),
} as const satisfies WorldOptions;

async function applyTen(world: World): Promise<void> {
  const manifests = NAMES.map((name) => ({
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      source: 'external_container',
      sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
      secrets: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'tokens', key: name } } }],
    },
  }));
  const stringData = Object.fromEntries(NAMES.map((name) => [name, `token-of-${name}`]));
  const tokens = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tokens' }, stringData };
  await world.apply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [tokens, ...manifests] }));
}

/** Expects that every change arrived, and that no deployment got the same PATCH twice. */
function expectOneArrivalEach(world: World): void {
  for (const name of NAMES) {
    const state = world.service.deployment(name);
    expect(state?.content.revisionConfig['image_uri']).toBe('registry.example.com/agent:2');
    expect(state?.content.secrets).toEqual([{ name: 'TOKEN', value: `token-of-${name}` }]);
    expect(world.patches().filter(({ id }) => id === state?.id)).toHaveLength(1);
  }
  expect(world.service.log.violations).toEqual([]);
}

async function allReady(world: World, limit: string): Promise<void> {
  await world.kubectl(
    'wait',
    '--for=condition=Ready',
    `--timeout=${limit}`,
    ...NAMES.map((name) => `dmsd/${name}`),
  );
}

async function allAnnounced(world: World): Promise<boolean> {
  const announced = await world.kubectl(
    'get',
    'dmsd',
    '-o',
    'jsonpath={.items[*].status.pendingWrite.operation}',
  );
  return announced.split(' ').filter((operation) => operation === 'Patch').length === NAMES.length;
}

/** Each waits longer than it works, so both run at the same time. */
describe.concurrent('kill -9', () => {
  test('between announcement and PATCH: every change arrives, once', { timeout: 120_000 }, (context) =>
    inAWorld(plane(), TEN, async (world) => {
      const proxy = await startFaultProxy(plane());
      context.onTestFinished(() => proxy.stop());
      proxy.plan({ method: 'PATCH', resource: 'deployments/status' }, { kind: 'silence' }, Infinity);
      await applyTen(world);
      const first = world.run(proxy.kubeconfigFile);
      await world.until('ten announcements are stored', () => allAnnounced(world), 30_000);
      expect(world.patches()).toEqual([]);
      await first.kill();

      world.run();
      await allReady(world, '90s');
      expectOneArrivalEach(world);
    }),
  );

  test('between PATCH and record: the applied write is found, and not sent again', { timeout: 120_000 }, () =>
    inAWorld(plane(), TEN, async (world) => {
      world.service.faults.add({
        match: { operation: 'patch' },
        fault: { kind: 'apply-then-fail', how: 'hang' },
        times: 10,
      });
      await applyTen(world);
      const first = world.run();
      await world.until('ten PATCHes are applied', () => world.patches().length === NAMES.length, 30_000);
      await first.kill();

      world.run();
      await allReady(world, '90s');
      await world.sweeps(3);
      expectOneArrivalEach(world);
    }),
  );
});
