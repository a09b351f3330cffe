import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONNECTION_REASONS, ROLLOUT_REASONS, SYNCED_REASONS } from '../../src/api/condition.ts';
import { MEANING } from '../../src/model/conditions.ts';
import { CONNECTION_MEANING } from '../../src/model/connection-status.ts';
import type { ObservedDeployment } from '../../src/model/observation.ts';
import { judgeRollout, type Rollout } from '../../src/model/rollout.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** One row of docs/conditions.md by the names of its columns; `Reason` without its quotes. */
type Row = Readonly<Record<string, string>>;

/** Every row of every table under `## TITLE`, in order. */
function rowsUnder(title: string): readonly Row[] {
  const page = readFileSync(join(ROOT, 'docs', 'conditions.md'), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  let columns: readonly string[] = [];
  const rows: Row[] = [];
  for (const line of section.split('\n').filter((text) => text.startsWith('|'))) {
    const cells = line.split('|').slice(1, -1);
    const texts = cells.map((cell) => cell.trim());
    if (texts[0] === 'Reason') columns = texts;
    else if (!/^[-: ]+$/.test(texts[0] ?? '')) {
      rows.push(
        Object.fromEntries(columns.map((column, index) => [column, texts[index]?.replaceAll('`', '') ?? ''])),
      );
    }
  }
  return rows;
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
    setBy: ['service', 'reconcile/connection-reconciler.ts', 'model/connection-settings.ts'],
  },
] as const;

describe('docs/conditions.md', () => {
  test.each(SECTIONS)('explains every reason under $title once, and no other', ({ title, reasons }) => {
    expect(
      rowsUnder(title)
        .map((row) => row['Reason'])
        .toSorted(),
    ).toEqual([...reasons].toSorted());
  });

  test.each(SECTIONS)('says under $title what each reason means and what to do', ({ title }) => {
    const silent = rowsUnder(title).filter(
      (row) => !row['Means']?.endsWith('.') || !row['What to do']?.endsWith('.'),
    );
    expect(silent).toEqual([]);
  });

  test('gives each reason of a Deployment the statuses that it has', () => {
    const documented = rowsUnder('Deployment').map((row) => [
      row['Reason'],
      row['Synced'],
      row['Ready'],
      row['Beside'],
    ]);
    const real = SYNCED_REASONS.map((reason) => {
      const { synced, ready, beside } = MEANING[reason];
      return [reason, synced, READY[ready], BESIDE[beside]];
    });
    expect(documented.toSorted()).toEqual(real.toSorted());
  });

  test('gives each reason of a rollout the statuses that it has', () => {
    const documented = rowsUnder('Rollout').map((row) => [row['Reason'], row['Ready'], row['Beside']]);
    const real = rollouts().map(({ reason, ready, rolling, stalled }) => [
      reason,
      ready,
      BESIDE[stalled ? 'Stalled' : rolling ? 'Reconciling' : 'neither'],
    ]);
    expect(documented.toSorted()).toEqual(real.toSorted());
  });

  test('gives each reason of a connection the statuses that it has', () => {
    const documented = rowsUnder('Connection and ClusterConnection').map((row) => [
      row['Reason'],
      row['Ready'],
      row['Beside'],
    ]);
    const real = CONNECTION_REASONS.map((reason) => {
      const { ready, beside } = CONNECTION_MEANING[reason];
      return [reason, ready, BESIDE[beside]];
    });
    expect(documented.toSorted()).toEqual(real.toSorted());
  });

  test.each(SECTIONS)(
    'calls exactly those reasons under $title reserved that nothing sets',
    ({ title, reasons, setBy }) => {
      const source = setBy.flatMap(sourcesIn).join('\n');
      const unset = reasons.filter((reason) => !source.includes(`'${reason}'`));
      const reserved = rowsUnder(title).filter((row) => row['Means']?.startsWith('_Reserved._'));
      expect(reserved.map((row) => row['Reason']).toSorted()).toEqual(unset.toSorted());
    },
  );
});

/** The sources below a folder of src, or a file of it, but for the tables of statuses, which name every reason. */
function sourcesIn(part: string): readonly string[] {
  const path = join(ROOT, 'src', part);
  if (part.endsWith('.ts')) return [readFileSync(path, 'utf8')];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^connection-status|^conditions/.test(file))
    .map((file) => readFileSync(join(path, file), 'utf8'));
}

/** A deployment for each reason that a rollout can have. */
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
