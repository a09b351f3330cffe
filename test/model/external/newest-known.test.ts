import { describe, expect, test } from 'vitest';
import { newestKnown, supersededRevision } from '../../../src/model/external/newest-known.ts';
import type { Observation, ObservedDeployment } from '../../../src/model/external/observation.ts';
import { aResource, anObserved, at, ID, NOW_MS } from '../../support/resources/builders.ts';

const revisions = ['r3', 'r2', 'r1'].map((id) => ({ id, firstSeenTime: at(0), cause: 'Operator' as const }));
const resource = (latestRevisionID = 'r3', deploymentID = ID) =>
  aResource({}, { status: { deploymentID, latestRevisionID, revisions } });
/** The answer to the newest write did not show the newest revision. */
const untold = aResource({}, { status: { deploymentID: ID, revisions } });
const showing = (latestRevisionID: string | null): ObservedDeployment => anObserved({ latestRevisionID });
const beside = (latestRevisionID: string, activeRevisionID: string | null): ObservedDeployment =>
  anObserved({ latestRevisionID, activeRevisionID });
const active = (activeRevisionID: string) =>
  aResource({}, { status: { deploymentID: ID, latestRevisionID: 'r3', activeRevisionID, revisions } });

describe('a revision shown as the newest', () => {
  test.each([
    ['the newest one', showing('r3'), resource(), undefined],
    ['one that another took the place of', showing('r2'), resource(), 'r2'],
    ['one that nobody saw before, as after a redeploy of an old one', showing('r4'), resource(), undefined],
    ['an old one that the service went back to, by now', showing('r2'), resource('r2'), undefined],
    ['the one that it went back from', showing('r3'), resource('r2'), 'r3'],
    ['the newest one, where the newest answer showed none', showing('r3'), untold, undefined],
    ['an older one, where the newest answer showed none', showing('r2'), untold, 'r2'],
    ['none', showing(null), resource(), undefined],
    ['a new one beside an active one that another took the place of', beside('r4', 'r1'), active('r2'), 'r4'],
    [
      'the newest one beside an active one that another took the place of',
      beside('r3', 'r1'),
      active('r2'),
      'r3',
    ],
    ['the newest one beside the active one', beside('r3', 'r2'), active('r2'), undefined],
    ['a new one beside the active one', beside('r4', 'r2'), active('r2'), undefined],
    ['a new one beside a newer active one', beside('r4', 'r3'), active('r2'), undefined],
    ['a new one beside none that is active', beside('r4', null), active('r2'), undefined],
    ['one of another deployment', showing('r2'), resource('r3', 'another'), undefined],
  ])('%s', (_, observed, known, want) => {
    expect(supersededRevision(known, observed)).toBe(want);
  });
});

describe('a deployment that one pass shows several times', () => {
  const seen = (first: string, ...twins: readonly string[]): Observation => ({
    ...{ kind: 'present', deployment: showing(first), beganMs: NOW_MS, via: 'list' },
    twins: twins.map(showing),
  });

  test.each([
    ['an older one comes last', seen('r2', 'r3'), resource(), 'r3'],
    ['the newest one comes last', seen('r3', 'r2'), resource(), 'r3'],
    ['there are three of them', seen('r1', 'r2', 'r3'), resource(), 'r3'],
    ['the service went back, and one shows where from', seen('r3', 'r2'), resource('r2'), 'r2'],
    ['one of them is not known', seen('r0', 'r2'), resource(), 'r2'],
    ['none of them is known: the last one', seen('r0', 'r9'), aResource(), 'r0'],
  ])('is what shows the newest known revision: %s', (_, observation, known, want) => {
    expect(newestKnown(known, observation)).toEqual({
      ...{ kind: 'present', deployment: showing(want), beganMs: NOW_MS, via: 'list' },
    });
  });
});
