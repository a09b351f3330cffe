import { describe, expect } from 'vitest';
import { scenario } from './support/scenario.ts';
import { keyOf, type World } from './support/world.ts';

const OURS = '11111111-1111-4111-8111-111111111111';
const THEIRS = '22222222-2222-4222-8222-222222222222';
const NAMES = ['a', 'b', 'c', 'd'];
const LIVE = { tenantID: OURS, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const SPEC = {
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
  deletionPolicy: 'Delete',
  creation: { policy: 'IfMissing', recreate: true },
} as const;

const GIVEN = {
  deployments: NAMES.map((name) => ({ name, ...LIVE })),
  semantics: { auth: { kind: 'tenant-header', name: 'X-Tenant-Id' } },
  connection: { headers: [{ name: 'X-Tenant-Id', value: OURS }] },
} as const;

const useTenant = (w: World, value: string): void => w.connect({ headers: [{ name: 'X-Tenant-Id', value }] });
const gone = (w: World, name: string): boolean => w.store.peek(keyOf(name)) === undefined;

async function atRest(w: World, names: readonly string[]): Promise<void> {
  for (const name of names) w.apply(SPEC, name);
  await w.pass(60);
  for (const name of names) expect(w.state(name)).toBe('True/InSync True/Active');
}

describe('a credential of another tenant, whose list is empty,', () => {
  scenario('makes nothing, calls nothing gone and confirms no deletion (H52)', GIVEN, async (w) => {
    await atRest(w, NAMES);
    useTenant(w, THEIRS);
    await w.pass(5);
    w.apply(SPEC, 'new-one');
    w.store.remove(keyOf('d'));
    await w.pass(1500);
    expect(w.connectionState()).toBe('False/MassAbsence');
    expect(w.service.log.count('create')).toBe(0);
    expect(w.statusStory().join()).not.toContain('NotFound');
    expect(gone(w, 'd')).toBe(false);
    useTenant(w, OURS);
    await w.pass(700);
    expect(gone(w, 'd')).toBe(true);
    expect(w.service.deployment('d')).toBeUndefined();
  });

  for (const restarts of [false, true]) {
    scenario(
      `confirms no deletion where three are bound and one of them is to be deleted${restarts ? ', after a restart' : ''} (H52)`,
      GIVEN,
      async (w) => {
        const names = ['a', 'b', 'c'];
        await atRest(w, names);
        if (restarts) w.kill();
        useTenant(w, THEIRS);
        w.store.remove(keyOf('c'));
        if (restarts) w.start();
        await w.pass(600);
        expect(w.connectionState()).toBe('False/MassAbsence');
        expect(gone(w, 'c')).toBe(false);
        useTenant(w, OURS);
        await w.pass(700);
        expect(gone(w, 'c')).toBe(true);
        expect(w.service.deployment('c')).toBeUndefined();
      },
    );
  }
});
