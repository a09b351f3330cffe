import type { Judgement } from './diff.ts';
import { REPO_REF_PATH } from '../desired/fields.ts';
import { looksLikeCommit } from '../external/shown.ts';

/** Paths named in a message; the rest is counted. */
const PATHS_TOLD = 5;

/**
 * The message at rest, which also names values that the service shows in its own spelling; these are no difference
 * (H36).
 */
export function inSyncMessage(judgements: readonly Judgement[]): string {
  const otherwise = judgements.filter(isShownOtherwise).map(({ desired }) => desired.field.path);
  const message = 'the service shows what the spec asks for';
  if (otherwise.length === 0) return message;
  const more = otherwise.length > PATHS_TOLD ? ` and ${otherwise.length - PATHS_TOLD} more` : '';
  return `${message}; shown otherwise by the service: ${otherwise.slice(0, PATHS_TOLD).join(', ')}${more}`;
}

/** Rounded, or written in another way; a branch that is shown as a commit is what it stands for. */
function isShownOtherwise({ verdict, digests, desired, shown }: Judgement): boolean {
  if (desired.cleared || digests.shown === undefined) return false;
  if (desired.field.path === REPO_REF_PATH && looksLikeCommit(shown)) return false;
  return (verdict === 'in-sync' || verdict === 'settling') && digests.shown !== digests.desired;
}
