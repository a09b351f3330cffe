import { describe, expect } from 'vitest';
import { deploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import type { Fault } from '../../../src/simulator/faults/scenario.ts';
import { killAt } from '../support/crash.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const SPEC = {
  source: 'internal_container',
  creation: { policy: 'IfMissing', extra: { deployment_type: 'dev' } },
  sourceConfig: { customURL: 'https://a.example.com' },
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
  secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }],
} as const;

const BODY = {
  name: AGENT,
  source: 'internal_container',
  deployment_type: 'dev',
  source_config: { custom_url: 'https://a.example.com' },
  source_revision_config: { image_uri: 'registry.example.com/agent:1' },
  secrets: [{ name: 'API_TOKEN', value: 'the-first-token-value' }],
};

const GIVEN = { deployments: [], semantics: { secretsEcho: 'stars', databaseSeconds: 30 } } as const;

const creations = (w: World) => w.service.log.requests('create');

async function asked(w: World, seconds: number): Promise<void> {
  w.putSecret('agent-secrets', { token: 'the-first-token-value' });
  w.apply(SPEC);
  await w.pass(seconds);
}

describe('a deployment that is requested and missing', () => {
  scenario('is created once, followed through its database to active, and not patched', GIVEN, async (w) => {
    await asked(w, 20);
    expect(creations(w).map(({ body }) => body)).toEqual([BODY]);
    expect(w.state()).toBe('True/InSync False/AwaitingDatabase');
    expect(w.status()).toMatchObject({ deploymentID: w.kept().id, creation: { state: 'Done' } });
    await w.pass(120);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.events.reasons()).toContain('Created');
    expect(w.patches()).toEqual([]);
  });

  scenario('is not created where nobody asked for it', GIVEN, async (w) => {
    w.apply({ source: 'internal_container', creation: { policy: 'Never' } });
    await w.pass(300);
    expect(w.condition('Synced')).toBe('False/NotFound');
    expect(creations(w)).toEqual([]);
  });

  scenario('is not created under Observe', GIVEN, async (w) => {
    w.apply({ source: 'internal_container', creation: { policy: 'IfMissing' }, managementPolicy: 'Observe' });
    await w.pass(300);
    expect(w.condition('Synced')).toBe('False/NotFound');
    expect(creations(w)).toEqual([]);
  });

  scenario('is created only when its Secret is there', GIVEN, async (w) => {
    w.apply(SPEC);
    await w.pass(60);
    expect(w.state()).toBe('False/SecretMissing False/SecretMissing');
    expect(creations(w)).toEqual([]);
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    await w.pass(120);
    expect(creations(w)).toHaveLength(1);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  interface Trouble {
    readonly what: string;
    readonly fault: Fault;
    readonly requests: number;
  }
  const TROUBLES: readonly Trouble[] = [
    { what: 'silence, created all the same', fault: { kind: 'apply-then-fail', how: 'hang' }, requests: 1 },
    { what: 'a reset, created all the same', fault: { kind: 'apply-then-fail', how: 'reset' }, requests: 1 },
    {
      what: '500, created twenty seconds later',
      fault: { kind: 'fail-then-apply-late', how: 500, afterMs: 20_000 },
      requests: 1,
    },
    { what: 'silence and nothing else', fault: { kind: 'hang' }, requests: 2 },
    { what: 'a reset before anything', fault: { kind: 'reset-before' }, requests: 2 },
    { what: 'an empty 200', fault: { kind: 'truncate' }, requests: 1 },
  ];
  for (const { what, fault, requests } of TROUBLES) {
    scenario(
      `whose creation ends in ${what} is looked up by name before a new request (H40)`,
      GIVEN,
      async (w) => {
        w.fault(fault, { match: { operation: 'create' } });
        await asked(w, 40);
        expect(w.status().creation?.state === 'Pending' || w.status().deploymentID !== undefined).toBe(true);
        await w.pass(400);
        expect(creations(w)).toHaveLength(requests);
        expect(w.service.deployments()).toHaveLength(1);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.status().creation?.state).toBe('Done');
        expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: 'the-first-token-value' }]);
      },
    );
  }

  for (const point of ['after the announcement', 'before the answer arrives', 'before the record'] as const) {
    scenario(`whose creation is interrupted by a crash ${point} is created once`, GIVEN, async (w) => {
      const killed = killAt(w, point);
      await asked(w, 20);
      expect(killed()).toBe(true);
      w.start();
      await w.pass(400);
      expect(w.service.deployments()).toHaveLength(1);
      expect(creations(w)).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    });
  }

  scenario(
    'whose answer never came is not patched with secrets that the list shows in clear',
    { deployments: [] },
    async (w) => {
      const killed = killAt(w, 'before the answer arrives');
      await asked(w, 20);
      expect(killed()).toBe(true);
      w.start();
      await w.pass(400);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toEqual([]);
      expect(w.status().revisions?.map(({ cause }) => cause)).toEqual(['Operator']);
    },
  );

  scenario('and that another client creates just before (409) is bound', GIVEN, async (w) => {
    w.service.actions.add({
      match: { operation: 'create' },
      action: { kind: 'add', seed: deploymentSeed(AGENT, { source: 'internal_container' }) },
    });
    await asked(w, 300);
    expect(w.service.deployments()).toHaveLength(1);
    expect(w.status().deploymentID).toBe(w.kept().id);
    expect(w.kept().content.sourceConfig).toEqual({ custom_url: 'https://a.example.com' });
  });

  scenario(
    'is held if its name is taken but no list shows the other deployment (409, H40)',
    GIVEN,
    async (w) => {
      w.fault({ kind: 'status', status: 409 }, { match: { operation: 'create' } });
      await asked(w, 1200);
      expect(w.state()).toBe('False/NameTaken False/NameTaken');
      expect(creations(w)).toHaveLength(1);
      await w.pass(1500);
      expect(creations(w)).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario('is announced before the request leaves, and gets a finalizer (H40)', GIVEN, async (w) => {
    const atPost: unknown[] = [];
    w.moments.leaving = ({ method }) => {
      if (method !== 'POST') return;
      const { metadata, status } = w.resource();
      atPost.push([status?.creation?.state, status?.pendingWrite?.operation, metadata.finalizers?.length]);
    };
    await asked(w, 120);
    expect(atPost).toEqual([['Pending', 'Create', 1]]);
    expect(w.resource().metadata.finalizers ?? []).toEqual([]);
  });

  scenario('is held with a reason when the service refuses it', GIVEN, async (w) => {
    w.fault({ kind: 'status', status: 422 }, { match: { operation: 'create' } });
    await asked(w, 1200);
    expect(w.state()).toBe('False/Rejected False/Rejected');
    expect(creations(w)).toHaveLength(1);
    await w.pass(1500);
    expect(creations(w)).toHaveLength(2);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});

describe('a deployment that was created and then deleted', () => {
  scenario('is not created again unless recreate allows it (H41)', GIVEN, async (w) => {
    await asked(w, 120);
    w.service.act({ kind: 'delete', deployment: AGENT });
    await w.pass(1500);
    expect(w.condition('Synced')).toBe('False/NotFound');
    expect(creations(w)).toHaveLength(1);
    w.apply({ ...SPEC, creation: { ...SPEC.creation, recreate: true } });
    await w.pass(600);
    expect(creations(w)).toHaveLength(2);
    expect(w.status().deploymentID).toBe(w.kept().id);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});
