import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import type { Fault } from '../../../src/simulator/faults/scenario.ts';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import { killAt } from '../support/crash.ts';
import { scenario } from '../support/scenario.ts';
import { keyOf, type World } from '../support/world.ts';

const OURS = '11111111-1111-4111-8111-111111111111';
const THEIRS = '22222222-2222-4222-8222-222222222222';

const SPEC: Partial<DeploymentSpec> = {
  deploymentRef: { name: 'shared' },
  creation: { policy: 'IfMissing' },
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
};

/** Lists show a new deployment late, and the service accepts a second deployment with the same name. */
const LATE = { duplicateNames: 'allowed', listLag: { seconds: 20 } } as const;

const FAULTS: readonly (readonly [what: string, fault: Fault | undefined])[] = [
  ['is answered', undefined],
  ['is answered 504 and carried out', { kind: 'apply-then-fail', how: 504 }],
  ['never gets its answer', { kind: 'apply-then-fail', how: 'hang' }],
  ['is carried out after 20 s', { kind: 'fail-then-apply-late', how: 504, afterMs: 20_000 }],
];

function expectOneMade(w: World): void {
  expect(w.service.log.requests('create'), 'creations that were asked for').toHaveLength(1);
  expect(w.service.deployments()).toHaveLength(1);
  const states = new Set(['one', 'two'].map((name) => w.condition('Synced', name)));
  expect(states).toEqual(new Set(['False/OwnershipConflict', 'True/InSync']));
}

describe('two resources that create one name, where lists lag and the request of the first', () => {
  for (const [what, fault] of FAULTS) {
    const withFault = (w: World): void => {
      if (fault !== undefined) w.service.faults.add({ match: { operation: 'create' }, fault });
    };

    scenario(
      `${what}: one creation request is sent (B8)`,
      { deployments: [], semantics: LATE },
      async (w) => {
        withFault(w);
        w.apply(SPEC, 'one');
        w.apply(SPEC, 'two');
        await w.pass(1500);
        expectOneMade(w);
      },
    );

    scenario(
      `${what}, after a restart: the second waits for the first, and says so (B8)`,
      { deployments: [], semantics: LATE },
      async (w) => {
        withFault(w);
        w.apply(SPEC, 'one');
        await w.pass(30);
        const killed = w.service.log.requests('create').length;
        expect(killed, 'it was sent').toBe(1);
        w.kill();
        w.apply(SPEC, 'two');
        w.start();
        await w.pass(1500);
        expectOneMade(w);
      },
    );
  }

  scenario(
    'is lost with the process: the second waits, and names the first resource (B8)',
    { deployments: [], semantics: { duplicateNames: 'allowed', listLag: { seconds: 40 } } },
    async (w) => {
      const killed = killAt(w, 'before the answer arrives');
      w.apply(SPEC, 'one');
      await w.pass(10);
      expect(killed()).toBe(true);
      w.apply(SPEC, 'two');
      w.start();
      await w.pass(10);
      expect(w.state('two')).toBe('Unknown/CreatePending False/CreatePending');
      expect(w.message('two')).toContain('team-a/one asked for a deployment of this name');
      await w.pass(1500);
      expectOneMade(w);
    },
  );

  const ends: readonly (readonly [string, (w: World) => void])[] = [
    ['the first resource is deleted', (w) => w.store.remove(keyOf('one'))],
    ['a person asks for it', (w) => w.annotate('reconcile-at', 'now', 'two')],
  ];
  for (const [end, act] of ends)
    scenario(
      `makes nothing twice: the second stops with a reason, and creates the deployment once ${end} (B8)`,
      { deployments: [], semantics: { duplicateNames: 'allowed' } },
      async (w) => {
        w.service.faults.add({
          match: { operation: 'create' },
          times: 2,
          fault: { kind: 'status', status: 504 },
        });
        w.apply(SPEC, 'one');
        w.apply(SPEC, 'two');
        await w.pass(1500);
        expect(w.condition('Synced', 'one')).toBe('False/NotFound');
        expect(w.condition('Synced', 'two')).toBe('False/NotFound');
        expect(w.message('two')).toMatch(
          /^team-a\/one asked for a deployment of this name, and no list shows it/,
        );
        expect(w.service.deployments()).toHaveLength(0);
        act(w);
        await w.pass(700);
        expect(w.service.deployments()).toHaveLength(1);
        expect(w.state('two')).toBe('True/InSync True/Active');
      },
    );
});

scenario(
  'a resource of another namespace is not named while a second one waits for its creation',
  { deployments: [], semantics: LATE },
  async (w) => {
    w.connect({}, 'team-b/default');
    w.service.faults.add({
      match: { operation: 'create' },
      fault: { kind: 'fail-then-apply-late', how: 504, afterMs: 20_000 },
    });
    w.apply(SPEC, 'one');
    await w.pass(10);
    w.apply(SPEC, 'team-b/two');
    await w.pass(30);
    expect(w.condition('Synced', 'team-b/two')).toBe('Unknown/CreatePending');
    expect(w.message('team-b/two')).toMatch(/^a resource of another namespace asked/);
    await w.pass(300);
    expect(w.service.deployments()).toHaveLength(1);
  },
);

