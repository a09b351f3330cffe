import { beyondUnshown } from './beyond-unshown.ts';
import type { Arrival, Written } from './effect-of.ts';
import { madeRevision } from './made-revision.ts';
import {
  contradictsAnswer,
  keepsWhatAnswerLacks,
  showsArrival,
  showsAsAnswered,
  showsBefore,
} from './shows-arrival.ts';
import type { ObservedDeployment } from '../external/observation.ts';

/** Judges whether a list that began at a moment shows a write. */
export function arrivalOf(written: Written, list: ObservedDeployment, beganMs: number): Arrival {
  const sent = beyondUnshown(written, list);
  const isShown = showsArrival(sent, list) || showsAsAnswered(sent, list);
  if (isShown && !isOfAnotherRevision(written, list) && !contradictsAnswer(sent, list)) return 'shown';
  return beganMs >= written.dueMs ? 'due' : 'open';
}

/**
 * True for a list within the window that shows of a write only values that may be older than it: a corrected value as
 * it was before the drift, or values beside which the list shows a value that the answer lacks.
 */
export function mayPrecede(
  written: Written,
  { deployment, beganMs }: { readonly deployment: ObservedDeployment; readonly beganMs: number },
): boolean {
  const { corrected, dueMs, unshown = [] } = written;
  if (beganMs >= dueMs) return false;
  if (keepsWhatAnswerLacks(written, deployment)) return true;
  if (corrected === undefined) return false;
  return arrivalOf({ ...written, unshown: [corrected, ...unshown] }, deployment, beganMs) === 'open';
}

/**
 * True if the answer shows a new revision and the list shows a different one: somebody else made it, before the write
 * with the same values or after it.
 */
function isOfAnotherRevision({ before, answer }: Written, list: ObservedDeployment): boolean {
  const made = answer?.latestRevisionID;
  return made !== undefined && made !== before.latestRevisionID && made !== list.latestRevisionID;
}

/**
 * True if a list that is due shows nothing of a write although its answer did: the list lags longer than it should,
 * or somebody undid the write. It shows the state before the write, and so nothing about the remaining fields.
 */
export function isBehind({ before, answer }: Written, list: ObservedDeployment): boolean {
  return (
    answer?.latestRevisionID !== undefined &&
    before.latestRevisionID === list.latestRevisionID &&
    answer.latestRevisionID !== list.latestRevisionID
  );
}

/**
 * True where a list shows nothing of a write, or where no answer did and it shows something that the write was to change as it
 * was before: it may show the state before the write.
 */
export function isContradicted(written: Written, list: ObservedDeployment, arrival: Arrival): boolean {
  const { before, answer } = written;
  const revision = list.latestRevisionID;
  const isAnswered = revision !== before.latestRevisionID && revision === answer?.latestRevisionID;
  const isMade = typeof revision === 'string' && madeRevision(written, list);
  if (arrival !== 'shown' && !isAnswered && !isMade) return true;
  return answer === undefined && showsBefore(written, list);
}
