import { describe, expect } from 'vitest';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import { killAt } from '../support/crash.ts';
import { scenario } from '../support/scenario.ts';
import { keyOf, NAMESPACE, type World } from '../support/world.ts';

const ID = uuidFrom('the shared one');
const SHARED = { deployments: [{ name: 'shared', id: ID }] };

const image = (tag: string) => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
});

const BY_NAME = { deploymentRef: { name: 'shared' } };
const BY_ID = { deploymentRef: { id: ID } };

function expectOneInSync(w: World): void {
  const states = new Set(['first', 'second'].map((name) => w.condition('Synced', name)));
  expect(states).toEqual(new Set(['False/OwnershipConflict', 'True/InSync']));
}

function expectOneOwner(w: World): void {
  expectOneInSync(w);
  expect(w.patches()).toHaveLength(1);
}

describe('two resources that refer to one deployment', () => {
  for (const [how, first, second] of [
    ['both by name', BY_NAME, BY_NAME],
    ['one by name and one by id', BY_NAME, BY_ID],
  ] as const) {
    scenario(`and come together, ${how}: one of them writes (H25)`, SHARED, async (w) => {
      await w.pass(30);
      w.apply({ ...image('a'), ...first }, 'first');
      w.apply({ ...image('b'), ...second }, 'second');
      await w.pass(10);
      expectOneOwner(w);
      await w.pass(1500);
      expectOneOwner(w);
    });
  }

  scenario('and both exist at startup: one of them writes (H25)', SHARED, async (w) => {
    w.kill();
    w.apply({ ...image('a'), ...BY_NAME }, 'first');
    w.apply({ ...image('b'), ...BY_NAME }, 'second');
    w.start();
    await w.pass(300);
    expectOneOwner(w);
  });

  for (const point of ['after the announcement', 'before the answer arrives'] as const) {
    scenario(
      `and whose process dies ${point}: the first to announce owns the deployment (H25)`,
      SHARED,
      async (w) => {
        await w.pass(30);
        const killed = killAt(w, point);
        w.apply({ ...image('a'), ...BY_NAME }, 'first');
        await w.pass(10);
        expect(killed()).toBe(true);
        w.apply({ ...image('b'), ...BY_NAME }, 'second');
        w.start();
        await w.pass(300);
        expect(w.condition('Synced', 'first')).toBe('True/InSync');
        expect(w.condition('Synced', 'second')).toBe('False/OwnershipConflict');
        expect(JSON.stringify(w.bodies())).not.toContain('agent:b');
      },
    );
  }

  scenario(
    'and both request its creation: one is created, and one resource owns it (H25)',
    { deployments: [], semantics: { duplicateNames: 'allowed' } },
    async (w) => {
      await w.pass(30);
      for (const name of ['first', 'second'])
        w.apply({ ...image('a'), ...BY_NAME, creation: { policy: 'IfMissing' } }, name);
      await w.pass(300);
      expect(w.service.deployments()).toHaveLength(1);
      expectOneInSync(w);
    },
  );

  scenario('are independent once the owner is deleted: the other one takes over (H25)', SHARED, async (w) => {
    w.apply({ ...image('a'), ...BY_NAME }, 'first');
    await w.pass(60);
    w.apply({ ...image('b'), ...BY_NAME }, 'second');
    await w.pass(60);
    expect(w.condition('Synced', 'second')).toBe('False/OwnershipConflict');
    w.store.remove(keyOf('first'));
    await w.pass(700);
    expect(w.state('second')).toBe('True/InSync True/Active');
  });

  scenario(
    'through another Connection and another spelling of the address share it just as well, and the second never deletes it (H25)',
    SHARED,
    async (w) => {
      w.connections.apply({
        apiVersion: API_VERSION,
        kind: 'Connection',
        metadata: { name: 'spelled', namespace: NAMESPACE },
        spec: { baseURL: 'https://DMS.example.com:443/api/', rateLimit: NO_RATE_LIMIT },
      });
      w.apply({ ...image('a'), ...BY_NAME }, 'first');
      await w.pass(60);
      const spelled = { connectionRef: { kind: 'Connection', name: 'spelled' } } as const;
      w.apply({ ...image('b'), ...BY_NAME, ...spelled, deletionPolicy: 'Delete' }, 'second');
      await w.pass(120);
      expect(w.state('second')).toBe('False/OwnershipConflict False/OwnershipConflict');
      w.store.remove(keyOf('second'));
      await w.pass(60);
      expect(w.store.peek(keyOf('second'))).toBeUndefined();
      expect(w.service.log.count('delete')).toBe(0);
      expect(w.patches()).toHaveLength(1);
    },
  );
});

describe('two resources that refer to one deployment, when the address of the connection changes', () => {
  const MOVED = { baseURL: 'https://dms-new.example.com/api' };

  for (const [what, before] of [
    ['follow each other', () => undefined],
    ['stay in their order while the first is paused', (w: World) => w.annotate('paused', 'true', 'first')],
  ] as const) {
    scenario(`${what}: the second never writes (B5)`, SHARED, async (w) => {
      w.apply({ ...image('a'), ...BY_NAME }, 'first');
      await w.pass(100);
      w.apply({ ...image('b'), ...BY_NAME }, 'second');
      await w.pass(200);
      before(w);
      await w.pass(10);
      w.connect(MOVED);
      await w.pass(300);
      expect(w.condition('Synced', 'second')).toBe('False/OwnershipConflict');
      w.annotate('paused', null, 'first');
      await w.pass(120);
      expectOneOwner(w);
      expect(w.condition('Synced', 'first')).toBe('True/InSync');
    });
  }

  scenario('write once if both arrive at the same time through two addresses (B5)', SHARED, async (w) => {
    w.connections.apply({
      apiVersion: API_VERSION,
      kind: 'Connection',
      metadata: { name: 'other-way', namespace: NAMESPACE },
      spec: { baseURL: 'https://inside.example.com/api', rateLimit: NO_RATE_LIMIT },
    });
    await w.pass(30);
    const otherWay = { connectionRef: { kind: 'Connection', name: 'other-way' } } as const;
    w.apply({ ...image('a'), ...BY_NAME }, 'first');
    w.apply({ ...image('b'), ...BY_NAME, ...otherWay }, 'second');
    await w.pass(300);
    expectOneOwner(w);
  });
});
