import { expect, test } from 'vitest';
import { STATUS_BYTES } from '../../src/model/status/forgetting.ts';
import { DEFAULTS } from '../../src/model/connection/connection.ts';
import { textOf } from './support.ts';

const PAGE = textOf('docs/semantics.md');

/** The value in the program for each row of the table of limits. */
const BOUNDS: Readonly<Record<string, string>> = {
  'writes that may make a revision, per deployment and hour': `${DEFAULTS.revisionsPerHour}`,
  'sends of one value without its being seen': `${DEFAULTS.identicalSends}`,
  "corrections of one field's drift in a day": `${DEFAULTS.driftCorrectionsPerDay}`,
  'longest announcement after which the write is still sent': seconds(DEFAULTS.announcementMs),
  'consistency window': seconds(DEFAULTS.consistencyWindowMs),
  'request timeout': seconds(DEFAULTS.requestTimeoutMs),
  'sweep at rest': seconds(DEFAULTS.pollIntervalMs),
  'looks while a revision rolls out': seconds(DEFAULTS.pollRolloutMs),
  'a revision is overdue': seconds(DEFAULTS.rolloutDeadlineMs),
  'requests per second, per connection': `${DEFAULTS.requestsPerSecond}`,
  burst: `${DEFAULTS.burst}`,
  'requests at the same time': `${DEFAULTS.concurrency}`,
  'a request that was refused is held': seconds(DEFAULTS.heldAfterRejectionMs),
  'refusals for now in a row': `${DEFAULTS.conflictsInARow}`,
  'then one try in': seconds(DEFAULTS.heldAfterConflictsMs),
  'rotations of secrets within this time share one write': seconds(DEFAULTS.secretDebounceMs),
  'time for calls in flight when the process ends': seconds(DEFAULTS.drainMs),
  'a status': `${STATUS_BYTES / 1024} KiB`,
};

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

function boundsRows(): readonly (readonly string[])[] {
  const table = /## Bounds\n\n(?<table>(?:\|.*\n)+)/.exec(PAGE)?.groups?.['table'] ?? '';
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('the bounds of docs/semantics.md are those of the program', () => {
  expect(Object.fromEntries(boundsRows().map(([what, bound]) => [what, bound]))).toEqual(BOUNDS);
});
