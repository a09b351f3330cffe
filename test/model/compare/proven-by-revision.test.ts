import { describe, expect, test } from 'vitest';
import { provenByRevision, type RevisionFacts } from '../../../src/model/compare/proven-by-revision.ts';
import { anObserved, at } from '../../support/resources/builders.ts';

const OLD_COMMIT = 'a'.repeat(40);
const NEW_COMMIT = 'b'.repeat(40);

const WRITE = {
  operation: 'Patch',
  bodyDigest: 'any',
  paths: ['secrets', 'sourceRevisionConfig.repoRef'],
  baseRevisionID: 'rev-1',
  baseCommitSHA: OLD_COMMIT,
  generation: 1,
  attempt: 1,
  time: at(0),
} as const;

interface Row {
  readonly name: string;
  readonly before?: string;
  readonly facts?: Partial<RevisionFacts>;
  readonly accepted?: false;
  readonly want: boolean;
}

const ROWS: readonly Row[] = [
  { name: 'a write that moved the branch', before: 'main', want: true },
  {
    name: 'a write that the service has not accepted, so that somebody may have moved the branch',
    before: 'main',
    accepted: false,
    want: false,
  },
  {
    name: 'a branch that was requested and is not shown',
    before: 'main',
    facts: { showsBranch: false },
    want: false,
  },
  { name: 'a branch that was shown before: a push moved its commit', before: 'release', want: false },
  { name: 'a branch that may have been shown as its commit before', before: OLD_COMMIT, want: false },
  { name: 'a branch where none was shown before', want: false },
  {
    name: 'a branch to which the write before may have moved late',
    before: 'main',
    facts: { mayBeOfEarlier: true },
    want: false,
  },
];

describe('a new revision of another commit', () => {
  test.each(ROWS)('beside $name: proven is $want', ({ before, facts, accepted = true, want }) => {
    const branch = before === undefined ? {} : { repoRef: before };
    const found = provenByRevision(
      { ...WRITE, accepted },
      {
        observed: anObserved({
          latestRevisionID: 'rev-2',
          sourceRevisionConfig: { fields: { repoRef: 'release' }, repoCommitSHA: NEW_COMMIT },
        }),
        recorded: { sourceRevisionConfig: { ...branch, repoCommitSHA: OLD_COMMIT } },
        revisions: [],
        showsBranch: true,
        ...facts,
      },
    );
    expect(found).toBe(want);
  });
});
