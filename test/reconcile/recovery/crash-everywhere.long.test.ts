import { describe, expect, test } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { mayMakeRevision } from '../../support/resources/revision-making.ts';
import { conclude, expectOracleContent } from '../support/conclusion.ts';
import { type Death, dieAt } from '../support/crash.ts';
import { AGENT, type Given, keyOf, World } from '../support/world.ts';

const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };
const MASKED = { deployments: [LIVE, SEEN], semantics: { secretsEcho: 'stars' } } as const;

const SECRETS = {
  secretsOwnership: 'Exclusive',
  secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }],
} as const;
const SPEC: Partial<DeploymentSpec> = {
  sourceConfig: { customURL: 'https://a.example.com', resourceSpec: { cpu: 2 } },
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
  ...SECRETS,
};
const CREATED: Partial<DeploymentSpec> = {
  ...SPEC,
  source: 'internal_container',
  creation: { policy: 'IfMissing' },
};

/** A scenario up to the moment of the crash. */
interface Story {
  readonly name: string;
  readonly given: Given;
  readonly before: (w: World) => Promise<void>;
  readonly trigger: (w: World) => void;
  /** The actions of people while it runs, including the time after the restart. */
  readonly later?: (w: World) => void;
  /** True if the resource and its deployment must not exist at the end. */
  readonly ends?: 'gone';
}

const token = (w: World, which: string): void =>
  w.putSecret('agent-secrets', { token: `the-${which}-token-value` });
const nothing = async (): Promise<void> => undefined;
const rest =
  (spec: Partial<DeploymentSpec>) =>
  async (w: World): Promise<void> => {
    token(w, 'first');
    w.apply(spec);
    await w.pass(120);
    expect(w.state()).toBe('True/InSync True/Active');
  };

const STORIES: readonly Story[] = [
  {
    name: 'the first application',
    given: MASKED,
    before: async (w) => token(w, 'first'),
    trigger: (w) => w.apply(SPEC),
  },
  {
    name: 'a bind that finds everything as it should be',
    given: MASKED,
    before: nothing,
    trigger: (w) => w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } }),
  },
  {
    name: 'an edit of several blocks',
    given: MASKED,
    before: rest(SPEC),
    trigger: (w) => w.apply({ ...SPEC, sourceConfig: { resourceSpec: { cpu: 3, memoryMB: 512 } } }),
  },
  { name: 'a secret rotation', given: MASKED, before: rest(SPEC), trigger: (w) => token(w, 'second') },
  {
    name: 'the removal of the last secret',
    given: MASKED,
    before: rest(SPEC),
    trigger: (w) => w.apply({ ...SPEC, secrets: [] }),
  },
  {
    name: 'the correction of drift',
    given: MASKED,
    before: rest(SPEC),
    trigger: (w) => w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand'),
  },
  {
    name: 'a field that is cleared',
    given: MASKED,
    before: rest(SPEC),
    trigger: (w) =>
      w.apply({ ...SPEC, sourceConfig: { resourceSpec: { cpu: 2 } }, clear: ['sourceConfig.customURL'] }),
  },
  {
    name: 'a write whose answer is lost',
    given: MASKED,
    before: rest(SPEC),
    trigger: (w) => {
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      token(w, 'second');
    },
  },
  {
    name: 'a write that is answered without a word',
    given: { ...MASKED, semantics: { secretsEcho: 'stars', patchEcho: 'empty-204' } },
    before: rest(SPEC),
    trigger: (w) => token(w, 'second'),
  },
  {
    name: 'a write that empties what it leaves out, and its repair',
    given: { ...MASKED, semantics: { secretsEcho: 'stars', topLevelOmit: 'cleared' } },
    before: rest(SPEC),
    trigger: (w) => w.apply({ ...SPEC, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:3' } }),
  },
  {
    name: 'a redeploy',
    given: { ...MASKED, semantics: { secretsEcho: 'stars', trigger: 'on-presence' } },
    before: rest(SPEC),
    trigger: (w) => w.annotate('redeploy', 'once'),
  },
  {
    name: 'an approved change',
    given: MASKED,
    before: async (w) => {
      await rest(SPEC)(w);
      w.apply({
        ...SPEC,
        approval: 'Manual',
        sourceRevisionConfig: { imageURI: 'registry.example.com/agent:3' },
      });
      await w.pass(30);
    },
    trigger: approve,
    later: approve,
  },
  {
    name: 'values that are taken as applied',
    given: {
      ...MASKED,
      deployments: [{ ...LIVE, secrets: [{ name: 'API_TOKEN', value: 'the-first-token-value' }] }],
    },
    before: async (w) => token(w, 'first'),
    trigger: (w) =>
      w.apply({ ...SECRETS, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } }, AGENT, {
        'dms-operator.dev/assume-applied': 'once',
      }),
  },
  {
    name: 'a creation',
    given: { ...MASKED, deployments: [SEEN] },
    before: async (w) => token(w, 'first'),
    trigger: (w) => w.apply(CREATED),
  },
  {
    name: 'a creation whose answer is lost',
    given: { deployments: [SEEN] },
    before: nothing,
    trigger: (w) => {
      w.fault({ kind: 'apply-then-fail', how: 'reset' }, { match: { operation: 'create' } });
      // It cannot be proven whether an unanswered request set a secret, so it would be sent once more.
      const { secrets: _, ...others } = CREATED;
      w.apply(others);
    },
  },
  {
    name: 'a deletion',
    given: MASKED,
    before: rest({ ...SPEC, deletionPolicy: 'Delete' }),
    trigger: (w) => w.store.remove(keyOf(AGENT)),
    ends: 'gone',
  },
  {
    name: 'a deletion whose answer is lost',
    given: { ...MASKED, semantics: { secretsEcho: 'stars', deletionSeconds: 30 } },
    before: rest({ ...SPEC, deletionPolicy: 'Delete' }),
    trigger: (w) => {
      w.fault({ kind: 'apply-then-fail', how: 'reset' }, { match: { operation: 'delete' } });
      w.store.remove(keyOf(AGENT));
    },
    ends: 'gone',
  },
];

