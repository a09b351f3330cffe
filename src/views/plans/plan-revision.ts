import type { Change } from '../../model/compare/change.ts';
import { mayMakeRevision } from '../../model/external/patch-body.ts';
import type { Plan } from '../../model/plan/plan-kinds.ts';
import type { ExpectedRevision } from './planned.ts';
import type { Situation } from '../../model/plan/situation.ts';

/** Paths named in a reason; the rest is counted. */
const PATHS_TOLD = 3;

/** The prediction about a revision before a plan is carried out. */
export function revisionOf(
  plan: Plan,
  { situation: { learned } }: { readonly situation: Pick<Situation, 'learned'> },
  changes: readonly Change[],
): ExpectedRevision {
  if (plan.kind === 'delete') return { expected: 'None', why: 'a deletion makes none' };
  if (plan.kind === 'create')
    return { expected: 'Expected', why: 'a new deployment begins with its first revision' };
  if (plan.kind === 'patch') {
    if (plan.cause === 'redeploy')
      return { expected: 'Expected', why: 'the redeploy annotation asks for one' };
    const sendsBlock = plan.body.sourceRevisionConfig !== undefined;
    if (sendsBlock && learned.revisionTrigger?.verdict === 'Presence')
      return { expected: 'Expected', why: 'this service makes one for every revision block that it is sent' };
  }
  if (plan.kind !== 'patch') return revisionOfChanges(changes);
  const expected = revisionOfChanges(sentOf(plan, changes));
  if (expected.expected !== 'None' || !mayMakeRevision(plan.body)) return expected;
  return { expected: 'Possible', why: 'parts that a revision is made of go along as they are' };
}

/** Differences that the request carries; others are only reported. */
function sentOf(
  { announcement }: Extract<Plan, { kind: 'patch' }>,
  changes: readonly Change[],
): readonly Change[] {
  return changes.filter(({ path }) => announcement.paths.includes(path));
}

/** Predicts a revision from fields alone. */
export function revisionOfChanges(changes: readonly Change[]): ExpectedRevision {
  const [expected, possible] = (['Expected', 'Possible'] as const).map((revision) =>
    changes.filter((change) => change.revision === revision).map(({ path }) => path),
  );
  if (expected !== undefined && expected.length > 0)
    return { expected: 'Expected', why: `${listed(expected)} is part of what a revision is made of` };
  if (possible !== undefined && possible.length > 0)
    return { expected: 'Possible', why: `the service does not say whether ${listed(possible)} makes one` };
  return { expected: 'None', why: 'nothing that is sent is part of a revision' };
}

function listed(paths: readonly string[]): string {
  const more = paths.length > PATHS_TOLD ? ` and ${paths.length - PATHS_TOLD} more` : '';
  return `${paths.slice(0, PATHS_TOLD).join(', ')}${more}`;
}
