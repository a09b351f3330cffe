import { describe, expect } from 'vitest';
import type { Fault } from '../../../src/simulator/faults/scenario.ts';
import { isWireObject } from '../../../src/simulator/values/wire-values.ts';
import { killAt } from '../support/crash.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };

/** A service that shows no secret: neither its lists nor its answers do. */
const HIDES_SECRETS = {
  deployments: [LIVE],
  semantics: { listShape: ['no-secrets'], patchEcho: 'empty-202', trigger: 'never' },
} as const;
const ownToken = (value: string) =>
  ({ secrets: [{ name: 'API_TOKEN', value }], secretsOwnership: 'Exclusive' }) as const;

/** A rotation waits ten seconds for others. After this time it has been sent. */
const DEBOUNCED_S = 11;

/** The request timeout and the consistency window, in seconds. */
const WINDOW_S = 60;

interface Trouble {
  readonly what: string;
  readonly fault: Fault;
  /** The total number of PATCH requests needed: an applied write is never sent again if a read can show it. */
  readonly patches: number;
}

const TROUBLES: readonly Trouble[] = [
  { what: 'applied, then reset', fault: { kind: 'apply-then-fail', how: 'reset' }, patches: 1 },
  {
    what: 'applied, then silence until the timeout',
    fault: { kind: 'apply-then-fail', how: 'hang' },
    patches: 1,
  },
  { what: 'applied, then 500', fault: { kind: 'apply-then-fail', how: 500 }, patches: 1 },
  { what: 'applied, then 503', fault: { kind: 'apply-then-fail', how: 503 }, patches: 1 },
  { what: 'applied, reset in the middle of the answer', fault: { kind: 'reset-mid-body' }, patches: 1 },
  { what: 'applied, answer cut short', fault: { kind: 'truncate' }, patches: 1 },
  { what: 'reset before it was applied', fault: { kind: 'reset-before' }, patches: 2 },
  { what: 'silence, never applied', fault: { kind: 'hang' }, patches: 2 },
  { what: '200 with a login page, never applied', fault: { kind: 'wrong-type' }, patches: 2 },
  { what: '504, never applied', fault: { kind: 'status', status: 504 }, patches: 2 },
  {
    what: '504, applied twenty seconds later',
    fault: { kind: 'fail-then-apply-late', how: 504, afterMs: 20_000 },
    patches: 1,
  },
  {
    what: 'silence, applied after the timeout',
    fault: { kind: 'fail-then-apply-late', how: 'hang', afterMs: 40_000 },
    patches: 1,
  },
];

