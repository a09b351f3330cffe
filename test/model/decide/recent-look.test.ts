import { describe, expect, test } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import type { ConnectionSettings } from '../../../src/model/connection/connection.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { makePlan } from '../../../src/model/decide/make-plan.ts';
import {
  askedLook,
  carriesOthers,
  holdsStill,
  type WaitingDecision,
} from '../../../src/model/decide/recent-look.ts';
import type { Learned } from '../../../src/model/effects/learned.ts';
import {
  aResource,
  anObserved,
  aSituation,
  at,
  NOW_MS,
  someSettings,
} from '../../support/resources/builders.ts';

const IMAGE = { sourceRevisionConfig: { imageURI: 'agent:2' } };
const CPU = { sourceConfig: { resourceSpec: { cpu: 2 } } };
const HAND_MADE = { sourceConfig: { fields: { installCommand: 'npm ci' } } };
const BARE = { sourceConfig: { fields: {} }, sourceRevisionConfig: { fields: {} }, secrets: [] };
const REPLACES: Learned = { omittedFields: { verdict: 'Replace', count: 1, time: at(0) } };

function decision(
  spec: Partial<DeploymentSpec>,
  given: {
    readonly settings?: Partial<ConnectionSettings>;
    readonly learned?: Learned;
    readonly observed?: Partial<ObservedDeployment>;
    readonly pioneers?: boolean;
  } = {},
): WaitingDecision {
  const observed = anObserved(given.observed);
  const situation = {
    ...aSituation(aResource(spec), observed),
    resourceSpecsListed: true,
    settings: someSettings(given.settings),
    learned: given.learned ?? {},
    pioneers: given.pioneers,
  };
  return { ...makePlan(situation), situation, decidedMs: NOW_MS, asOfMs: NOW_MS, ownLook: false };
}

function carries(...how: Parameters<typeof decision>): boolean {
  const made = decision(...how);
  expect(made.plan.kind).toBe('patch');
  return carriesOthers(made, made.situation);
}

describe('a body carries values of other clients', () => {
  test.each([
    ['a resource spec, which is sent whole', true, CPU, {}],
    [
      'secret references, which are sent whole',
      true,
      { secretReferences: [] },
      { observed: { secretReferences: [{ name: 'A', secretName: 'b', secretKey: 'c' }] } },
    ],
    ['one image', false, IMAGE, {}],
    ['one key of source_config', false, { sourceConfig: { buildOnPush: true } }, {}],
    ['a first write that omits fields', true, IMAGE, { pioneers: true, observed: HAND_MADE }],
    ['a first write that omits no field', false, IMAGE, { pioneers: true, observed: BARE }],
    ['a revision block where drift is reported', true, { ...IMAGE, driftPolicy: 'Report' }, {}],
    ['a full body by setting', true, IMAGE, { settings: { patchBodies: 'Full' } }],
    ['a full body because of a learned fact', true, IMAGE, { learned: REPLACES }],
    [
      'a partial body despite a learned fact',
      false,
      IMAGE,
      { learned: REPLACES, settings: { patchBodies: 'Partial' } },
    ],
  ] as const)('%s: %s', (_, want, spec, given) => {
    expect(carries(spec as Partial<DeploymentSpec>, given as Parameters<typeof decision>[1])).toBe(want);
  });
});

