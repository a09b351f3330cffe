import { describe, expect, test } from 'vitest';
import type { DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import { type EventFacts, eventsFor } from '../../../src/model/outcome/events-for.ts';
import type { Outcome } from '../../../src/model/outcome/outcome.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { aResource, anObserved, at, ID, NOW_MS } from '../../support/resources/builders.ts';

type PatchPlan = Extract<Plan, { kind: 'patch' }>;

const IMAGE = 'sourceRevisionConfig.imageURI';
const CHANGE = { path: IMAGE, from: 'agent:1', to: 'agent:2', revision: 'Expected' } as const;
const BOUND: DeploymentStatus = {
  observedGeneration: 1,
  deploymentID: ID,
  latestRevisionID: 'rev-1',
  activeRevisionID: 'rev-1',
};
const SETTLED: Outcome = { kind: 'settled', reason: 'InSync', message: '' };

function applied(open: readonly string[] = []): Outcome {
  return {
    kind: 'applied',
    answer: { kind: 'shown', deployment: anObserved(), beganMs: NOW_MS },
    open,
  };
}

function failed(sent: 'no' | 'perhaps'): Outcome {
  return { kind: 'failed', failure: { kind: 'transient', reason: 'OutcomeUnknown', sent }, message: '' };
}

function patch(cause: PatchPlan['cause'], unsaved: readonly string[] = []): PatchPlan {
  const budget = { sends: [], drift: [], same: [] };
  const binding = {
    connectionKind: 'Connection',
    connectionName: 'default',
    endpoint: 'https://deploy.example.com/api',
    time: at(0),
  } as const;
  return {
    kind: 'patch',
    id: ID,
    body: {},
    cause,
    changes: [CHANGE],
    withheld: [],
    reported: [],
    unsaved,
    losses: [],
    announcement: { bodyPart: 'd', paths: [IMAGE], leftOut: [], revisions: [], binding, budget },
  };
}

const REPORTED: Plan = {
  kind: 'nothing',
  reason: 'DriftReported',
  message: '',
  changes: [CHANGE],
  withheld: [],
};
const WAITING: Plan = {
  kind: 'wait',
  reason: 'AwaitingApproval',
  message: '',
  changes: [CHANGE],
  hash: 'abc',
};
const PLAN_SHOWN: DeploymentStatus['plan'] = { changes: [CHANGE], changesOmitted: 0 };

const APPLIED = { key: 'k', generation: 1, time: at(0), fields: [{ path: IMAGE, a: 'd' }] };
const PENDING = {
  operation: 'Patch',
  bodyDigest: 'd',
  paths: [IMAGE],
  generation: 1,
  time: at(-1),
  attempt: 1,
} as const;

type Conditions = NonNullable<DeploymentStatus['conditions']>;

const conditions =
  (type: string, status: 'True' | 'False' | 'Unknown') =>
  (reason: string): Conditions => {
    const rest = { message: 'why', observedGeneration: 1, lastTransitionTime: at(0) };
    return [{ type, status, reason, ...rest }];
  };
const stalled = conditions('Stalled', 'True');
const synced = conditions('Synced', 'False');
const ready = conditions('Ready', 'Unknown');

interface Row {
  readonly name: string;
  readonly because: string;
  readonly spec?: Partial<DeploymentSpec>;
  readonly before?: DeploymentStatus;
  readonly after?: DeploymentStatus;
  readonly plan?: Plan;
  readonly outcome?: Outcome;
  readonly warnings?: readonly string[];
  readonly want: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: 'a pass at rest', because: 'nothing happened', want: [] },
  { name: 'the first bind', because: 'people look for it', before: {}, want: ['Normal Bound Bind'] },
  {
    name: 'a creation with an answer',
    because: 'the creation binds it',
    before: {},
    plan: { kind: 'create', body: { name: 'n', source: 's', extra: {} } },
    outcome: applied(),
    want: ['Normal Created Create'],
  },
  {
    name: 'an edit that was sent',
    because: 'it is a write',
    plan: patch('spec'),
    outcome: applied(),
    want: ['Normal PatchSent Patch'],
  },
  {
    name: 'a rotation that was sent',
    because: 'it is a write of its own kind',
    plan: patch('secret'),
    outcome: applied(),
    want: ['Normal SecretsRotated Patch'],
  },
  {
    name: 'a redeploy that was sent',
    because: 'it is a write of its own kind',
    plan: patch('redeploy'),
    outcome: applied(),
    want: ['Normal Redeployed Patch'],
  },
  {
    name: 'drift that was corrected',
    because: 'the event reports the drift with its correction',
    plan: patch('drift'),
    outcome: applied(),
    want: ['Warning DriftDetected Observe', 'Normal DriftCorrected Patch'],
  },
  {
    name: 'drift that could not be corrected now',
    because: 'the write that corrects it reports it',
    plan: patch('drift'),
    outcome: failed('no'),
    want: [],
  },
  {
    name: 'drift that is only reported',
    because: 'it is reported when it first appears',
    plan: REPORTED,
    want: ['Warning DriftDetected Observe'],
  },
  {
    name: 'drift that is still only reported',
    because: 'a persistent state is not reported again',
    before: { ...BOUND, plan: PLAN_SHOWN, conditions: synced('DriftReported') },
    after: { ...BOUND, plan: PLAN_SHOWN },
    plan: REPORTED,
    want: [],
  },
  {
    name: 'drift that is only reported, right after another plan',
    because: 'it is reported when it first appears, regardless of the earlier plan',
    before: { ...BOUND, plan: PLAN_SHOWN, conditions: synced('AwaitingApproval') },
    after: { ...BOUND, plan: PLAN_SHOWN },
    plan: REPORTED,
    want: ['Warning DriftDetected Observe'],
  },
  {
    name: 'drift that is only reported, in one more field',
    because: 'the new field was not reported yet',
    before: { ...BOUND, plan: PLAN_SHOWN, conditions: synced('DriftReported') },
    after: {
      ...BOUND,
      plan: { ...PLAN_SHOWN, changes: [CHANGE, { ...CHANGE, path: 'sourceConfig.customURL' }] },
    },
    plan: REPORTED,
    want: ['Warning DriftDetected Observe'],
  },
  {
    name: 'a deployment in sync at first sight',
    because: 'no write was needed',
    before: {},
    after: { ...BOUND, applied: APPLIED },
    plan: { ...REPORTED, reason: 'InSync', changes: [] },
    want: ['Normal Adopted Bind'],
  },
  {
    name: 'a write without an answer that was applied',
    because: 'people saw that its outcome was unknown (H39)',
    before: { ...BOUND, pendingWrite: PENDING },
    after: { ...BOUND, lastPatch: { time: at(-1), outcome: 'Verified', paths: [IMAGE] } },
    want: ['Normal Adopted Observe'],
  },
  {
    name: 'a write without an answer that was not applied',
    because: 'it is sent once more',
    before: { ...BOUND, pendingWrite: PENDING },
    after: { ...BOUND, lastPatch: { time: at(-1), outcome: 'NotApplied', paths: [IMAGE] } },
    want: [],
  },
  {
    name: 'a state that the service calls unused',
    because: 'services remove unused deployments (H43)',
    after: { ...BOUND, serviceStatus: 'UNUSED', conditions: ready('Unused') },
    want: ['Warning Unused Observe'],
  },
  {
    name: 'an unknown state',
    because: 'it is reported at first sight (N33)',
    before: { ...BOUND, serviceStatus: 'READY', conditions: ready('Active') },
    after: { ...BOUND, serviceStatus: 'MELTING', conditions: ready('UnknownState') },
    want: ['Warning UnknownState Observe'],
  },
  {
    name: 'an unknown state, as before',
    because: 'a persistent state is not reported again',
    before: { ...BOUND, serviceStatus: 'MELTING', conditions: ready('UnknownState') },
    after: { ...BOUND, serviceStatus: 'MELTING', conditions: ready('UnknownState') },
    want: [],
  },
  {
    name: 'a creation that was approved',
    because: 'approval covers creation as well',
    spec: { approval: 'Manual' },
    before: {},
    plan: { kind: 'create', body: { name: 'n', source: 's', extra: {} } },
    outcome: applied(),
    want: ['Normal Approved Create', 'Normal Created Create'],
  },
  {
    name: 'a deletion that was approved',
    because: 'approval covers deletion as well',
    spec: { approval: 'Manual' },
    plan: { kind: 'delete', id: ID },
    outcome: applied(),
    want: ['Normal Approved Delete', 'Normal Deleted Delete'],
  },
  {
    name: 'a plan that waits for approval',
    because: 'a person has to read it',
    spec: { approval: 'Manual' },
    plan: WAITING,
    outcome: { kind: 'waiting', reason: 'AwaitingApproval', message: '' },
    want: ['Normal PlanReady Observe'],
  },
  {
    name: 'the same plan, still waiting',
    because: 'a persistent state is not reported again',
    spec: { approval: 'Manual' },
    before: { ...BOUND, plan: { changes: [CHANGE], changesOmitted: 0, hash: 'abc' } },
    plan: WAITING,
    outcome: { kind: 'waiting', reason: 'AwaitingApproval', message: '' },
    want: [],
  },
  {
    name: 'a plan that was approved and sent',
    because: 'both are reported',
    spec: { approval: 'Manual' },
    plan: patch('spec'),
    outcome: applied(),
    want: ['Normal Approved Patch', 'Normal PatchSent Patch'],
  },
  {
    name: 'a write that restores a field emptied by the previous write',
    because: 'that is the learned behaviour of the service',
    plan: { ...patch('repair'), losses: ['sourceConfig.customURL'] },
    outcome: applied(),
    want: ['Normal PatchSent Patch', 'Warning SemanticsMismatch Patch'],
  },
  {
    name: 'a write whose answer does not show the omitted fields',
    because: 'a list must show the result',
    plan: patch('spec'),
    outcome: applied(['secrets']),
    want: ['Normal PatchSent Patch'],
  },
  {
    name: 'a field and a secret that are lost and not restored',
    because: 'both are reported once',
    before: { ...BOUND, lost: ['secrets.OLD'] },
    after: { ...BOUND, lost: ['secrets.OLD', 'secrets.NEW', 'sourceConfig.customURL'] },
    want: ['Warning SemanticsMismatch Patch', 'Warning UnmanagedSecretsLost Patch'],
  },
  {
    name: 'a write that loses unmanaged secrets',
    because: 'no client can restore them',
    plan: patch('repair', ['THEIRS']),
    outcome: applied(),
    want: ['Normal PatchSent Patch', 'Warning UnmanagedSecretsLost Patch'],
  },
  {
    name: 'the same, without an answer',
    because: 'it may have arrived',
    plan: patch('repair', ['THEIRS']),
    outcome: failed('perhaps'),
    want: ['Warning UnmanagedSecretsLost Patch'],
  },
  {
    name: 'the same, not sent',
    because: 'no secret was lost',
    plan: patch('repair', ['THEIRS']),
    outcome: failed('no'),
    want: [],
  },
  {
    name: 'a deletion that was accepted',
    because: 'it is a write',
    plan: { kind: 'delete', id: ID },
    outcome: applied(),
    want: ['Normal Deleted Delete'],
  },
  {
    name: 'a revision of ours that became active',
    because: 'the event about its request reported it',
    before: { ...BOUND, latestRevisionID: 'rev-2' },
    after: { ...BOUND, latestRevisionID: 'rev-2', activeRevisionID: 'rev-2' },
    want: [],
  },
  {
    name: 'a revision of ours that became active late',
    because: 'an event reported the trouble',
    before: {
      ...BOUND,
      latestRevisionID: 'rev-2',
      conditions: [
        {
          type: 'Stalled',
          status: 'True',
          reason: 'DeadlineExceeded',
          message: '',
          lastTransitionTime: at(0),
          observedGeneration: 1,
        },
      ],
    },
    after: { ...BOUND, latestRevisionID: 'rev-2', activeRevisionID: 'rev-2' },
    want: ['Normal RevisionActive Observe'],
  },
  {
    name: 'a revision of another client that became active',
    because: 'no event reported its outcome',
    before: {
      ...BOUND,
      latestRevisionID: 'rev-2',
      revisions: [{ id: 'rev-2', cause: 'External', firstSeenTime: at(0) }],
    },
    after: {
      ...BOUND,
      latestRevisionID: 'rev-2',
      activeRevisionID: 'rev-2',
      revisions: [{ id: 'rev-2', cause: 'External', firstSeenTime: at(0) }],
    },
    want: ['Normal RevisionActive Observe'],
  },
  {
    name: 'a revision by another client',
    because: 'it may come from a push, or from a person',
    after: {
      ...BOUND,
      latestRevisionID: 'rev-2',
      revisions: [{ id: 'rev-2', cause: 'External', firstSeenTime: at(0) }],
    },
    want: ['Normal ExternalRevision Observe'],
  },
  {
    name: 'a reason that needs a person',
    because: 'it is reported when it appears',
    after: { ...BOUND, conditions: stalled('Rejected') },
    want: ['Warning Rejected Observe'],
  },
  {
    name: 'the same reason as before',
    because: 'a persistent state is not reported again',
    before: { ...BOUND, conditions: stalled('Rejected') },
    after: { ...BOUND, conditions: stalled('Rejected') },
    want: [],
  },
  {
    name: 'warnings that were not reported yet',
    because: 'they are reported when they change, and they block nothing',
    after: { ...BOUND, warningsTold: 'd' },
    warnings: ['spec.replicas: is ignored'],
    want: ['Warning SpecWarning Observe'],
  },
  {
    name: 'warnings that were reported',
    because: 'a persistent state is not reported again',
    before: { ...BOUND, warningsTold: 'd' },
    after: { ...BOUND, warningsTold: 'd' },
    warnings: ['spec.replicas: is ignored'],
    want: [],
  },
  {
    name: 'a request of uncertain acceptance because of its size',
    because: 'the limits of the service are not documented',
    plan: { ...patch('spec'), body: { sourceConfig: { fields: { buildCommand: 'x'.repeat(1_000_000) } } } },
    outcome: failed('no'),
    want: ['Warning SpecWarning Patch'],
  },
];

describe('the events of a pass', () => {
  test.each(ROWS)('$name: $because', (row) => {
    const told = eventsFor(factsOf(row));
    expect(told.map(({ type, reason, action }) => `${type} ${reason} ${action}`)).toEqual(row.want);
  });

  test('name the drifted field with its old and new value', () => {
    const [first] = eventsFor(factsOf({ name: '', because: '', plan: REPORTED, want: [] }));
    expect(first?.message).toBe(`${IMAGE}: agent:1, wanted agent:2`);
  });

  test('is at most 1 KiB', () => {
    const losses = Array.from({ length: 200 }, (_, index) => `sourceConfig.field${index}`);
    const plan = { ...patch('spec'), losses };
    const told = eventsFor(factsOf({ name: '', because: '', plan, outcome: applied(), want: [] }));
    expect(told.map(({ message }) => Buffer.byteLength(message) <= 1024)).toEqual([true, true]);
    expect(told[1]?.message).toMatch(/…$/);
  });
});

function factsOf({ spec, before = BOUND, after, plan, outcome = SETTLED, warnings }: Row): EventFacts {
  return { resource: aResource(spec), before, after: after ?? BOUND, plan, outcome, warnings };
}
