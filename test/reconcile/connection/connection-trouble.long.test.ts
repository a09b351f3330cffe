import { describe, expect } from 'vitest';
import type { Fault } from '../../../src/simulator/faults/scenario.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const NAMES = Array.from({ length: 12 }, (_, n) => `agent-${n}`);
const GIVEN = {
  deployments: NAMES.map((name) => ({ name, revisionConfig: { image_uri: 'registry.example.com/agent:1' } })),
};

async function rest(w: World): Promise<void> {
  for (const name of NAMES) w.apply(image(1), name);
  await w.pass(30);
  for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
}

/** Injects the fault into every request until the returned function is called. */
function outage(w: World, fault: Fault): () => void {
  w.service.faults.add({ match: {}, times: 0, fault });
  return () => w.service.faults.clear();
}

interface Trouble {
  readonly what: string;
  readonly fault: Fault;
  readonly state: string;
  /** The limit of calls for ten minutes of the fault. */
  readonly calls: number;
}

const TROUBLES: readonly Trouble[] = [
  { what: 'answers 401', fault: { kind: 'status', status: 401 }, state: 'False/AuthFailed', calls: 6 },
  {
    what: 'answers 403 on the list',
    fault: { kind: 'status', status: 403 },
    state: 'False/Forbidden',
    calls: 6,
  },
  {
    what: 'answers with a login page (H48)',
    fault: { kind: 'wrong-type' },
    state: 'False/NotJSON',
    calls: 40,
  },
  {
    what: 'answers 503 with JSON (H62)',
    fault: { kind: 'status', status: 503 },
    state: 'False/Unreachable',
    calls: 60,
  },
  { what: 'resets every connection', fault: { kind: 'reset-before' }, state: 'False/Unreachable', calls: 60 },
  { what: 'never answers', fault: { kind: 'hang' }, state: 'False/Timeout', calls: 40 },
  { what: 'answers 302', fault: { kind: 'status', status: 302 }, state: 'False/Redirected', calls: 6 },
  {
    what: 'answers 404 on everything',
    fault: { kind: 'status', status: 404 },
    state: 'False/ProtocolError',
    calls: 40,
  },
  {
    what: 'answers 200 with an empty object',
    fault: { kind: 'status', status: 200, body: '{}' },
    state: 'False/ProtocolError',
    calls: 40,
  },
];