describe('a plan that waits for its permit', () => {
  const FAST = someSettings({ rateLimit: { requestsPerSecond: 5, burst: 10, concurrency: 4 } });
  const STILL = { movedSince: () => false, sweptSince: () => false, isRepeated: false, apartMs: 200 };
  const SLOW = someSettings({ rateLimit: { requestsPerSecond: 0.1, burst: 1, concurrency: 4 } });

  function holds(
    made: WaitingDecision,
    more: { readonly settings: ConnectionSettings; readonly ownLook?: boolean; readonly asOfMs?: number },
    afterMs: number,
  ): boolean {
    const { settings, ...look } = more;
    const waiting = { ...made, ...look, situation: { ...made.situation, settings } };
    const apartMs = 1000 / settings.rateLimit.requestsPerSecond;
    return holdsStill(waiting, { ...STILL, settings, apartMs, nowMs: NOW_MS + afterMs });
  }

  test('stays valid for half a rollout poll', () => {
    for (const spec of [CPU, IMAGE]) {
      expect(holds(decision(spec), { settings: FAST }, 5_000)).toBe(true);
      expect(holds(decision(spec), { settings: FAST }, 5_001)).toBe(false);
    }
  });

  test('stays valid after its own look for as long as the lowest rate that can be configured needs, and no longer', () => {
    const made = { ...decision(CPU), ownLook: true };
    const stays = (afterMs: number): boolean =>
      holdsStill(made, {
        ...STILL,
        ...{ settings: made.situation.settings, apartMs: 3_600_000, nowMs: NOW_MS + afterMs },
      });
    expect(stays(15_000)).toBe(true);
    expect(stays(15_001)).toBe(false);
  });

  test('counts the age of its read if the body carries values of other clients', () => {
    const asOfMs = NOW_MS - 4_000;
    expect(holds(decision(CPU), { settings: FAST, asOfMs }, 1_001)).toBe(false);
    expect(holds(decision(IMAGE), { settings: FAST, asOfMs }, 1_001)).toBe(true);
  });

  test('becomes invalid when a later page shows other values of those clients', () => {
    const moved = (made: WaitingDecision, atMs: number): boolean => {
      const { settings } = made.situation;
      return holdsStill(made, { ...STILL, settings, nowMs: NOW_MS, movedSince: (ms) => ms < atMs });
    };
    expect(moved(decision(CPU), NOW_MS + 1)).toBe(false);
    expect(moved(decision(CPU), NOW_MS - 60_000)).toBe(true);
    expect(moved(decision(IMAGE), NOW_MS + 1)).toBe(true);
  });

  test('becomes invalid once when a later sweep shows other values, which the write might empty', () => {
    const swept = (atMs: number, isRepeated = false): boolean => {
      const made = decision(IMAGE);
      const { settings } = made.situation;
      return holdsStill(made, {
        ...STILL,
        settings,
        nowMs: NOW_MS,
        sweptSince: (ms) => ms < atMs,
        isRepeated,
      });
    };
    expect(swept(NOW_MS + 1)).toBe(false);
    expect(swept(NOW_MS - 60_000)).toBe(true);
    expect(swept(NOW_MS + 1, true)).toBe(true);
  });

  test('stays valid until the next permit after a read of its own, however slow that read was', () => {
    expect(holds(decision(CPU), { settings: SLOW, ownLook: true, asOfMs: NOW_MS - 20_000 }, 10_000)).toBe(
      true,
    );
    expect(holds(decision(CPU), { settings: SLOW, ownLook: true }, 20_000)).toBe(false);
    expect(holds(decision(CPU), { settings: SLOW }, 10_000)).toBe(false);
  });

  test('becomes invalid when the settings change', () => {
    const made = decision(IMAGE);
    expect(holdsStill(made, { ...STILL, settings: made.situation.settings, nowMs: NOW_MS })).toBe(true);
    expect(holdsStill(made, { ...STILL, settings: someSettings(), nowMs: NOW_MS })).toBe(false);
  });
});

test('a new text in reconcile-at causes one read, and the first text causes none', () => {
  const asking = aResource({}, { annotations: { 'dms-operator.dev/reconcile-at': 'now' } });
  const applied = { key: 'v1:k', generation: 1, time: at(0), fields: [] };
  expect(askedLook(asking)).toBeUndefined();
  expect(askedLook({ ...asking, status: { applied } })).toBe('now');
  expect(askedLook({ ...asking, status: { applied, lastHandledReconcileAt: 'now' } })).toBeUndefined();
  expect(askedLook({ ...asking, status: { applied, lastHandledReconcileAt: 'before' } })).toBe('now');
});