describe('two resources with one name', () => {
  const OTHERS = [{ name: 'first' }, { name: 'second' }, { name: 'third' }];

  scenario(
    'and the first bound to another deployment: the second creates the deployment',
    { deployments: [] },
    async (w) => {
      w.apply({ ...SPEC, deploymentRef: { name: 'other' } }, 'one');
      await w.pass(200);
      w.apply(SPEC, 'one');
      w.apply(SPEC, 'two');
      await w.pass(200);
      expect(w.condition('Synced', 'one')).toBe('False/ImmutableFieldChanged');
      expect(w.state('two')).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'and the second bound: the first creates no duplicate while lists omit the deployment',
    { deployments: OTHERS, semantics: { duplicateNames: 'allowed' } },
    async (w) => {
      w.service.faults.add({
        match: { operation: 'create' },
        fault: { kind: 'apply-then-fail', how: 'hang' },
      });
      w.apply(SPEC, 'one');
      await w.pass(15);
      w.apply(SPEC, 'two');
      await w.pass(1);
      // The answer to the creation is still outstanding, and the list already shows the new deployment.
      w.annotate('reconcile-at', 'now', 'two');
      await w.pass(300);
      expect(w.condition('Synced', 'two')).toBe('True/InSync');
      expect(w.condition('Synced', 'one')).toBe('False/OwnershipConflict');
      w.service.act({ kind: 'switch', semantics: { listShows: 'half' }, seconds: 75 });
      await w.pass(600);
      expect(w.service.log.requests('create'), 'creations that were asked for').toHaveLength(1);
    },
  );

  scenario(
    'of which the first is bound and then declares another: the second creates no duplicate while lists omit the deployment',
    { deployments: OTHERS, semantics: { duplicateNames: 'allowed' } },
    async (w) => {
      w.apply(SPEC, 'one');
      await w.pass(60);
      w.apply(SPEC, 'two');
      await w.pass(60);
      expect(w.condition('Synced', 'two')).toBe('False/OwnershipConflict');
      w.apply({ ...SPEC, deploymentRef: { name: 'other' } }, 'one');
      w.restart();
      w.service.act({ kind: 'switch', semantics: { listShows: 'half' }, seconds: 75 });
      await w.pass(600);
      expect(w.condition('Synced', 'one')).toBe('False/ImmutableFieldChanged');
      expect(w.service.log.requests('create'), 'creations that were asked for').toHaveLength(1);
    },
  );

  scenario(
    'of which the first is bound to a deployment that seems gone: the second creates one only if a person asks',
    { deployments: OTHERS, semantics: { duplicateNames: 'allowed' } },
    async (w) => {
      w.apply(SPEC, 'one');
      await w.pass(60);
      w.apply(SPEC, 'two');
      await w.pass(60);
      w.service.act({ kind: 'switch', semantics: { listShows: 'half' }, seconds: 600 });
      await w.pass(400);
      expect(w.condition('Synced', 'one')).toBe('False/NotFound');
      expect(w.message('two')).toContain('one is bound to the deployment of this name, which is gone');
      await w.pass(600);
      expect(w.condition('Synced', 'one')).toBe('True/InSync');
      expect(w.service.log.requests('create'), 'creations that were asked for').toHaveLength(1);
      w.service.act({ kind: 'delete', deployment: w.status('one').deploymentID ?? '' });
      await w.pass(600);
      expect(w.condition('Synced', 'two')).toBe('False/NotFound');
      w.annotate('reconcile-at', 'now', 'two');
      await w.pass(300);
      expect(w.condition('Synced', 'two')).toBe('True/InSync');
      expect(w.service.log.requests('create'), 'creations that were asked for').toHaveLength(2);
    },
  );

  scenario(
    'and a first deployment that lists never showed: the second says so, and creates no duplicate',
    { deployments: OTHERS, semantics: { duplicateNames: 'allowed', listShows: 'half' } },
    async (w) => {
      w.apply(SPEC, 'one');
      w.apply(SPEC, 'two');
      await w.pass(1500);
      expect(w.service.log.requests('create'), 'creations that were asked for').toHaveLength(1);
      expect(w.condition('Synced', 'two')).toBe('False/NotFound');
      expect(w.message('two')).toContain('deployment of the name shared was made, and no list has shown it');
    },
  );

  scenario(
    'and the second bound: a resource of another tenant creates the name, though the connection of both is in doubt',
    {
      deployments: OTHERS.map((other) => ({ ...other, id: uuidFrom(other.name), tenantID: OURS })),
      semantics: { auth: { kind: 'tenant-header', name: 'X-Tenant-Id' } },
      connection: { headers: [{ name: 'X-Tenant-Id', value: OURS }] },
    },
    async (w) => {
      w.connect({ headers: [{ name: 'X-Tenant-Id', value: THEIRS }] }, 'team-b/default');
      for (const { name } of OTHERS) w.apply({}, name);
      await w.pass(60);
      w.service.faults.add({
        match: { operation: 'create' },
        fault: { kind: 'apply-then-fail', how: 'hang' },
      });
      w.apply(SPEC, 'one');
      await w.pass(15);
      w.apply(SPEC, 'two');
      await w.pass(1);
      w.annotate('reconcile-at', 'now', 'two');
      await w.pass(300);
      expect(w.condition('Synced', 'one')).toBe('False/OwnershipConflict');
      for (const { name } of OTHERS) w.service.act({ kind: 'delete', deployment: uuidFrom(name) });
      await w.pass(300);
      expect(w.condition('Synced', 'one')).toBe('Unknown/ConnectionNotReady');
      w.apply(SPEC, 'team-b/three');
      await w.pass(300);
      expect(w.condition('Synced', 'team-b/three')).toBe('True/InSync');
    },
  );
});
