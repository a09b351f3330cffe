import { expect, test } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { keyOf } from '../../../src/api/metadata.ts';
import { checkLanes, connectionLanes } from '../../../src/compose/operator/connection-lanes.ts';
import { aResource } from '../../support/resources/builders.ts';

const NAME = { kind: 'Connection', namespace: 'team-a', name: 'default' } as const;

/** Returns the rules for a pool in which every resource uses one connection, or none if `uses` is false. */
function rulesFor(resource: DeploymentResource | undefined, uses = true, workers = 1_000) {
  const pool = { nameFor: () => (uses ? NAME : undefined), concurrencyOf: (text: string) => text.length };
  return connectionLanes(pool, { get: () => resource }, workers);
}

const edited = aResource();
const resting = aResource({}, { generation: 2, status: { observedGeneration: 2 } });
const lane = 'Connection/team-a/default';

test('a key that a person asked for has another lane than one that can wait', () => {
  expect(rulesFor(edited).laneOf(keyOf(edited))).toBe(lane);
  expect(rulesFor(resting).laneOf(keyOf(resting))).toBe(`${lane} (unhurried)`);
});

test('in both a namespace has as many places as the connection has concurrent exchanges, and others as many', () => {
  const { laneLimit } = rulesFor(edited);
  const places = 2 * lane.length;
  expect([lane, `${lane} (unhurried)`].map((name) => laneLimit(name))).toEqual([places, places]);
});

test('neither takes more than three eighths of the workers, and each has at least eight places', () => {
  expect([64, 8].map((workers) => rulesFor(edited, true, workers).laneLimit(lane))).toEqual([24, 8]);
});

test('a deleted resource, or one without a connection, has no lane', () => {
  expect(rulesFor(undefined).laneOf(keyOf(edited))).toBeUndefined();
  expect(rulesFor(edited, false).laneOf(keyOf(edited))).toBeUndefined();
});

test('half of many workers, and none of few, are reserved for connections without a running key', () => {
  expect([64, 20, 16, 8].map((workers) => rulesFor(edited, true, workers).reserved)).toEqual([32, 4, 0, 0]);
});

test('connections of one namespace take a quarter of the workers that check them, and those of the cluster have no lane', () => {
  const { laneLimit, laneOf, reserved } = checkLanes(64);
  expect(laneOf({ kind: 'Connection', namespace: 'team-a', name: 'x' })).toBe('team-a');
  expect(laneOf({ kind: 'ClusterConnection', namespace: '', name: 'x' })).toBeUndefined();
  // One namespace has half of a lane.
  expect([laneLimit('team-a') / 2, reserved]).toEqual([16, 32]);
});
