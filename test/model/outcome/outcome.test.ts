import { describe, expect, test } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { type Outcome, type Requeue, requeueFor } from '../../../src/model/outcome/outcome.ts';
import { type Decided, makePlan } from '../../../src/model/decide/make-plan.ts';
import type { Situation } from '../../../src/model/plan/situation.ts';
import {
  aResource,
  anObserved,
  aSituation,
  at,
  digestsWith,
  ID,
  NOW_MS,
} from '../../support/resources/builders.ts';

const ROLLOUT_MS = 10_000;
const RESYNC_MS = 600_000;
const HELD_MS = 1_800_000;

type Decision = Decided & { readonly situation: Situation };

function decided(
  spec: Partial<DeploymentSpec> = {},
  observed: Partial<ObservedDeployment> = {},
  via: 'list' | 'answer' = 'list',
): Decision {
  const deployment = anObserved(observed);
  const situation: Situation = {
    ...aSituation(aResource(spec), deployment),
    observation: { kind: 'present', deployment, beganMs: NOW_MS, via },
  };
  return { ...makePlan(situation), situation };
}

/** Returns the age of our newest write, and of the start of the read. */
function writtenBefore(wroteMs: number, lookedMs: number): Decision {
  const { situation, ...rest } = decided();
  const lastPatch = { time: at(-wroteMs), outcome: 'Applied', paths: [] };
  const resource = { ...situation.resource, status: { ...situation.resource.status, lastPatch } };
  const observation = { ...situation.observation, beganMs: NOW_MS - lookedMs };
  return { ...rest, situation: { ...situation, resource, observation } };
}

const SETTLED: Outcome = { kind: 'settled', reason: 'InSync', message: '' };
const ANSWER = { kind: 'shown', deployment: anObserved(), beganMs: NOW_MS } as const;
const REJECTED: Outcome = {
  kind: 'failed',
  failure: { kind: 'terminal', reason: 'Rejected', sent: 'no', status: 422 },
  message: '',
};
const IMAGE = { sourceRevisionConfig: { imageURI: 'agent:2' } };
const REPO = { sourceConfig: { repoURL: 'https://code.example.com/a/b' } };

interface Row {
  readonly name: string;
  readonly because: string;
  readonly outcome: Outcome;
  readonly decided?: Decision;
  readonly want: Requeue;
}

