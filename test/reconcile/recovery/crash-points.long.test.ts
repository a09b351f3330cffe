import { describe, expect } from 'vitest';
import { CRASH_POINTS, type CrashPoint, killAt } from '../support/crash.ts';
import { judgedScenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const GIVEN = {
  deployments: [
    { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } },
    { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] },
  ],
  semantics: { secretsEcho: 'stars' },
} as const;

const SPEC = {
  sourceConfig: { customURL: 'https://a.example.com', resourceSpec: { cpu: 2 } },
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
  secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }],
};

interface Write {
  readonly what: string;
  /** The state before the interrupted write. */
  readonly before: (w: World) => Promise<void>;
  readonly trigger: (w: World) => void;
  readonly token: string;
}

const rest = async (w: World): Promise<void> => {
  w.putSecret('agent-secrets', { token: 'the-first-token-value' });
  w.apply(SPEC);
  await w.pass(90);
};

const WRITES: readonly Write[] = [
  {
    what: 'the first application',
    before: async (w) => {
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      await w.pass(5);
    },
    trigger: (w) => w.apply(SPEC),
    token: 'the-first-token-value',
  },
  {
    what: 'a secret rotation',
    before: rest,
    trigger: (w) => w.putSecret('agent-secrets', { token: 'the-second-token-value' }),
    token: 'the-second-token-value',
  },
  {
    what: 'the correction of drift',
    before: rest,
    trigger: (w) => w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand'),
    token: 'the-first-token-value',
  },
];

/** Returns the number of requests that the service had already applied with the same content. */
function repeats(w: World, since: number): number {
  const applied = new Set<string>();
  let count = 0;
  for (const { body, status } of w.patches().slice(since)) {
    const text = JSON.stringify(body);
    if (applied.has(text)) count += 1;
    if (status === 200) applied.add(text);
  }
  return count;
}

async function expectEndState(w: World, token: string): Promise<void> {
  expect(w.state()).toBe('True/InSync True/Active');
  expect(w.kept().content).toEqual({
    sourceConfig: { custom_url: 'https://a.example.com', resource_spec: { cpu: 2 } },
    revisionConfig: { image_uri: 'registry.example.com/agent:2' },
    secrets: [{ name: 'API_TOKEN', value: token }],
    secretReferences: null,
  });
  expect(w.status().pendingWrite).toBeUndefined();
  expect(w.status().lastPatch?.outcome).toMatch(/^(Applied|Verified)$/);
}

