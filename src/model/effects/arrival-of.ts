import { beyondUnshown, precedesUnshown } from './beyond-unshown.ts';
import type { Arrival, Written } from './effect-of.ts';
import { madeRevision, showsAnsweredRevision } from './made-revision.ts';
import {
  contradictsAnswer,
  keepsWhatAnswerLacks,
  lacksSentName,
  showsArrival,
  showsAsAnswered,
} from './shows-arrival.ts';
import { alike } from '../desired/canonical-text.ts';
import { showsBefore } from './shows-before.ts';
import { askedOf } from './untouched.ts';
import type { ObservedDeployment } from '../external/observation.ts';

/** Judges whether a list shows a write; `beganMs` is the start of the list's read. */
export function arrivalOf(written: Written, list: ObservedDeployment, beganMs: number): Arrival {
  const sent = beyondUnshown(written, list);
  // The decision may rest on an answer. A list that shows no more than the list before the write may be as old as that.
  const { listed = sent.before } = written;
  const hasArrived = showsArrival(sent, list) && showsArrival({ ...sent, before: listed }, list);
  const isShown = hasArrived || showsAsAnswered(sent, list);
  const isOlder =
    contradictsAnswer(sent, list) || lacksSentName(written, list) || precedesUnshown(written, list);
  if (isShown && !isOlder && !isOfAnotherRevision(written, list)) return 'shown';
  return beganMs >= written.dueMs ? 'due' : 'open';
}

/**
 * True for a list within the window whose evidence for a write may be older than the write. Either it shows a corrected
 * value, which may date from before the drift, or beside the requested values it shows a value that the answer lacks.
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
 * True for a list within the window that may be from before a loss and not from after its repair. It shows a value or a
 * revision as it was before the write that emptied something, and the list that showed the loss had shown another one.
 */
export function mayPrecedeLoss(
  { before, listed = before, body, dueMs }: Written,
  repair: Written,
  { deployment, beganMs }: { readonly deployment: ObservedDeployment; readonly beganMs: number },
): boolean {
  if (beganMs >= dueMs) return false;
  const found = repair.listed ?? repair.before;
  const isAsBefore = ({ latestRevisionID }: ObservedDeployment): boolean =>
    latestRevisionID === listed.latestRevisionID;
  if (isAsBefore(deployment) && !isAsBefore(found)) return true;
  const [now, then] = [deployment, found].map((look) => askedOf({ before: listed, body }, look));
  // The repair may have put such a value back too.
  const again = askedOf({ before: listed, body: repair.body }, deployment);
  return (now ?? []).some(([asked, was, is], at) =>
    Object.keys(asked ?? {}).some(
      (key) =>
        alike(is?.[key], was?.[key]) &&
        !alike(then?.[at]?.[2]?.[key], was?.[key]) &&
        !(Object.hasOwn(again[at]?.[0] ?? {}, key) && alike(again[at]?.[0]?.[key], was?.[key])),
    ),
  );
}

/**
 * True if the answer shows a revision that no list had shown before the write, and the list shows a different one. Another
 * client made the list's revision, with the same values before the write or the one before it, or after it.
 */
function isOfAnotherRevision(
  { before, answer, listed = before }: Written,
  list: ObservedDeployment,
): boolean {
  const made = answer?.latestRevisionID;
  return made !== undefined && made !== listed.latestRevisionID && made !== list.latestRevisionID;
}

/**
 * True if a list that is due shows nothing of a write although the answer did: the list lags longer than it should, or
 * somebody undid the write. The list then shows the state before the write, and proves nothing about the other fields.
 */
export function isBehind({ before, answer }: Written, list: ObservedDeployment): boolean {
  return (
    answer?.latestRevisionID !== undefined &&
    before.latestRevisionID === list.latestRevisionID &&
    answer.latestRevisionID !== list.latestRevisionID
  );
}

/**
 * True for a list without a revision and without a sign of the write, although the list before the write showed a
 * revision: a lagging replica, which lacks what the service has added since.
 */
export function isFromBeforeFirstRevision(
  written: Written,
  { deployment, beganMs }: { readonly deployment: ObservedDeployment; readonly beganMs: number },
): boolean {
  const { latestRevisionID } = written.listed ?? written.before;
  if (typeof latestRevisionID !== 'string' || deployment.latestRevisionID !== null) return false;
  return arrivalOf(written, deployment, beganMs) !== 'shown';
}

/**
 * True if a list may show the state before a write: it shows nothing of the write; or no answer shows the write, and
 * the list shows the old value of something that the write was to change.
 */
export function mayShowStateBefore(written: Written, list: ObservedDeployment, arrival: Arrival): boolean {
  const isMade = typeof list.latestRevisionID === 'string' && madeRevision(written, list);
  if (arrival !== 'shown' && !showsAnsweredRevision(written, list) && !isMade) return true;
  return written.answer === undefined && showsBefore(written, list);
}
