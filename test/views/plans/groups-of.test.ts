import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/model/compare/change.ts';
import { groupsOf } from '../../../src/views/plans/groups-of.ts';
import type { PlannedResource } from '../../../src/views/plans/planned-resource.ts';

const IMAGE = 'sourceRevisionConfig.imageURI';

function planned(name: string, more: Partial<PlannedResource>): PlannedResource {
  const quiet = { sends: false, message: '', changes: [], withheld: [], unknown: [] };
  return { kind: 'Deployment', namespace: 'team-a', name, action: 'Update', ...quiet, ...more };
}

const change = (from: string, to: string, more: Partial<Change> = {}): Change => ({
  ...{ path: IMAGE, from, to, revision: 'Expected' },
  ...more,
});

const texts = (resources: readonly PlannedResource[]): readonly string[] =>
  groupsOf(resources).map(
    ({ action, path, from, to, drift, resources: { length } }) =>
      `${length} ${action} ${path} ${from} -> ${to}${drift ? ' drift' : ''}`,
  );

describe('a summary of a plan over a fleet', () => {
  test('counts equal changes once, the largest group first, and omits unchanged resources', () => {
    const release = ['a', 'b', 'c'].map((name) =>
      planned(name, { changes: [change(`r.example.com/${name}:1.4`, `r.example.com/${name}:1.5`)] }),
    );
    const other = planned('d', { changes: [change('r.example.com/d:1.4', 'r.example.com/d:2.0')] });
    expect(texts([other, ...release, planned('e', { action: 'None' })])).toEqual([
      `3 Update ${IMAGE} 1.4 -> 1.5`,
      `1 Update ${IMAGE} 1.4 -> 2.0`,
    ]);
  });

  test.each([
    ['r.example.com/a:1', 'q.example.com/a:1', 'r.example.com/a:1 -> q.example.com/a:1'],
    ['r.example.com/a:1', 'r.example.com/b:1', 'a:1 -> b:1'],
    ['r.example.com/a@sha256:11', 'r.example.com/a@sha256:12', '11 -> 12'],
    ['(not shown)', 'main', '(not shown) -> main'],
    ['1024', '2048', '1024 -> 2048'],
  ])('shows the part of a value that differs: %s, %s', (from, to, shown) => {
    expect(texts([planned('a', { changes: [change(from, to)] })])).toEqual([`1 Update ${IMAGE} ${shown}`]);
  });

  test('distinguishes drift from edits, and blocked resources by reason', () => {
    const edited = planned('a', { changes: [change('1', '2')] });
    const drifted = planned('b', { changes: [change('1', '2', { drift: true })] });
    const held = planned('c', { action: 'Held', reason: 'SecretMissing' });
    expect(texts([edited, drifted, held])).toEqual([
      `1 Update ${IMAGE} 1 -> 2`,
      `1 Update ${IMAGE} 1 -> 2 drift`,
      '1 Held undefined undefined -> undefined',
    ]);
    expect(groupsOf([held])).toMatchObject([{ reason: 'SecretMissing' }]);
  });

  test('counts creations and deletions as one change each', () => {
    const made = ['a', 'b'].map((name) =>
      planned(name, { action: 'Create', changes: [change('(absent)', `image-${name}`)] }),
    );
    expect(groupsOf(made)).toMatchObject([{ action: 'Create', drift: false }]);
  });
});