describe('a process killed', () => {
  for (const { what, before, trigger, token } of WRITES) {
    for (const point of CRASH_POINTS) {
      judgedScenario(
        `${point} of ${what} leaves the rest to the next one, which repeats no applied request`,
        GIVEN,
        async (w) => {
          await before(w);
          const patches = w.patches().length;
          const killed = killAt(w, point);
          trigger(w);
          await w.pass(90);
          expect(killed(), 'the process came to that point').toBe(true);
          w.start();
          await w.pass(300);
          await expectEndState(w, token);
          expect(repeats(w, patches)).toBe(0);
          expect(w.patches().length - patches).toBe(1);
        },
      );
    }

    judgedScenario(`at every point in turn of ${what} reaches the same final state`, GIVEN, async (w) => {
      await before(w);
      const patches = w.patches().length;
      trigger(w);
      for (const point of CRASH_POINTS) {
        killAt(w, point);
        w.start();
        await w.pass(180);
        w.kill();
      }
      w.start();
      await w.pass(300);
      await expectEndState(w, token);
      expect(repeats(w, patches)).toBe(0);
    });
  }

  const early: readonly CrashPoint[] = ['before the announcement', 'after the announcement'];
  for (const point of early) {
    judgedScenario(
      `${point}, with an edit before the next one starts, sends the new spec`,
      GIVEN,
      async (w) => {
        await rest(w);
        const killed = killAt(w, point);
        w.apply({ ...SPEC, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:3' } });
        await w.pass(10);
        expect(killed()).toBe(true);
        w.apply(SPEC);
        w.start();
        await w.pass(300);
        expect(w.patches(), 'only the first application was ever sent').toHaveLength(1);
        await expectEndStateAfterRevert(w);
      },
    );
  }

  judgedScenario(
    'after the first announcement does not claim the revision of an edit before the next one starts',
    { ...GIVEN, semantics: { secretsEcho: 'omitted' } },
    async (w) => {
      const killed = killAt(w, 'after the announcement');
      w.apply({
        secretsOwnership: 'Exclusive',
        secrets: [{ name: 'API_TOKEN', value: 'a-token-of-our-own' }],
      });
      await w.pass(5);
      expect(killed()).toBe(true);
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand');
      w.start();
      await w.pass(300);
      expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: 'a-token-of-our-own' }]);
      expect(w.patches()).toHaveLength(1);
    },
  );

  judgedScenario(
    'after the announcement of a first list of secrets sends that list, though lists show its values already',
    {
      deployments: [
        {
          name: AGENT,
          secrets: [
            { name: 'API_TOKEN', value: 'the-token-that-is-there' },
            { name: 'OLD', value: 'an-old-value' },
          ],
        },
      ],
      semantics: { secretsEcho: 'plain', lists: 'replace' },
    },
    async (w) => {
      const killed = killAt(w, 'after the announcement');
      w.putSecret('agent-secrets', { token: 'the-token-that-is-there' });
      w.apply({ secretsOwnership: 'Exclusive', secrets: SPEC.secrets });
      await w.pass(5);
      expect(killed()).toBe(true);
      await w.pass(70);
      w.start();
      await w.pass(30);
      expect(w.condition('Synced')).not.toBe('False/FieldNotClearable');
      await w.pass(270);
      expect(w.kept().content.secrets).toMatchObject([{ name: 'API_TOKEN' }]);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  judgedScenario('twenty times at random moments converges nevertheless', GIVEN, async (w) => {
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    w.apply(SPEC);
    for (let n = 0; n < 20; n += 1) {
      await w.pass(0.02 * n);
      w.restart();
    }
    await w.pass(300);
    await expectEndState(w, 'the-first-token-value');
    expect(w.patches().length).toBeLessThanOrEqual(2);
  });

  judgedScenario('a second time at rest costs no PATCH and no status write', GIVEN, async (w) => {
    await rest(w);
    const before = [w.patches().length, w.statusWrites.length];
    w.restart();
    await w.pass(120);
    expect([w.patches().length, w.statusWrites.length]).toEqual(before);
  });
});

describe('a process that receives SIGTERM', () => {
  for (const [during, seconds] of [
    ['an exchange', 10],
    ['a wait for a slow answer', 25],
  ] as const) {
    judgedScenario(`during ${during} records the answer before it ends`, GIVEN, async (w) => {
      await rest(w);
      w.fault({ kind: 'delay', ms: seconds * 1000 });
      w.apply({ ...SPEC, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:3' } });
      await w.pass(1);
      expect(w.status().pendingWrite).toBeDefined();
      await w.stop();
      expect(w.status().pendingWrite).toBeUndefined();
      expect(w.condition('Synced')).toBe('True/InSync');
      w.start();
      await w.pass(120);
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
    });
  }

  judgedScenario('during the check of a connection leaves no wrong status behind', GIVEN, async (w) => {
    await rest(w);
    const said = w.connectionStatus();
    w.restart();
    await w.pass(0.01);
    await w.stop();
    expect(w.connectionStatus()).toEqual(said);
    expect(w.state()).toBe('True/InSync True/Active');
    w.start();
    await w.pass(90);
  });

  judgedScenario(
    'while the service does not answer gives up in time and reports nothing false',
    { ...GIVEN, connection: { requestTimeoutSeconds: 120 } },
    async (w) => {
      await rest(w);
      const [said, status] = [w.connectionStatus(), w.status()];
      w.restart();
      w.fault({ kind: 'hang' }, { match: { operation: 'list' }, times: 0 });
      await w.pass(1);
      const startMs = w.clock.now();
      await w.stop();
      expect(w.clock.now() - startMs).toBeLessThanOrEqual(35_000);
      expect(w.connectionStatus()).toEqual(said);
      expect(w.status()).toEqual(status);
      w.service.faults.clear();
      w.start();
      await w.pass(90);
    },
  );
});

async function expectEndStateAfterRevert(w: World): Promise<void> {
  expect(w.state()).toBe('True/InSync True/Active');
  expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:2' });
}
