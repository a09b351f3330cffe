import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ReasonRow, rowsUnder as rowsOf } from '../../scripts/conditions-page.ts';
import { CONNECTION_REASONS, ROLLOUT_REASONS, SYNCED_REASONS } from '../../src/api/condition.ts';
import { MEANING } from '../../src/model/status/conditions-for.ts';
import { CONNECTION_MEANING } from '../../src/model/status/connection-status.ts';
import type { ObservedDeployment } from '../../src/model/external/observation.ts';
import { judgeRollout, type Rollout } from '../../src/model/external/rollout.ts';
import { ROOT, textOf } from './support.ts';

/** Returns every row of every table under `## TITLE`, in order. */
function rowsUnder(title: string): readonly ReasonRow[] {
  return rowsOf(textOf('docs/conditions.md'), title);
}

const BESIDE = { Reconciling: 'Reconciling', Stalled: 'Stalled', neither: '–' } as const;

const READY = {
  True: 'True',
  False: 'False',
  Unknown: 'Unknown',
  rollout: 'by rollout',
  unchanged: 'as it was',
  kept: 'as it was, 5 min',
} as const;

const SECTIONS = [
  { title: 'Deployment', reasons: SYNCED_REASONS, setBy: ['model', 'reconcile', 'service', 'kubernetes'] },
  { title: 'Rollout', reasons: ROLLOUT_REASONS, setBy: ['model'] },
  {
    title: 'Connection and ClusterConnection',
    reasons: CONNECTION_REASONS,
    setBy: [
      'service',
      'reconcile/connection/connection-reconciler.ts',
      'model/connection/connection-settings.ts',
      'model/external/doubt.ts',
    ],
  },
] as const;

/** Returns the reasons in the order of the page, with duplicates. */
function reasonsOf(rows: readonly ReasonRow[]): readonly string[] {
  return rows.map((row) => row['Reason'] ?? '');
}

/** Returns the statuses of each row by its reason. */
function statusesUnder(
  title: string,
  columns: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const rows = rowsUnder(title);
  return Object.fromEntries(rows.map((row) => [row['Reason'], columns.map((column) => row[column] ?? '')]));
}

describe('docs/conditions.md', () => {
  test.each(SECTIONS)('explains every reason under $title once, and no other', ({ title, reasons }) => {
    expect(reasonsOf(rowsUnder(title)).toSorted()).toEqual([...reasons].toSorted());
  });

  test.each(SECTIONS)('explains under $title the meaning and the remedy of each reason', ({ title }) => {
    const ends = (text = ''): boolean => text.endsWith('.');
    const silent = rowsUnder(title).filter((row) => !ends(row['Means']) || !ends(row['What to do']));
    expect(silent).toEqual([]);
  });

  test('gives each reason of a Deployment its statuses', () => {
    const real = SYNCED_REASONS.map((reason) => {
      const { synced, ready, beside } = MEANING[reason];
      return [reason, [synced, READY[ready], BESIDE[beside]]];
    });
    expect(statusesUnder('Deployment', ['Synced', 'Ready', 'Beside'])).toEqual(Object.fromEntries(real));
  });

  test('gives each reason of a rollout its statuses', () => {
    const real = rollouts().map(({ reason, ready, rolling, stalled }) => [
      reason,
      [ready, BESIDE[stalled ? 'Stalled' : rolling ? 'Reconciling' : 'neither']],
    ]);
    expect(statusesUnder('Rollout', ['Ready', 'Beside'])).toEqual(Object.fromEntries(real));
  });

  test('gives each reason of a connection its statuses', () => {
    const real = CONNECTION_REASONS.map((reason) => {
      const { ready, beside } = CONNECTION_MEANING[reason];
      return [reason, [ready, BESIDE[beside]]];
    });
    const documented = statusesUnder('Connection and ClusterConnection', ['Ready', 'Beside']);
    expect(documented).toEqual(Object.fromEntries(real));
  });

  test.each(SECTIONS)('marks unused reasons under $title as reserved', (section) => {
    const source = section.setBy.flatMap(sourcesIn).join('\n');
    const unset = section.reasons.filter((reason) => !source.includes(`'${reason}'`));
    const reserved = rowsUnder(section.title).filter((row) => row['Means']?.startsWith('_Reserved._'));
    expect(reasonsOf(reserved).toSorted()).toEqual(unset.toSorted());
  });
});

/**
 * Returns the sources below a folder of src, or one file, except for the tables of statuses, which name every reason.
 */
function sourcesIn(part: string): readonly string[] {
  const path = join(ROOT, 'src', part);
  if (part.endsWith('.ts')) return [readFileSync(path, 'utf8')];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/(?:^|\/)(?:connection-status|conditions)/.test(file))
    .map((file) => readFileSync(join(path, file), 'utf8'));
}

/** Returns a deployment for each reason of a rollout. */
function rollouts(): readonly Rollout[] {
  const rolled = { latestRevisionID: 'r1', activeRevisionID: 'r1' };
  const times = { startedMs: 0, nowMs: 1_000, deadlineMs: 2_000 };
  const judged = (shown: Partial<ObservedDeployment>, nowMs = times.nowMs): Rollout =>
    judgeRollout({ id: 'id', name: 'agent', ...shown }, { ...times, nowMs });
  return [
    judged({ ...rolled, serviceStatus: 'READY' }),
    judged(rolled),
    judged({ latestRevisionID: 'r2', activeRevisionID: 'r1' }),
    judged({ latestRevisionID: 'r2', activeRevisionID: 'r1' }, 2_000),
    judged({ ...rolled, serviceStatus: 'AWAITING_DATABASE' }),
    judged({ latestRevisionID: null, activeRevisionID: null }),
    judged({ ...rolled, serviceStatus: 'UNUSED' }),
    judged({ ...rolled, serviceStatus: 'SOMETHING_NEW' }),
  ];
}