describe('a service that', () => {
  for (const { what, fault, state, calls } of TROUBLES) {
    scenario(
      `${what} for ten minutes is reported once on the connection; its resources wait and recover without a write`,
      GIVEN,
      async (w) => {
        await rest(w);
        const before = w.service.log.requests().length;
        const end = outage(w, fault);
        await w.pass(600);
        expect(w.connectionState()).toBe(state);
        expect(w.service.log.requests().length - before, 'calls').toBeLessThanOrEqual(calls);
        for (const name of NAMES) expect(w.condition('Synced', name)).toBe('Unknown/ConnectionNotReady');
        expect(w.events.reasons().filter((reason) => reason === state.split('/')[1])).toHaveLength(1);
        expect(w.statusStory().join(), 'nobody is missing').not.toContain('NotFound');
        end();
        await w.pass(700);
        expect(w.connectionState()).toBe('True/Ok');
        for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
        expect(w.patches()).toEqual([]);
      },
    );
  }

  scenario('fails leaves Ready unchanged for five minutes, then Unknown', GIVEN, async (w) => {
    await rest(w);
    const end = outage(w, { kind: 'status', status: 503 });
    await w.pass(240);
    expect(w.state('agent-1')).toBe('Unknown/ConnectionNotReady True/Active');
    await w.pass(300);
    expect(w.state('agent-1')).toBe('Unknown/ConnectionNotReady Unknown/ConnectionNotReady');
    const writes = w.statusWrites.filter(({ name }) => name === 'agent-1').length;
    await w.pass(1200);
    expect(w.statusWrites.filter(({ name }) => name === 'agent-1')).toHaveLength(writes);
    end();
    await w.pass(700);
  });

  scenario('is down delays an edit until it recovers, and then receives it once', GIVEN, async (w) => {
    await rest(w);
    const end = outage(w, { kind: 'reset-before' });
    await w.pass(100);
    w.apply(image(2), 'agent-3');
    await w.pass(500);
    expect(w.patches().length).toBeLessThanOrEqual(1);
    end();
    await w.pass(400);
    expect(w.state('agent-3')).toBe('True/InSync True/Active');
    expect(w.revisionsMade('agent-3')).toBe(1);
  });

  scenario(
    'refuses the credential recovers within seconds of a new Secret',
    {
      ...GIVEN,
      semantics: { auth: { kind: 'header', name: 'X-Api-Key', value: 'the-right-credential' } },
      connection: {
        headers: [
          { name: 'X-Api-Key', valueFrom: { secretKeyRef: { name: 'service-credentials', key: 'key' } } },
        ],
      },
    },
    async (w) => {
      await w.pass(20);
      expect(w.connectionState()).toBe('False/SecretMissing');
      expect(w.service.log.requests()).toEqual([]);
      w.putSecret('service-credentials', { key: 'the-wrong-credential' });
      for (const name of NAMES) w.apply(image(1), name);
      await w.pass(250);
      expect(w.connectionState()).toBe('False/AuthFailed');
      expect(w.service.log.requests().length, 'no storm').toBeLessThanOrEqual(4);
      w.putSecret('service-credentials', { key: 'the-right-credential' });
      await w.pass(5);
      expect(w.connectionState()).toBe('True/Ok');
      for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'answers 401 to a write makes the connection not ready, and the write follows when it is ready',
    GIVEN,
    async (w) => {
      await rest(w);
      w.fault({ kind: 'status', status: 401 });
      w.apply(image(2), 'agent-0');
      await w.pass(700);
      expect(w.events.reasons().filter((reason) => reason === 'AuthFailed').length).toBeLessThanOrEqual(1);
      expect(w.patches()).toHaveLength(2);
      expect(w.state('agent-0')).toBe('True/InSync True/Active');
    },
  );

  scenario('asks for a pause with 429 on the list gets no call for that long (H63)', GIVEN, async (w) => {
    await rest(w);
    w.fault(
      { kind: 'status', status: 429, headers: { 'Retry-After': '300' } },
      { match: { operation: 'list' } },
    );
    await w.pass(90);
    const before = w.service.log.requests().length;
    w.apply(image(2), 'agent-0');
    await w.pass(200);
    expect(w.service.log.requests()).toHaveLength(before);
    expect(w.connectionState()).toBe('False/RateLimited');
    await w.pass(400);
    expect(w.connectionState()).toBe('True/Ok');
    expect(w.state('agent-0')).toBe('True/InSync True/Active');
  });

  scenario(
    'ignores the offset is reported, and no absence is concluded (H33)',
    {
      deployments: NAMES.map((name) => ({ name })),
      semantics: { paramNames: 'ignored', defaultLimit: 5 },
      connection: { list: { pageSize: 5 } },
    },
    async (w) => {
      w.apply(image(1), 'agent-11');
      w.apply(image(1), 'not-there');
      await w.pass(300);
      expect(w.state('not-there')).toBe('Unknown/NotVisibleYet False/NotVisibleYet');
      expect(w.connectionState()).toBe('True/Ok');
      const ready = w.connectionStatus().conditions?.find(({ type }) => type === 'Ready');
      expect(ready?.message).toContain('offset');
    },
  );
});

describe('a resource', () => {
  scenario(
    'without its connection says so, and continues when the connection appears',
    { started: false },
    async (w) => {
      w.connections.remove({ kind: 'Connection', namespace: 'team-a', name: 'default' });
      w.start();
      w.apply(image(1));
      await w.pass(60);
      expect(w.state()).toBe('Unknown/ConnectionNotFound Unknown/ConnectionNotFound');
      expect(w.service.log.requests()).toEqual([]);
      w.connect();
      await w.pass(60);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'whose connection moves to another address binds there only if the tenant is the same (H27)',
    {
      deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
    },
    async (w) => {
      w.apply(image(1));
      await w.pass(30);
      w.connect({ baseURL: 'https://dms-next.example.com/api' });
      await w.pass(60);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.status().binding?.endpoint).toBe('https://dms-next.example.com/api');
      expect(w.patches()).toEqual([]);
    },
  );
});
