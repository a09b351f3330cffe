import { stableText } from '../desired/canonical-text.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { mayMakeRevision } from '../external/patch-body.ts';
import { askedOf, hasNeighbour, type Sent, untouchedBy } from './untouched.ts';

/**
 * True if the newest revision differs from the one before a write that may make a revision: a sign of the write if no
 * value shows it. False if the request changes nothing, since the revision may be another client's, and if the revision
 * shows a change by another client, or another client made one since the write.
 */
export function madeRevision(sent: Sent & { readonly followed?: true }, list: ObservedDeployment): boolean {
  if (sent.followed === true) return false;
  const was = sent.before.latestRevisionID;
  const moved = was !== undefined && was !== list.latestRevisionID;
  return moved && mayMakeRevision(sent.body) && asksForChange(sent) && !showsAnotherHand(sent, list);
}

/**
 * True if a list shows a change in the revision block that the write did not request: a different text, or a missing
 * text while another omitted text stays. Then another client made the revision.
 */
export function showsAnotherHand({ before, body }: Sent, list: ObservedDeployment): boolean {
  const [was, is] = [before, list].map((look) => look.sourceRevisionConfig?.fields ?? {});
  const { kept, lost } = untouchedBy({ before, body }, list);
  return [...kept, ...lost].some((path) => {
    const [block, key = ''] = path.split('.');
    if (block !== 'sourceRevisionConfig') return false;
    const isEdited = kept.includes(path) && stableText(is?.[key] ?? null) !== stableText(was?.[key] ?? null);
    return isEdited || (lost.includes(path) && hasNeighbour(path, { before, body }, list));
  });
}

/** True if a list shows the revision that the answer to a write showed as new: the list is no older than the write. */
export function showsAnsweredRevision(
  { before, answer }: Sent & { readonly answer?: ObservedDeployment | undefined },
  { latestRevisionID }: ObservedDeployment,
): boolean {
  // Two looks that lack a revision do not show the same one.
  if (typeof latestRevisionID !== 'string') return false;
  return latestRevisionID !== before.latestRevisionID && latestRevisionID === answer?.latestRevisionID;
}

/** True if a request asks for something that was not shown before it. */
function asksForChange({ before, body }: Sent): boolean {
  if (body.secrets !== undefined || body.secretReferences !== undefined) return true;
  return askedOf({ before, body }, before).some(([asked, was]) =>
    Object.entries(asked ?? {}).some(([key, value]) => stableText(value) !== stableText(was?.[key] ?? null)),
  );
}

/** True if a list shows two revisions that the look before a repair did not show: a write makes at most one. */
export function showsTwoRevisions(
  { before }: Sent,
  { latestRevisionID: latest, activeRevisionID: active }: ObservedDeployment,
): boolean {
  const known = [before.latestRevisionID, before.activeRevisionID];
  const isNew = (id: ObservedDeployment['latestRevisionID']): boolean =>
    typeof id === 'string' && !known.includes(id);
  return latest !== active && isNew(latest) && isNew(active);
}
