import { appliedByWrite } from './applied-by-write.ts';
import { assess, type Assessment, type Comparison } from './assess.ts';
import { judgeFields, openOf, stillOpen } from './judge-fields.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { showsAsEmptied } from '../effects/shows-arrival.ts';
import type { PatchBody } from '../external/patch-body.ts';

/** The write that an answer belongs to. */
export interface AnsweredRequest {
  /** True for a creation, which asks for everything. */
  readonly created: boolean;
  readonly paths?: readonly string[] | undefined;
  readonly body?: PatchBody | undefined;
}

/**
 * Compares a resource with the answer to its write; the written values count as applied. `before` is the comparison
 * behind the decision to write.
 */
export function compareAnswer(
  comparison: Omit<Comparison, 'via'>,
  before: Assessment | undefined,
  { created, paths = [], body }: AnsweredRequest,
): Assessment {
  const { desired, observed, digests, listedPaths } = comparison;
  const fresh = assess({ ...comparison, via: 'answer' });
  const known = before ?? fresh;
  const asked = created ? allPaths(fresh) : paths;
  const applied = appliedByWrite(known, asked, fresh.judgements, {
    created,
    emptied: (path) => body !== undefined && showsAsEmptied(path, body, observed),
  });
  const judged = judgeFields(desired, applied, observed, {
    settling: () => false,
    standsIn: () => false,
    notShown: () => 'in-sync',
    listed: false,
    inLists: (path) => listedPaths.has(path),
    emptyInList: () => false,
    isGone: () => false,
    digests,
  });
  const open = openOf(known.judgements);
  const judgements = judged.map((judgement) => stillOpen(judgement, open, (path) => asked.includes(path)));
  const secretsSent = asked.includes(SECRETS_PATH);
  const secrets = secretsSent ? { ...fresh.secrets, verdict: 'in-sync' as const, names: [] } : known.secrets;
  return { ...fresh, applied, judgements, secrets };
}

function allPaths({ judgements, secrets }: Assessment): readonly string[] {
  const paths = judgements.map(({ desired }) => desired.field.path);
  return secrets.verdict === 'unmanaged' ? paths : [...paths, SECRETS_PATH];
}