const ROWS: readonly Row[] = [
  {
    name: 'held',
    because: 'only a person ends it',
    outcome: { kind: 'held', message: '' },
    want: { kind: 'on-change' },
  },
  {
    name: 'released',
    because: 'no work remains',
    outcome: { kind: 'released', message: '' },
    want: { kind: 'on-change' },
  },
  {
    name: 'settled',
    because: 'a sweep reports changes; this check is a fallback',
    outcome: SETTLED,
    decided: decided(),
    want: { kind: 'after', ms: RESYNC_MS, priority: 'resync' },
  },
  {
    name: 'settled during a rollout',
    because: 'the next check is at its end',
    outcome: SETTLED,
    decided: decided({}, { latestRevisionID: 'rev-2' }),
    want: { kind: 'after', ms: ROLLOUT_MS, priority: 'rollout' },
  },
  {
    name: 'settled on the answer to a write',
    because: 'a difference in the list counts after the window',
    outcome: SETTLED,
    decided: decided({}, {}, 'answer'),
    want: { kind: 'after', ms: ROLLOUT_MS, priority: 'rollout' },
  },
  {
    name: 'settled on a read within the window of our write',
    because: 'a cautious verdict is repeated soon after the window (K14)',
    outcome: SETTLED,
    decided: writtenBefore(20_000, 15_000),
    want: { kind: 'after', ms: 60_000 - 20_000 + ROLLOUT_MS, priority: 'resync', together: true },
  },
  {
    name: 'settled on a read after the window of our write',
    because: 'that read counted in full',
    outcome: SETTLED,
    decided: writtenBefore(70_000, 5_000),
    want: { kind: 'after', ms: RESYNC_MS, priority: 'resync' },
  },
  {
    name: 'sent',
    because: 'the next read follows its revision',
    outcome: { kind: 'applied', answer: ANSWER, open: [] },
    want: { kind: 'after', ms: ROLLOUT_MS, priority: 'rollout' },
  },
  {
    name: 'sent, and the answer leaves fields open',
    because: 'they are restored at once',
    outcome: { kind: 'applied', answer: ANSWER, open: ['secrets'] },
    want: { kind: 'after', ms: 0, priority: 'rollout' },
  },
  {
    name: 'postponed',
    because: 'a person still requests it',
    outcome: { kind: 'postponed', againInMs: 7_000 },
    want: { kind: 'after', ms: 7_000, priority: 'user' },
  },
  {
    name: 'waiting for a known time',
    because: 'the plan names the time',
    outcome: { kind: 'waiting', reason: 'OutcomeUnknown', message: '', againInMs: 5_000 },
    want: { kind: 'after', ms: 5_000, priority: 'rollout' },
  },
  {
    name: 'waiting for an event',
    because: 'a new Secret triggers a pass',
    outcome: { kind: 'waiting', reason: 'SecretMissing', message: '' },
    want: { kind: 'after', ms: 300_000, priority: 'resync' },
  },
  {
    name: 'rejected',
    because: 'the same again would be rejected again',
    outcome: REJECTED,
    decided: decided(IMAGE),
    want: { kind: 'after', ms: HELD_MS, priority: 'resync' },
  },
  {
    name: 'rejected, with a possibly immutable field and a mutable one',
    because: 'the rest is sent without it at once',
    outcome: REJECTED,
    decided: decided({ ...IMAGE, ...REPO }),
    want: { kind: 'after', ms: 0, priority: 'user' },
  },
  {
    name: 'rejected, with only a possibly immutable field',
    because: 'it is reported as an immutable field',
    outcome: REJECTED,
    decided: decided(REPO),
    want: { kind: 'after', ms: 0, priority: 'user' },
  },
  {
    name: 'too large, with a possibly immutable field and a mutable one',
    because: 'that field is not the cause',
    outcome: { ...REJECTED, failure: { kind: 'terminal', reason: 'TooLarge', sent: 'no', status: 413 } },
    decided: decided({ ...IMAGE, ...REPO }),
    want: { kind: 'after', ms: HELD_MS, priority: 'resync' },
  },
  {
    name: 'refused on a read within the window of the previous write',
    because: 'the effect of that write is still to be verified',
    outcome: REJECTED,
    decided: writtenBefore(20_000, 15_000),
    want: { kind: 'after', ms: 60_000 - 20_000 + ROLLOUT_MS, priority: 'resync', together: true },
  },
  {
    name: 'failed temporarily',
    because: 'it is retried with backoff',
    outcome: {
      kind: 'failed',
      failure: { kind: 'transient', reason: 'Retrying', sent: 'no', status: 409 },
      message: '',
    },
    want: { kind: 'backoff' },
  },
  {
    name: 'failed temporarily, with Retry-After',
    because: 'the service names the time',
    outcome: {
      kind: 'failed',
      failure: { kind: 'transient', reason: 'Retrying', sent: 'no', retryAfterMs: 4_000 },
      message: '',
    },
    want: { kind: 'backoff', atLeastMs: 4_000 },
  },
  {
    name: 'a bug',
    because: 'it may be temporary',
    outcome: { kind: 'failed', failure: { kind: 'bug', error: new Error('oops') }, message: '' },
    want: { kind: 'backoff' },
  },
];

describe('the time of the next pass', () => {
  test.each(ROWS)('$name: $because', (row) => {
    expect(requeueFor(row.outcome, row.decided, ROLLOUT_MS)).toEqual(row.want);
  });

  test('is when a budget has room again, if the budget blocks the resource', () => {
    const sends = [-3, -2, -1, -4, -5, -6].map((minutes) => at(minutes * 60_000));
    const applied = { key: digestsWith().keyID, generation: 1, time: at(0), fields: [] };
    const status = {
      deploymentID: ID,
      observedGeneration: 1,
      applied,
      budget: { sends, drift: [], same: [] },
    };
    const deployment = anObserved();
    const situation = aSituation(aResource(IMAGE, { status }), deployment);
    const decision = { ...makePlan(situation), situation };
    expect(decision.plan).toMatchObject({ kind: 'blocked', reason: 'RevisionBudgetExhausted' });
    const outcome: Outcome = { kind: 'settled', reason: 'RevisionBudgetExhausted', message: '' };
    const ms = 54 * 60_000;
    expect(requeueFor(outcome, decision, ROLLOUT_MS)).toEqual({ kind: 'after', ms, priority: 'resync' });
  });
});
