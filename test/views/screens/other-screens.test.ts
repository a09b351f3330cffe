import { describe, expect, test } from 'vitest';
import { connectionsScreen } from '../../../src/views/screens/connections-screen.ts';
import { deploymentScreen } from '../../../src/views/screens/deployment-screen-of.ts';
import { driftScreen } from '../../../src/views/screens/drift-screen.ts';
import { pictureOf } from '../../../src/views/screens/picture.ts';
import { type ActionSetting, actionsFor } from '../../../src/views/screens/screen-action.ts';
import { waitingScreen } from '../../../src/views/screens/waiting-screen.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { at } from '../../support/resources/builders.ts';
import {
  aConnection,
  aPlan,
  awaitingApproval,
  drifting,
  inState,
  statusOf,
} from '../../support/console/fleet-of-states.ts';

const HASH = '5c1e0b7a90d2f1c44e07';
const ALLOWED: ActionSetting = { allowed: true, missingRight: () => undefined };

function screenOf(resource: DeploymentResource, setting = ALLOWED) {
  const [pictured] = pictureOf([resource], []).fleet;
  return deploymentScreen(pictured!, {
    ...{ resourceVersion: '7', events: [], actions: setting },
    yaml: (value) => JSON.stringify(value),
  });
}

const offered = (resource: DeploymentResource, setting = ALLOWED) =>
  actionsFor(resource, setting).flatMap(({ action, allowed }) => (allowed ? [action] : []));

describe('the screen of a deployment', () => {
  test('shows the waiting plan, by its hash, and offers to approve exactly that plan', () => {
    const screen = screenOf(awaitingApproval('asks', HASH));
    expect(screen.plan).toMatchObject({
      hash: HASH,
      sends: true,
      revision: 'Makes a revision: sourceRevisionConfig.imageURI is part of what a revision is made of',
      changes: [{ from: 'agent:1', to: 'agent:2', drift: false, revision: 'Expected' }],
    });
    const [approve] = screen.actions;
    expect(approve).toMatchObject({
      action: 'approve',
      allowed: true,
      command: `approve asks -n team-a --hash ${HASH}`,
    });
    expect(approve?.shows).toBe(`metadata:\n  annotations:\n    dms-operator.dev/approve: "${HASH}"\n`);
    expect(screen.next).toMatchObject([{ reason: 'AwaitingApproval', command: 'approve asks -n team-a' }]);
  });

  test('explains every condition', () => {
    const { conditions } = screenOf(inState('broken', 'InvalidSpec'));
    expect(conditions.map(({ type, means, todo }) => [type, means !== '', todo !== undefined])).toEqual([
      ['Ready', true, true],
      ['Synced', true, true],
      ['Stalled', true, true],
    ]);
  });

  test('shows the newest revision first, and marks the active one', () => {
    const revision = (id: string, ms: number) => ({ id, firstSeenTime: at(ms), cause: 'Operator' as const });
    const revisions = [
      revision('rev-1', -9000),
      { ...revision('rev-2', -5000), activeTime: at(-4000) },
      revision('rev-3', 0),
    ];
    const status = { ...statusOf('InSync'), revisions, activeRevisionID: 'rev-2', latestRevisionID: 'rev-3' };
    const { history, state } = screenOf(inState('agent', 'InSync', { status }));
    expect(history.map(({ id, isActive, isNewest }) => [id, isActive, isNewest])).toEqual([
      ['rev-3', false, true],
      ['rev-2', true, false],
      ['rev-1', false, false],
    ]);
    expect(state).toMatchObject({ activeSince: at(-4000), latestSince: at(0) });
  });

  test('shows no value of a secret, and no status, in the manifest', () => {
    const { manifest, state } = screenOf(
      inState('agent', 'InSync', {
        spec: {
          secrets: [{ name: 'API_KEY', value: 'hunter2hunter2' }],
          sourceConfig: { repoURL: 'https://user:hunter2hunter2@code.example.com/x' },
        },
      }),
    );
    expect(`${manifest}${JSON.stringify(state)}`).not.toContain('hunter2');
    expect(JSON.parse(manifest)).not.toHaveProperty('status');
    expect(JSON.parse(manifest)).not.toHaveProperty('next');
  });

  test('renders a resource with 256 secrets and a plan of 200 changes', () => {
    const secrets = Array.from({ length: 256 }, (_, index) => ({ name: `S_${index}`, value: 'x' }));
    const change = { from: 'a', to: 'b', revision: 'None' as const };
    const changes = Array.from({ length: 200 }, (_, index) => ({ path: `field.${index}`, ...change }));
    const status = { ...statusOf('Pending'), plan: { changesOmitted: 3, changes } };
    const screen = screenOf(inState('large', 'Pending', { spec: { secrets }, status }));
    expect(screen.plan).toMatchObject({ changesOmitted: 3, sends: true });
    expect(screen.plan?.changes).toHaveLength(200);
    expect(screen.state.asked.filter(({ path }) => path.startsWith('secrets '))).toHaveLength(256);
  });

  test('marks unknown values if no controller has read the deployment', () => {
    expect(screenOf(inState('new', undefined))).toMatchObject({
      ...{ sentence: 'No controller has looked at it yet', history: [], next: [] },
      state: { behind: false },
    });
  });

  test('keeps every text unchanged, including markup and direction marks', () => {
    const message = '<script>alert(1)</script> \u202Egnp.exe \u{1F469}\u200D\u{1F680}';
    const status = statusOf('Rejected');
    const conditions = (status.conditions ?? []).map((condition) => ({ ...condition, message }));
    const screen = screenOf(inState('odd', 'Rejected', { status: { ...status, conditions } }));
    expect(screen.conditions[0]?.message).toBe(message);
  });
});