describe('a PATCH whose outcome is unknown', () => {
  for (const { what, fault, patches } of TROUBLES) {
    scenario(
      `(${what}) arrives, is verified by reading first, and makes one revision (H39)`,
      { deployments: [LIVE] },
      async (w) => {
        w.apply({ ...image(1), sourceConfig: { customURL: 'https://a.example.com' } });
        await w.pass(60);
        const before = w.patches().length;
        w.fault(fault);
        w.apply({ ...image(2), sourceConfig: { customURL: 'https://b.example.com' } });
        await w.pass(300);
        expect(w.patches().length - before).toBe(patches);
        expect(w.kept().content).toMatchObject({
          revisionConfig: { image_uri: 'registry.example.com/agent:2' },
          sourceConfig: { custom_url: 'https://b.example.com' },
        });
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.revisionsMade()).toBe(1);
        expect(w.status().pendingWrite).toBeUndefined();
      },
    );

    scenario(
      `(${what}) of masked secrets arrives; the same values are not sent again if a revision proves them (H39)`,
      {
        deployments: [LIVE, { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] }],
        semantics: { secretsEcho: 'stars' },
      },
      async (w) => {
        w.putSecret('agent-secrets', { token: 'the-first-token-value' });
        w.apply({
          secrets: [
            { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } },
          ],
        });
        await w.pass(60);
        const before = w.patches().length;
        w.fault(fault);
        w.putSecret('agent-secrets', { token: 'the-second-token-value' });
        await w.pass(300);
        expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: 'the-second-token-value' }]);
        expect(w.patches().length - before).toBe(patches);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }

  scenario(
    'is not sent again if the first read after its window proves it, and the second read lags',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      const before = w.patches().length;
      w.become({ stale: { every: 1, seconds: 300 } });
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      w.apply({ ...image(1), sourceConfig: { customURL: 'https://b.example.com' } });
      await w.pass(WINDOW_S - 3);
      w.annotate('reconcile-at', 'now');
      await w.pass(1);
      expect(w.state()).toBe('Unknown/OutcomeUnknown Unknown/OutcomeUnknown');
      w.become({ stale: { every: 3, seconds: 300 } });
      await w.pass(5);
      w.become({ stale: { every: 0, seconds: 0 } });
      await w.pass(120);
      expect(w.patches().length - before).toBe(1);
    },
  );

  scenario(
    'is not sent again for the fields that the first of the two reads proves, if neither proves the rest',
    {
      deployments: [LIVE, { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] }],
      semantics: { secretsEcho: 'stars', trigger: 'never' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply(image(1));
      await w.pass(400);
      w.become({ stale: { every: 1, seconds: 300 } });
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      const secretKeyRef = { name: 'agent-secrets', key: 'token' };
      w.apply({
        ...image(1),
        secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef } }],
        sourceConfig: { customURL: 'https://b.example.com' },
      });
      await w.pass(WINDOW_S - 1);
      w.annotate('reconcile-at', 'now');
      await w.pass(1);
      expect(w.state()).toBe('Unknown/OutcomeUnknown Unknown/OutcomeUnknown');
      w.become({ stale: { every: 3, seconds: 300 } });
      await w.pass(5);
      w.become({ stale: { every: 0, seconds: 0 } });
      await w.pass(120);
      const carrying = (key: string) => w.bodies().filter((body) => isWireObject(body) && key in body);
      expect([carrying('source_config').length, carrying('secrets').length]).toEqual([1, 2]);
    },
  );

  for (const [driftPolicy, byHand, end] of [
    ['Correct', null, 'True/InSync True/Active'],
    ['Report', 'https://theirs.example.com', 'False/DriftReported True/Active'],
  ] as const) {
    scenario(
      `carries what somebody has set between the two reads, if only the first proves a part of it: ${driftPolicy}`,
      {
        deployments: [
          { ...LIVE, sourceConfig: { install_command: 'npm install' } },
          { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] },
        ],
        connection: {
          ...{ patch: { bodies: 'Full' }, list: { pageSize: 1 } },
          rateLimit: { requestsPerSecond: 0.5, burst: 1, concurrency: 4 },
        },
        semantics: { secretsEcho: 'stars', trigger: 'never' },
      },
      async (w) => {
        w.putSecret('agent-secrets', { token: 'the-first-token-value' });
        w.apply({ ...image(1), driftPolicy });
        await w.pass(400);
        w.fault({ kind: 'apply-then-fail', how: 'reset' });
        const secretKeyRef = { name: 'agent-secrets', key: 'token' };
        const customURL = 'https://b.example.com';
        w.apply({
          ...image(1),
          driftPolicy,
          secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef } }],
          sourceConfig: { customURL },
        });
        await w.pass(WINDOW_S - 10);
        w.editAtService('source_config.custom_url', byHand);
        w.editAtService('source_config.install_command', 'npm ci');
        w.become({ stale: { every: 1, seconds: 25 } });
        await w.pass(5);
        let reads = 0;
        w.moments.arriving = ({ operation }) => {
          if (operation === 'list' && ++reads === 1) w.become({ stale: { every: 0, seconds: 0 } });
        };
        await w.pass(180);
        expect(reads).toBeGreaterThan(2);
        const custom_url = byHand ?? customURL;
        expect(w.kept().content.sourceConfig).toMatchObject({ install_command: 'npm ci', custom_url });
        expect(w.state()).toBe(end);
      },
    );
  }

  scenario(
    'that the service refuses when it is sent again, and that arrives after all, is corrected like any other',
    {
      deployments: [
        {
          ...{ name: AGENT, source: 'codehost', revisionConfig: { repo_ref: 'main' } },
          sourceConfig: { repo_url: 'https://code.example.com/agent' },
        },
      ],
      semantics: { listLag: { seconds: 100 } },
    },
    async (w) => {
      const repoURL = 'https://code.example.com/other';
      w.apply({ source: 'codehost', sourceConfig: {} });
      await w.pass(400);
      w.fault({ kind: 'fail-then-apply-late', how: 504, afterMs: 25_000 });
      w.apply({ source: 'codehost', sourceConfig: { repoURL } });
      await w.pass(WINDOW_S - 5);
      w.fault({ kind: 'status', status: 422 });
      await w.pass(20);
      expect(w.condition('Synced')).toBe('False/ImmutableFieldChanged');
      w.service.faults.clear();
      await w.pass(180);
      expect(w.state()).toBe('True/InSync True/Active');
      w.editAtService('source_config.repo_url', 'https://code.example.com/theirs');
      // The same request is held for half an hour after a refusal.
      await w.pass(2_000);
      expect(w.kept().content.sourceConfig).toMatchObject({ repo_url: repoURL });
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'of masked secrets, where a push made the new revision, is sent once more (H55)',
    {
      deployments: [
        {
          ...{ name: AGENT, source: 'codehost', revisionConfig: { repo_ref: 'main' } },
          sourceConfig: { build_on_push: true, repo_url: 'https://code.example.com/agent' },
        },
        { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] },
      ],
      semantics: { secretsEcho: 'stars' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply({
        source: 'codehost',
        secrets: [
          { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } },
        ],
      });
      await w.pass(60);
      w.fault({ kind: 'reset-before' });
      w.putSecret('agent-secrets', { token: 'the-second-token-value' });
      await w.pass(DEBOUNCED_S);
      w.service.act({ kind: 'push', deployment: AGENT, commit: 'b'.repeat(40) });
      await w.pass(300);
      expect(w.patches()).toHaveLength(3);
      expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: 'the-second-token-value' }]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'of masked secrets is sent once more if another client edited the deployment meanwhile',
    {
      deployments: [LIVE, { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] }],
      semantics: { secretsEcho: 'stars' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'the-first-token-value' });
      w.apply({
        secrets: [
          { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } },
        ],
      });
      await w.pass(60);
      w.fault({ kind: 'reset-before' });
      w.putSecret('agent-secrets', { token: 'the-second-token-value' });
      await w.pass(DEBOUNCED_S);
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand');
      await w.pass(300);
      expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: 'the-second-token-value' }]);
      expect(w.patches()).toHaveLength(3);
    },
  );

  scenario(
    'of an image is sent once more if somebody emptied it meanwhile, also by another process',
    {
      deployments: [{ ...LIVE, revisionConfig: { ...LIVE.revisionConfig, graph_config_path: 'graph.json' } }],
    },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      w.fault({ kind: 'reset-before' });
      w.apply(image(2));
      await w.pass(1);
      w.editAtService('source_revision_config.image_uri', null);
      w.restart();
      await w.pass(300);
      expect(w.kept().content.revisionConfig).toMatchObject({ image_uri: 'registry.example.com/agent:2' });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'of secrets whose names the service does not list is sent once more, regardless of a revision',
    { deployments: [LIVE, { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] }] },
    async (w) => {
      w.fault({ kind: 'reset-before' });
      w.apply({ secrets: [{ name: 'API_TOKEN', value: 'a-token-of-our-own' }] });
      await w.pass(1);
      w.service.act({ kind: 'redeploy', deployment: AGENT, revision: 0 });
      await w.pass(300);
      expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: 'a-token-of-our-own' }]);
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'of an empty list of secrets is not proven by a revision while the secrets to be removed are listed',
    {
      deployments: [{ ...LIVE, secrets: [{ name: 'BY_HAND', value: 'a-value-set-by-hand' }] }],
      semantics: { secretsEcho: 'stars' },
    },
    async (w) => {
      await w.pass(1);
      w.fault({ kind: 'status', status: 500 });
      w.apply({ secrets: [], secretsOwnership: 'Exclusive' });
      await w.pass(1);
      w.service.act({ kind: 'redeploy', deployment: AGENT, revision: 0 });
      await w.pass(180);
      expect(w.patches()).toHaveLength(2);
      expect(w.kept().content.secrets).toEqual([]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'of a field that needs no revision is not proven by a new revision',
    { deployments: [LIVE] },
    async (w) => {
      w.fault({ kind: 'status', status: 504 });
      w.apply({ sourceConfig: { customURL: 'https://a.example.com' } });
      await w.pass(1);
      w.service.act({ kind: 'redeploy', deployment: AGENT, revision: 0 });
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toEqual({ custom_url: 'https://a.example.com' });
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'of secrets that make no revision is sent once more, since it cannot be proven',
    {
      deployments: [LIVE, { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] }],
      semantics: { secretsEcho: 'stars', trigger: 'never' },
    },
    async (w) => {
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      w.apply({ secrets: [{ name: 'API_TOKEN', value: 'a-token-of-our-own' }] });
      await w.pass(300);
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'counts as sent once the next one is answered, so a hidden field is sent twice in total',
    HIDES_SECRETS,
    async (w) => {
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      w.apply(ownToken('a-token-of-our-own'));
      await w.pass(600);
      expect(w.patches()).toHaveLength(2);
      expect(w.condition('Synced')).toBe('False/NotConverging');
      w.apply(ownToken('another-token'));
      await w.pass(600);
      expect(w.patches()).toHaveLength(4);
    },
  );

  for (const status of [409, 422])
    scenario(
      `counts as sent also if the service refuses the next one, so a hidden field arrives twice in total: ${status}`,
      HIDES_SECRETS,
      async (w) => {
        w.fault({ kind: 'apply-then-fail', how: 'reset' });
        w.apply(ownToken('a-token-of-our-own'));
        await w.pass(30);
        w.fault({ kind: 'status', status });
        await w.pass(2_400);
        expect(w.patches().map((patch) => patch.status)).toEqual([500, status, 202]);
        expect(w.condition('Synced')).toBe('False/NotConverging');
      },
    );

  scenario(
    'counts as sent for a hidden field also if a list proves the other fields of the request',
    HIDES_SECRETS,
    async (w) => {
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      w.apply({
        ...ownToken('a-token-of-our-own'),
        sourceConfig: { customURL: 'https://a.example.com' },
      });
      await w.pass(600);
      const carrying = (key: string) => w.bodies().filter((body) => isWireObject(body) && key in body);
      expect([carrying('source_config').length, carrying('secrets').length]).toEqual([1, 2]);
      expect(w.condition('Synced')).toBe('False/NotConverging');
    },
  );

  scenario(
    'is followed by an edit made meanwhile, which is sent after the verdict',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(30);
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      w.apply(image(2));
      await w.pass(1);
      w.apply(image(3));
      await w.pass(300);
      expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:3' });
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'again and again ends at the revision budget, not in a loop',
    { deployments: [LIVE], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      w.fault({ kind: 'reset-before' }, { times: 0 });
      w.apply(image(2));
      await w.pass(3600);
      expect(w.condition('Synced')).toBe('False/RevisionBudgetExhausted');
      expect(w.patches(), 'six in an hour, and one for the new generation').toHaveLength(7);
      w.service.faults.clear();
      await w.pass(3600);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(8);
    },
  );

  scenario(
    'of a resource spec that no list shows is not proven by the late revision of the write before it',
    {
      deployments: [LIVE],
      semantics: {
        ...{ trigger: 'delayed', triggerDelaySeconds: 20, revisionFor: 'and-resource-spec' },
        ...{ patchEcho: 'partial', listShape: ['no-resource-spec'] },
      },
    },
    async (w) => {
      const cpu = (n: number) => ({ sourceConfig: { resourceSpec: { cpu: n } } });
      w.apply(cpu(1));
      await w.pass(45);
      w.fault({ kind: 'reset-before' });
      w.apply(cpu(2));
      await w.pass(20);
      expect(w.state()).toContain('Unknown/OutcomeUnknown');
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toMatchObject({ resource_spec: { cpu: 2 } });
    },
  );
});

describe('an old list that shows the values of a request which never left', () => {
  for (const seconds of [0, 300]) {
    scenario(
      `proves nothing to a process whose clock is ${seconds} seconds ahead, although the spec has changed`,
      {
        deployments: [
          { ...LIVE, sourceConfig: { build_command: 'a', custom_url: 'https://one.example.com' } },
        ],
        semantics: { listLag: { seconds: 40 } },
      },
      async (w) => {
        const declare = (buildCommand: string, name: string): void =>
          w.apply({
            driftPolicy: 'Report',
            sourceConfig: { buildCommand, customURL: `https://${name}.example.com` },
          });
        declare('a', 'one');
        await w.pass(100);
        declare('b', 'two');
        await w.pass(3);
        const died = killAt(w, 'after the announcement');
        declare('a', 'one');
        await w.pass(2);
        expect(died()).toBe(true);
        w.disarm();
        w.shiftClock(seconds);
        declare('a', 'three');
        w.start();
        await w.pass(600);
        expect(w.kept().content.sourceConfig).toEqual({
          build_command: 'a',
          custom_url: 'https://three.example.com',
        });
        expect(w.condition('Synced')).toBe('True/InSync');
      },
    );
  }
});
