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
    ['a superseded one', showing('r2'), resource(), 'r2'],
    ['an unknown one, as after a redeploy of an old one', showing('r4'), resource(), undefined],
    ['an old one after a rollback to it', showing('r2'), resource('r2'), undefined],
    ['the one before that rollback', showing('r3'), resource('r2'), 'r3'],
    ['the newest one, if the newest answer showed none', showing('r3'), untold, undefined],
    ['an older one, if the newest answer showed none', showing('r2'), untold, 'r2'],
    ['none', showing(null), resource(), ''],
    ['none, as before', showing(null), aResource({}, { status: { deploymentID: ID } }), undefined],
    ['a new one beside a superseded active one', beside('r4', 'r1'), active('r2'), 'r4'],
    ['the newest one beside a superseded active one', beside('r3', 'r1'), active('r2'), 'r3'],
    ['the newest one beside the active one', beside('r3', 'r2'), active('r2'), undefined],
    ['a new one beside the active one', beside('r4', 'r2'), active('r2'), undefined],
    ['a new one beside a newer active one', beside('r4', 'r3'), active('r2'), undefined],
    ['a new one without an active one', beside('r4', null), active('r2'), undefined],
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
    ['it occurs three times', seen('r1', 'r2', 'r3'), resource(), 'r3'],
    ['after a rollback, one shows the revision before it', seen('r3', 'r2'), resource('r2'), 'r2'],
    ['one of them is unknown', seen('r0', 'r2'), resource(), 'r2'],
    ['all of them are unknown: the last one', seen('r0', 'r9'), aResource(), 'r0'],
  ])('is what shows the newest known revision: %s', (_, observation, known, want) => {
    expect(newestKnown(known, observation)).toEqual({
      ...{ kind: 'present', deployment: showing(want), beganMs: NOW_MS, via: 'list' },
    });
  });
});