describe('the actions', () => {
  test.each([
    [inState('agent', 'InSync'), ['pause', 'reconcile', 'redeploy']],
    [
      inState('agent', 'Paused', { annotations: { 'dms-operator.dev/paused': 'true' } }),
      ['resume', 'reconcile', 'redeploy'],
    ],
    [awaitingApproval('agent', HASH), ['approve', 'pause', 'reconcile', 'redeploy']],
  ])('are those that make sense', (resource, actions) => {
    expect(offered(resource)).toEqual(actions);
  });

  test('are absent without --allow-actions, or without the right, with an explanation', () => {
    const resource = inState('agent', 'InSync');
    const missing = {
      allowed: true,
      missingRight: () => 'patch deployments.dms-operator.dev in namespace team-a',
    };
    expect(offered(resource, { ...ALLOWED, allowed: false })).toEqual([]);
    expect(offered(resource, missing)).toEqual([]);
    const why = actionsFor(resource, missing).find(({ action }) => action === 'pause')?.why;
    expect(why).toBe('you lack the right to patch deployments.dms-operator.dev in namespace team-a');
  });

  test('show the patch, and its place in a folder', () => {
    const paused = inState('agent', 'Paused', { annotations: { 'dms-operator.dev/paused': 'true' } });
    const setting = { ...ALLOWED, placeOf: () => 'agents.yaml:4' };
    const resume = actionsFor(paused, setting).find(({ action }) => action === 'resume');
    expect(resume?.shows).toBe(
      '# agents.yaml:4\nmetadata:\n  annotations:\n    dms-operator.dev/paused: null\n',
    );
  });
});

test('the waiting screen shows plans first, then stalled, then paused resources, each with its remedies', () => {
  const { fleet } = pictureOf(
    [
      inState('calm', 'InSync'),
      inState('at-rest', 'InSync', { annotations: { 'dms-operator.dev/paused': 'true' } }),
      inState('broken', 'InvalidSpec'),
      awaitingApproval('asks', HASH),
    ],
    [],
  );
  const screen = waitingScreen(fleet, { page: 1, actions: ALLOWED, versionOf: () => '7' });
  expect(screen.sentence).toBe('1 plan waits for approval · 1 is stalled · 1 is paused');
  expect(
    screen.rows.map(({ kind, row, actions }) => [kind, row.name, actions.map(({ action }) => action)]),
  ).toEqual([
    ['approve', 'asks', ['approve']],
    ['stalled', 'broken', ['reconcile', 'redeploy', 'pause']],
    ['paused', 'at-rest', ['resume']],
  ]);
  expect(screen.rows.every(({ next }) => next.todo !== '')).toBe(true);
});

describe('the drift screen', () => {
  test('shows each change once, with its resources, and counts by connection', () => {
    const fleet = [
      drifting('a', '1'),
      drifting('b', '1', 'prod'),
      drifting('c', '2'),
      inState('calm', 'InSync'),
    ];
    expect(driftScreen(pictureOf(fleet, []).fleet)).toMatchObject({
      sentence: '3 resources drift in 1 field',
      groups: [
        { path: 'sourceConfig.resourceSpec.maxScale', from: '1', to: '3', count: 2, reason: 'DriftReported' },
        { from: '2', to: '3', count: 1 },
      ],
      connections: [
        { connection: 'default', resources: 2, fields: 1 },
        { connection: 'prod', resources: 1, fields: 1 },
      ],
    });
  });

  test('treats a difference as drift if this generation was applied, and otherwise as an edit', () => {
    const applied = (generation: number) => ({ key: 'k', generation, time: at(0), fields: [] });
    const withPlan = (generation: number) =>
      inState('agent', 'AwaitingApproval', {
        spec: { approval: 'Manual' },
        status: {
          ...statusOf('AwaitingApproval'),
          plan: aPlan('agent:2', HASH),
          applied: applied(generation),
        },
      });
    expect(driftScreen(pictureOf([withPlan(1)], []).fleet).resources).toBe(1);
    expect(driftScreen(pictureOf([withPlan(0)], []).fleet).resources).toBe(0);
  });
});

test('the connections screen shows trouble first, no credential, and the users of each connection', () => {
  const fleet = [
    inState('a', 'InSync'),
    inState('b', 'InvalidSpec'),
    inState('c', 'InSync', { spec: { connectionRef: { name: 'down' } } }),
  ];
  const screen = connectionsScreen(
    pictureOf(fleet, [aConnection('default'), aConnection('down', { reason: 'AuthFailed', stalled: true })]),
  );
  expect(screen.sentence).toBe('2 connections: 1 ready · 1 cannot be used');
  expect(screen.connections).toMatchObject([
    {
      name: 'down',
      tone: 'bad',
      reason: 'AuthFailed',
      todo: expect.stringContaining('spec.headers'),
      users: { count: 1 },
    },
    {
      name: 'default',
      tone: 'good',
      endpoint: 'https://dms.example.com/v2',
      rate: { requestsPerSecond: 5 },
      users: { count: 2 },
    },
  ]);
  expect(JSON.stringify(screen)).not.toContain('hunter2');
  expect(screen.connections[1]?.learned).toMatchObject([
    { what: 'What null does', verdict: 'Clears', count: 2 },
  ]);
});

test('a connection with very many users takes constant time for each of them', { timeout: 5_000 }, () => {
  const { connections, fleet } = pictureOf([inState('a', 'InSync')], [aConnection('default')]);
  const many = Array.from({ length: 100_000 }, () => fleet[0]!);
  expect(connectionsScreen({ connections, fleet: many }).connections[0]?.users.count).toBe(100_000);
});
