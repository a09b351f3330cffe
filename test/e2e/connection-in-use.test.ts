import { afterEach, describe, expect, test } from 'vitest';
import type { ConnectionResource } from '../../src/api/connection.ts';
import { aWorld, type World } from '../support/worlds/e2e-world.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();

const AGENT = 'agent';
const IMAGE = 'registry.example.com/agent:1';

function manifest(deletionPolicy: 'Delete' | 'Orphan'): string {
  return JSON.stringify({
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Deployment',
    metadata: { name: AGENT },
    spec: {
      deploymentRef: { name: AGENT },
      source: 'external_container',
      sourceRevisionConfig: { imageURI: IMAGE },
      deletionPolicy,
    },
  });
}

async function connectionOf(world: World): Promise<ConnectionResource | undefined> {
  const text = await world.kubectl('get', 'dmsc/default', '--ignore-not-found', '-o', 'json');
  return text.trim() === '' ? undefined : (JSON.parse(text) as ConnectionResource);
}

async function isHeld(world: World): Promise<boolean> {
  return ((await connectionOf(world))?.metadata.finalizers ?? []).includes('dms-operator.dev/connection');
}

async function saysInUse(world: World): Promise<boolean> {
  const { status } = (await connectionOf(world)) ?? {};
  return status?.conditions?.some(({ type, status: is }) => type === 'InUse' && is === 'True') ?? false;
}

describe('a connection at the API server that a deletion needs (K13, R17)', () => {
  let world: World;
  afterEach(() => world.end());

  async function begin(): Promise<void> {
    world = await aWorld(plane(), {
      rolloutSeconds: 0,
      deployments: [{ name: AGENT, revisionConfig: { image_uri: IMAGE } }],
    });
    await world.apply(manifest('Delete'));
    await world.untilReason(AGENT, 'InSync');
    await world.until('the connection is held', () => isHeld(world));
  }

  test('waits when it is deleted, and is released after its last use', async () => {
    await begin();
    await world.kubectl('delete', 'dmsc/default', '--wait=false');
    await world.until('the connection says InUse', () => saysInUse(world));
    const { resourceVersion } = (await connectionOf(world))?.metadata ?? {};
    expect(resourceVersion).toBeDefined();
    await world.apply(manifest('Orphan'));
    await world.until('the connection is gone', async () => (await connectionOf(world)) === undefined);
    expect(world.service.deployment(AGENT)).toBeDefined();
  });

  test('outlives the deployments of a namespace that is deleted, and both end', async () => {
    await begin();
    await world.kubectl('delete', 'namespace', world.namespace, '--wait=false');
    // As the namespace controller does it, in the worst order.
    await world.kubectl('delete', 'dmsc', '--all', '--wait=false');
    await world.kubectl('delete', 'dmsd', '--all', '--wait=false');
    await world.until('the deployment is gone', () => world.service.deployment(AGENT) === undefined);
    await world.until('both resources are gone', async () => {
      const left = await world.kubectl('get', 'dmsd,dmsc', '-o', 'name');
      return left.trim() === '';
    });
  });
});
