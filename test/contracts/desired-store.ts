import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANNOTATIONS, type DeploymentResource, type DeploymentStatus } from '../../src/api/deployment.ts';
import { API_VERSION, type Key, keyOf } from '../../src/api/metadata.ts';
import type { DesiredStore } from '../../src/ports/stores/desired-store.ts';

/** A store, and what users and other processes can do to it from outside. */
export interface DesiredStoreUnderTest {
  readonly store: DesiredStore;
  /** What a user does: creates the resource or replaces its spec, labels and annotations. */
  apply(manifest: DeploymentResource): Promise<void>;
  /** What a user does: deletes the resource. */
  remove(key: Key): Promise<void>;
  /** What another process of ours does: writes the status without a version check. Absent where no other can. */
  readonly overwriteStatus?: (key: Key, status: DeploymentStatus) => Promise<void>;
  /** Resolves when `get` answers from a copy that holds everything done through this harness so far. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
}

/** The manifest that the contract starts from. Every run gets a namespace of its own from the harness's caller. */
export function manifestNamed(
  name: string,
  change: {
    readonly namespace?: string;
    readonly image?: string;
    readonly annotations?: Record<string, string>;
    readonly labels?: Record<string, string>;
  } = {},
): DeploymentResource {
  return {
    apiVersion: API_VERSION,
    kind: 'Deployment',
    metadata: {
      name,
      namespace: change.namespace ?? 'team-a',
      ...(change.annotations === undefined ? {} : { annotations: change.annotations }),
      ...(change.labels === undefined ? {} : { labels: change.labels }),
    },
    spec: {
      deploymentRef: { name },
      source: 'external_container',
      sourceRevisionConfig: { imageURI: change.image ?? 'registry.example.com/agent:1' },
    },
  };
}

/** What every DesiredStore promises, whatever it stands on. `make` gives an empty store each time. */
export function desiredStoreContract(
  name: string,
  make: () => Promise<DesiredStoreUnderTest>,
  options: { readonly namespace?: string } = {},
): void {
  describe(`${name} keeps the contract of a desired store`, () => {
    const namespace = options.namespace ?? 'team-a';
    const key: Key = { kind: 'Deployment', namespace, name: 'agent' };
    let world: DesiredStoreUnderTest;
    let store: DesiredStore;

    beforeEach(async () => {
      world = await make();
      store = world.store;
    });
    afterEach(() => world.stop());

    const manifest = (change: Parameters<typeof manifestNamed>[1] = {}): DeploymentResource =>
      manifestNamed('agent', { namespace, ...change });

    const apply = async (change: Parameters<typeof manifestNamed>[1] = {}): Promise<DeploymentResource> => {
      await world.apply(manifest(change));
      return now();
    };

    const now = async (): Promise<DeploymentResource> => {
      await world.caughtUp();
      const resource = await store.get(key);
      if (resource === undefined) throw new Error('the resource should be there');
      return resource;
    };

    const absent = async (): Promise<boolean> => {
      await world.caughtUp();
      return (await store.get(key)) === undefined;
    };

    const statusOf = (
      observedGeneration: number,
      more: Partial<DeploymentStatus> = {},
    ): DeploymentStatus => ({
      observedGeneration,
      ...more,
    });

    describe('reading', () => {
      it('answers undefined for what does not exist', async () => {
        expect(await absent()).toBe(true);
      });

      it('gives what was applied, with a uid, a version and generation 1', async () => {
        const resource = await apply();
        expect(resource.spec).toMatchObject({
          sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
        });
        expect(resource.metadata.uid).toBeTypeOf('string');
        expect(resource.metadata.resourceVersion).toBeTypeOf('string');
        expect(resource.metadata.generation).toBe(1);
        expect(keyOf(resource)).toEqual(key);
      });

      it('moves the generation with the spec and not with annotations', async () => {
        await apply();
        const annotated = await apply({ annotations: { [ANNOTATIONS.reconcileAt]: 'now' } });
        expect(annotated.metadata.generation).toBe(1);
        expect(annotated.metadata.annotations).toMatchObject({ [ANNOTATIONS.reconcileAt]: 'now' });
        const edited = await apply({ image: 'registry.example.com/agent:2' });
        expect(edited.metadata.generation).toBe(2);
      });
    });

    describe('claiming and releasing', () => {
      it('lets an unclaimed resource go at once', async () => {
        await apply();
        await world.remove(key);
        expect(await absent()).toBe(true);
      });

      it('keeps a claimed resource until it is released, and says that it is being deleted', async () => {
        await store.claim(await apply());
        await world.caughtUp();
        await world.remove(key);
        const deleting = await now();
        expect(deleting.metadata.deletionTimestamp).toBeTypeOf('string');
        await store.release(deleting);
        expect(await absent()).toBe(true);
      });

      it('answers the claimed resource, and claims twice without harm', async () => {
        const claimed = await store.claim(await apply());
        expect(keyOf(claimed)).toEqual(key);
        expect((await store.claim(claimed)).metadata.resourceVersion).toBe(claimed.metadata.resourceVersion);
      });

      it('lets a resource go at once after it was released', async () => {
        const claimed = await store.claim(await apply());
        await store.release(claimed);
        await world.caughtUp();
        await world.remove(key);
        expect(await absent()).toBe(true);
      });

      it('takes the release of a resource that is gone or was never claimed as done', async () => {
        const resource = await apply();
        await store.release(resource);
        await world.remove(key);
        expect(await absent()).toBe(true);
        await store.release(resource);
      });

      it('refuses to claim a resource that is gone', async () => {
        const resource = await apply();
        await world.remove(key);
        expect(await absent()).toBe(true);
        await expect(store.claim(resource)).rejects.toThrow();
      });

      it('moves neither the generation nor the status', async () => {
        const claimed = await store.claim(await apply());
        expect(claimed.metadata.generation).toBe(1);
        expect(claimed.status?.deploymentID).toBeUndefined();
      });
    });

    describe('announcing', () => {
      it('writes the status and answers the resource that carries it', async () => {
        const answer = await store.announce(await apply(), statusOf(1, { name: 'agent' }));
        expect(answer).toMatchObject({ status: { observedGeneration: 1, name: 'agent' } });
        expect((await now()).status).toMatchObject({ observedGeneration: 1, name: 'agent' });
      });

      it('is at once seen by get, without waiting for a change to come round', async () => {
        const resource = await apply();
        await store.announce(resource, statusOf(1, { name: 'first' }));
        expect((await store.get(key))?.status).toMatchObject({ name: 'first' });
      });

      it('can be followed by another on what it answered', async () => {
        const first = await store.announce(await apply(), statusOf(1, { name: 'first' }));
        if (first === 'stale') throw new Error('the first announcement should land');
        const second = await store.announce(first, statusOf(1, { name: 'second' }));
        expect(second).toMatchObject({ status: { name: 'second' } });
      });

      it('answers stale and writes nothing when the spec moved on', async () => {
        const old = await apply();
        await apply({ image: 'registry.example.com/agent:2' });
        expect(await store.announce(old, statusOf(1, { name: 'lost' }))).toBe('stale');
        expect((await now()).status?.name).toBeUndefined();
      });

      it('answers stale when one of our annotations moved on', async () => {
        const old = await apply();
        await apply({ annotations: { [ANNOTATIONS.paused]: 'true' } });
        expect(await store.announce(old, statusOf(1, { name: 'lost' }))).toBe('stale');
      });

      it('lands on the fresh version when only labels of others moved', async () => {
        const old = await apply();
        await apply({ labels: { team: 'support' } });
        const answer = await store.announce(old, statusOf(1, { name: 'landed' }));
        expect(answer).toMatchObject({
          metadata: { labels: { team: 'support' } },
          status: { name: 'landed' },
        });
      });

      it('answers stale when the resource is gone', async () => {
        const old = await apply();
        await world.remove(key);
        expect(await absent()).toBe(true);
        expect(await store.announce(old, statusOf(1))).toBe('stale');
      });

      it('answers stale when the deletion of a claimed resource has begun', async () => {
        const claimed = await store.claim(await apply());
        await world.caughtUp();
        await world.remove(key);
        expect(await store.announce(claimed, statusOf(1))).toBe('stale');
      });

      it('answers stale where another process wrote a status in between: two may not both send', async ({
        skip,
      }) => {
        if (world.overwriteStatus === undefined) return skip();
        const old = await apply();
        await world.overwriteStatus(key, statusOf(1, { name: 'of the other process' }));
        expect(await store.announce(old, statusOf(1, { name: 'ours' }))).toBe('stale');
        expect((await now()).status).toMatchObject({ name: 'of the other process' });
      });
    });

    describe('saving the status', () => {
      it('replaces the status as a whole: what is left out is gone', async () => {
        const first = await store.saveStatus(await apply(), statusOf(1, { name: 'a', tenantID: 't' }), {
          mustLand: false,
        });
        if (first === 'stale') throw new Error('the first status should land');
        await store.saveStatus(first, statusOf(1, { name: 'b' }), { mustLand: false });
        const { status } = await now();
        expect(status?.name).toBe('b');
        expect(status?.tenantID).toBeUndefined();
      });

      it('does not move the generation', async () => {
        await store.saveStatus(await apply(), statusOf(1), { mustLand: false });
        expect((await now()).metadata.generation).toBe(1);
      });

      it('answers stale on a conflict when it need not land', async () => {
        const old = await apply();
        await apply({ image: 'registry.example.com/agent:2' });
        expect(await store.saveStatus(old, statusOf(1, { name: 'lost' }), { mustLand: false })).toBe('stale');
        expect((await now()).status?.name).toBeUndefined();
      });

      it('lands on the fresh version when it must land, and leaves the new spec alone', async () => {
        const old = await apply();
        await apply({ image: 'registry.example.com/agent:2' });
        const answer = await store.saveStatus(old, statusOf(1, { name: 'landed' }), { mustLand: true });
        expect(answer).toMatchObject({ status: { name: 'landed', observedGeneration: 1 } });
        const fresh = await now();
        expect(fresh.spec).toMatchObject({
          sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
        });
        expect(fresh.metadata.generation).toBe(2);
      });

      it('answers stale for a resource that is gone, even when it must land', async () => {
        const old = await apply();
        await world.remove(key);
        expect(await absent()).toBe(true);
        expect(await store.saveStatus(old, statusOf(1), { mustLand: true })).toBe('stale');
        expect(await absent()).toBe(true);
      });

      it('works while the resource is being deleted', async () => {
        await store.claim(await apply());
        await world.caughtUp();
        await world.remove(key);
        const answer = await store.saveStatus(await now(), statusOf(2, { name: 'going' }), {
          mustLand: true,
        });
        expect(answer).toMatchObject({ status: { name: 'going' } });
      });
    });
  });
}
