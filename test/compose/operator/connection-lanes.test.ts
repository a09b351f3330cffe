import { expect, test } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { keyOf } from '../../../src/api/metadata.ts';
import { checkLanes, connectionLanes } from '../../../src/compose/operator/connection-lanes.ts';
import { aResource } from '../../support/resources/builders.ts';

const NAME = { kind: 'Connection', namespace: 'team-a', name: 'default' } as const;

/** The rules where every resource but those in `unknown` uses one connection. */
function rulesFor(resource: DeploymentResource | undefined, uses = true, workers = 1_000) {
  const pool = { nameFor: () => (uses ? NAME : undefined), concurrencyOf: (text: string) => text.length };
  return connectionLanes(pool, { get: () => resource }, workers);
}

const edited = aResource();
const resting = aResource({}, { generation: 2, status: { observedGeneration: 2 } });
const lane = 'Connection/team-a/default';

test('what a person asked for has another lane than what can wait', () => {
  expect(rulesFor(edited).laneOf(keyOf(edited))).toBe(lane);
  expect(rulesFor(resting).laneOf(keyOf(resting))).toBe(`${lane} (unhurried)`);
});

test('in both a namespace has as many places as the connection has exchanges at once, and others as many', () => {
  const { laneLimit } = rulesFor(edited);
  const places = 2 * lane.length;
  expect([lane, `${lane} (unhurried)`].map((name) => laneLimit(name))).toEqual([places, places]);
});

test('neither takes more than three eighths of the workers, nor is left with less than eight places', () => {
  expect([64, 8].map((workers) => rulesFor(edited, true, workers).laneLimit(lane))).toEqual([24, 8]);
});

test('what is gone, or has no connection, has no lane', () => {
  expect(rulesFor(undefined).laneOf(keyOf(edited))).toBeUndefined();
  expect(rulesFor(edited, false).laneOf(keyOf(edited))).toBeUndefined();
});

test('half of many workers, and none of few, is for connections of which nothing runs', () => {
  expect([64, 20, 16, 8].map((workers) => rulesFor(edited, true, workers).reserved)).toEqual([32, 4, 0, 0]);
});

test('connections of one namespace take a quarter of the workers that check them, and those of the cluster have no lane', () => {
  const { laneLimit, laneOf, reserved } = checkLanes(64);
  expect(laneOf({ kind: 'Connection', namespace: 'team-a', name: 'x' })).toBe('team-a');
  expect(laneOf({ kind: 'ClusterConnection', namespace: '', name: 'x' })).toBeUndefined();
  // Of a lane one namespace has half.
  expect([laneLimit('team-a') / 2, reserved]).toEqual([16, 32]);
});
