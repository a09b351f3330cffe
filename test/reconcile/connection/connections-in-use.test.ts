import { describe, expect } from 'vitest';
import { CONNECTION_FINALIZER } from '../../../src/api/connection.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, NAMESPACE, type World } from '../support/world.ts';

const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const DEFAULT = { kind: 'Connection', namespace: NAMESPACE, name: 'default' };

const connection = (w: World) => w.connections.peek(DEFAULT);
const isHeld = (w: World): boolean | undefined =>
  connection(w)?.metadata.finalizers?.includes(CONNECTION_FINALIZER);
const inUse = (w: World) => connection(w)?.status?.conditions?.find(({ type }) => type === 'InUse');
const told = (w: World): number => w.events.reasons().filter((reason) => reason === 'InUse').length;
const isGone = (w: World, name: string = AGENT): boolean => w.store.peek(keyOf(name)) === undefined;

describe('a connection that deletions need (K13, R17)', () => {
  scenario(
    'has a finalizer only while a bound resource requests Delete',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(30);
      expect(isHeld(w)).not.toBe(true);
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      await w.pass(5);
      expect(isHeld(w)).toBe(true);
      expect(inUse(w)).toBeUndefined();
      w.apply({ ...IMAGE, deletionPolicy: 'Orphan' });
      await w.pass(5);
      expect(isHeld(w)).toBe(false);
    },
  );

  scenario(
    'waits when it is deleted, reports the number of its users, and is released after the last one',
    { deployments: [LIVE, { name: 'other' }, { name: 'stays' }] },
    async (w) => {
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' }, 'other');
      w.apply(IMAGE, 'stays');
      await w.pass(30);
      w.disconnect();
      await w.pass(5);
      expect(inUse(w)).toMatchObject({ status: 'True', reason: 'InUse' });
      expect(inUse(w)?.message).toMatch(/^2 deployments need this connection/);
      expect(w.connectionState()).toBe('True/Ok');
      expect(told(w)).toBe(1);
      w.store.remove(keyOf(AGENT));
      await w.pass(120);
      expect(isGone(w)).toBe(true);
      expect(w.service.deployment(AGENT)).toBeUndefined();
      expect(inUse(w)?.message).toMatch(/^1 deployment needs this connection/);
      w.apply({ ...IMAGE, deletionPolicy: 'Orphan' }, 'other');
      await w.pass(5);
      expect(connection(w)).toBeUndefined();
      expect(told(w)).toBe(1);
      expect(w.service.deployment('other')).toBeDefined();
      w.connect();
      await w.pass(60);
    },
  );

  scenario('has a finalizer while a creation is in progress', { deployments: [] }, async (w) => {
    w.become({ appearsSeconds: 20 });
    w.fault({ kind: 'hang' }, { match: { operation: 'create' } });
    w.apply({ ...IMAGE, creation: { policy: 'IfMissing' } });
    await w.pass(45);
    expect(w.status().creation?.state).not.toBe('Done');
    expect(isHeld(w)).toBe(true);
    await w.pass(300);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(isHeld(w)).toBe(false);
  });

  scenario(
    'is released by itself in a terminating namespace, after the deletions (H47)',
    { deployments: [LIVE] },
    async (w) => {
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      await w.pass(30);
      w.terminating = true;
      w.disconnect();
      w.store.remove(keyOf(AGENT));
      await w.pass(120);
      expect(isGone(w)).toBe(true);
      expect(w.service.deployment(AGENT)).toBeUndefined();
      expect(connection(w)).toBeUndefined();
    },
  );

  scenario(
    'is released by itself after a restart, if a terminating namespace has no credentials left (H47)',
    { deployments: [LIVE] },
    async (w) => {
      w.putSecret('credentials', { key: 'of-theirs-17' });
      const secretKeyRef = { name: 'credentials', key: 'key' };
      w.connect({ headers: [{ name: 'X-Key', valueFrom: { secretKeyRef } }] });
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      await w.pass(30);
      w.kill();
      w.terminating = true;
      w.removeSecret('credentials');
      w.disconnect();
      w.store.remove(keyOf(AGENT));
      w.start();
      await w.pass(60);
      expect(isGone(w)).toBe(true);
      expect(w.events.reasons()).toContain('Orphaned');
      expect(connection(w)).toBeUndefined();
    },
  );

  scenario(
    'is released at once at startup if no resource needs it any more',
    { deployments: [LIVE] },
    async (w) => {
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      await w.pass(30);
      w.kill();
      w.disconnect();
      w.apply({ ...IMAGE, deletionPolicy: 'Orphan' });
      w.start();
      await w.pass(2);
      expect(connection(w)).toBeUndefined();
    },
  );

  scenario('stays through a restart while a resource still needs it', { deployments: [LIVE] }, async (w) => {
    w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
    await w.pass(30);
    w.disconnect();
    w.restart();
    await w.pass(60);
    expect(isHeld(w)).toBe(true);
    expect(told(w)).toBe(1);
    w.store.remove(keyOf(AGENT));
    await w.pass(120);
    expect([isGone(w), connection(w)]).toEqual([true, undefined]);
  });

  scenario(
    'is held by its own users only: a resource that moves to another connection holds that one',
    { deployments: [LIVE] },
    async (w) => {
      w.connect({}, 'other');
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      await w.pass(30);
      w.apply({ ...IMAGE, deletionPolicy: 'Delete', connectionRef: { name: 'other' } });
      await w.pass(5);
      expect(isHeld(w)).toBe(false);
      expect(w.connections.peek({ ...DEFAULT, name: 'other' })?.metadata.finalizers).toEqual([
        CONNECTION_FINALIZER,
      ]);
    },
  );
});