/** Approves the waiting plan, as a person who reads it now. */
function approve(w: World): void {
  const hash = w.status().plan?.hash;
  if (hash !== undefined) w.annotate('approve', hash);
}

/** Longer than request timeout, consistency window, rollout and two poll intervals together. */
const END_S = 400;

/** Plays a scenario in which one process dies at one effect and another continues. Returns the final state. */
async function played(
  story: Story,
  death?: Death,
): Promise<{ effects: number; died: boolean; end: unknown }> {
  const w = new World(story.given);
  try {
    await story.before(w);
    const since = { patches: w.patches().length };
    const seen = dieAt(w, death);
    story.trigger(w);
    await w.pass(END_S);
    w.disarm();
    if (seen.died) {
      w.start();
      await w.pass(END_S / 4);
      story.later?.(w);
      await w.pass(END_S);
    }
    expectNothingTwice(w, since.patches);
    await conclude(w);
    expectOracleContent(w);
    return { ...seen, end: endOf(story, w) };
  } finally {
    w.kill();
  }
}

/** Returns the final state at the service and in the status, without ids and times. */
function endOf({ ends }: Story, w: World): unknown {
  if (ends === 'gone') {
    return { resource: w.store.peek(keyOf(AGENT)), deployment: w.service.deployment(AGENT) };
  }
  const { pendingWrite, applied } = w.status();
  return {
    state: w.state(),
    content: w.kept().content,
    pendingWrite,
    // The value before the write proves nothing after the write's window, and a process that finds the write knows
    // less.
    applied: applied?.fields.map(({ was: _was, ...kept }) => kept),
    deployments: w.service.deployments().length,
  };
}

/** Expects that no applied request was sent again, and that the budget counts every request that made a revision. */
function expectNothingTwice(w: World, since: number): void {
  const bodies = w
    .patches()
    .slice(since)
    .filter(({ status, faults }) => status === 200 || status === 204 || faults.includes('apply-then-fail'))
    .map(({ body }) => JSON.stringify(body));
  expect(bodies, 'no second identical PATCH').toEqual([...new Set(bodies)]);
  expect(w.service.log.count('create'), 'no second creation').toBeLessThanOrEqual(1);
  const resource = w.store.peek(keyOf(AGENT));
  if (resource !== undefined) {
    const revising = w.patches().filter(mayMakeRevision).length;
    expect(resource.status?.budget?.sends.length ?? 0, 'counted writes').toBeGreaterThanOrEqual(revising);
  }
}

describe('a process that dies at any effect, before or after it takes place, in', () => {
  test.each(STORIES)('$name leaves the rest to the next process, with the same end', async (story) => {
    const whole = await played(story);
    expect(whole.effects, 'something was done').toBeGreaterThan(0);
    for (let effect = 1; effect <= whole.effects; effect += 1) {
      for (const when of ['before', 'after'] as const) {
        const { died, end } = await played(story, { effect, when });
        expect(died, `the process came to effect ${effect}`).toBe(true);
        expect(end, `killed ${when} effect ${effect} of ${whole.effects}`).toEqual(whole.end);
      }
    }
  });
});
