import { partsOf, restored, WHOLE_SPEC, type Written } from './effect-of.ts';
import { showsAnotherHand, showsAnsweredRevision } from './made-revision.ts';
import { isBehind } from './arrival-of.ts';
import { unlisted } from './beyond-unshown.ts';
import { contradictsAnswer, showsArrival } from './shows-arrival.ts';
import { hasNeighbour, leftOpenBy, leftOutBy, type Sent, untouchedBy } from './untouched.ts';
import { defined } from '../../base/defined.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { mayMakeRevision, type PatchBody } from '../external/patch-body.ts';
import { looksLikeCommit } from '../external/shown.ts';
import { REPO_REF_PATH, SECRETS_PATH } from '../desired/fields.ts';
import { withoutFields } from './without-fields.ts';

/**
 * Returns a write with what a list proves about the omitted fields, so that none of them is restored later: somebody
 * removed them before the write arrived, or it has arrived and spared them. The answer then counts as showing the spared
 * ones. They stay in the look before the write, since a text that stays tells about the others.
 */
export function withoutTaken(written: Written, list: ObservedDeployment): Written {
  const { before, listed, answer } = written;
  if (listed === undefined) return written;
  const taken = takenBefore({ ...written, listed }, list);
  const spared = answer === undefined ? [] : sparedBy({ ...written, listed }, list);
  if (taken.length + spared.length === 0) return written;
  return {
    ...{ ...written, before: withoutFields(before, taken), listed: withoutFields(listed, taken) },
    ...defined({ answer: answer && restored({ before: list }, answer, spared) }),
  };
}

/** A write with a list before it. */
type Listed = Written & { readonly listed: ObservedDeployment };

/**
 * Returns the omitted fields that are missing from a list which shows nothing of the write yet, if another omitted text
 * in the block stays: somebody removed them, and the write may arrive later. Leaves out a field for which the list may be
 * too old, and every field if the list shows the revision of the write, whatever else it hides.
 */
function takenBefore(written: Listed, list: ObservedDeployment): readonly string[] {
  const { listed, body, unshown = [] } = written;
  if (showsAnsweredRevision(written, list)) return [];
  const gone = untouchedBy({ before: listed, body }, list).lost;
  // An earlier write that no list has shown may have emptied the field too, or may have set it.
  const sent = [body, ...unshown].map((one) => ({ before: listed, body: one }));
  return gone.filter((path) =>
    sent.every((one) => leftOutBy(one).includes(path) && hasNeighbour(path, one, list)),
  );
}

/**
 * Returns the omitted fields that a list of a newer revision shows, if something is gone from every block that the
 * answered write left out, and these are several: such a list shows what the write did, unless the answer shows another
 * new revision. Leaves out a field that an earlier write carried, unless a list has shown that write: the list may show
 * only that one.
 */
function sparedBy(written: Listed, list: ObservedDeployment): readonly string[] {
  const { before, listed, body, answer } = written;
  const made = answer?.latestRevisionID ?? before.latestRevisionID;
  if (!isOnTop(written, list) || ![before, list].some((look) => look.latestRevisionID === made)) return [];
  const { lost, kept } = untouchedBy({ before: listed, body }, list);
  const gone = blocksOf(lost);
  if (gone.size < 2 || gone.size < blocksOf(leftOutBy({ before: listed, body })).size) return [];
  const sent = unlisted(written).map((one) => leftOutBy({ before: listed, body: one }));
  return kept.filter((path) => sent.every((left) => left.includes(path)));
}

function blocksOf(paths: readonly string[]): ReadonlySet<string | undefined> {
  return new Set(paths.map((path) => path.split('.')[0]));
}

/**
 * True if a list shows a new revision on top of the one of the look before a write, which is still active: no older state
 * shows that.
 */
function isOnTop({ before, listed = before }: Written, list: ObservedDeployment): boolean {
  const { latestRevisionID, activeRevisionID } = list;
  const known = [before, listed].map((look) => look.latestRevisionID);
  if (typeof latestRevisionID !== 'string' || known.includes(latestRevisionID)) return false;
  return typeof activeRevisionID === 'string' && activeRevisionID === before.latestRevisionID;
}

/**
 * Returns a write whose earlier list is completed by values that this list shows and only answers had shown. This list
 * may be older than the write; a later list without these values then shows a loss.
 */
export function withListed(written: Written, list: ObservedDeployment): Written {
  const { listed, body } = written;
  if (listed === undefined) return isFirstList(written, list) ? { ...written, listed: list } : written;
  const before = isBetween(written, list) ? completed(written, list) : written.before;
  const { kept } = untouchedBy({ before, body }, list);
  const known = untouchedBy({ before, body }, listed).kept;
  const seen = kept.filter((path) => !known.includes(path));
  return seen.length === 0 ? written : { ...written, before, listed: restored({ before }, listed, seen) };
}

/**
 * True for a list with the revision from before a write whose answer shows a newer one. If no list had shown the
 * deployment before, since we had just created it, this one tells what lists show of it.
 */
function isFirstList(
  { before, answer }: Written,
  { latestRevisionID: revision }: ObservedDeployment,
): boolean {
  const isAsBefore = typeof revision === 'string' && revision === before.latestRevisionID;
  return isAsBefore && answer !== undefined && answer.latestRevisionID !== revision;
}

/**
 * True for a list that shows nothing of a write, under a revision that the look before the write does not show, that
 * the answer shows and that the write cannot have made: the list is newer than that look.
 */
function isBetween(written: Written, list: ObservedDeployment): boolean {
  const isOfAnother = showsAnsweredRevision(written, list) && !mayMakeRevision(written.body);
  return isOfAnother && !showsArrival(written, list);
}

/**
 * Returns the look before a write with the fields that only a list shows, that the write left out and that the one
 * before carried. The list may hide the source.
 */
function completed({ before, body, previous }: Written, list: ObservedDeployment): ObservedDeployment {
  if (previous === undefined) return before;
  const { source, declaredSource } = before;
  const shown = { ...list, ...defined({ source, declaredSource }) };
  const known = [...leftOutBy({ before, body }), ...leftOutBy({ before: shown, body: previous })];
  const news = leftOutBy({ before: shown, body }).filter((path) => !known.includes(path));
  return news.length === 0 ? before : restored({ before: list }, before, news);
}

/**
 * Returns the look before a write, updated with the omitted fields from an answer that shows nothing of the write:
 * somebody changed them since that look. If the look shows a branch and the answer a commit, the branch stays.
 */
export function asAnswered(sent: Sent, answer: ObservedDeployment): ObservedDeployment {
  const fields = untouchedBy(sent, answer).kept.filter((path) => path.includes('.') && path !== WHOLE_SPEC);
  const [was, is] = [sent.before, answer].map((look) => look.sourceRevisionConfig?.fields['repoRef']);
  const isSame = looksLikeCommit(is) && !looksLikeCommit(was);
  const newer = fields.filter((path) => path !== REPO_REF_PATH || !isSame);
  const { sourceConfig, ...look } = restored({ before: answer }, sent.before, newer);
  if (sent.body.sourceConfig?.resourceSpec !== undefined) return { ...look, ...defined({ sourceConfig }) };
  const resourceSpec = specAsAnswered(sourceConfig?.resourceSpec, answer.sourceConfig?.resourceSpec);
  return { ...look, sourceConfig: { fields: {}, ...sourceConfig, ...defined({ resourceSpec }) } };
}

/**
 * Returns a write whose earlier look is updated from a list that shows nothing of it, if no answer shows the write and
 * the list shows another client's revision on top of the one of that look, which is still active: no older state shows
 * that. The look also takes over the revision, or a later list would seem to show one that the write made. While no list
 * has shown an earlier answered write, the list may be older than that write.
 */
export function afterOthers(written: Written, list: ObservedDeployment): Written {
  const { answer, effect, unshown = [] } = written;
  if (answer !== undefined || effect !== undefined || unshown.length > 0) return written;
  if (showsArrival(written, list) || !showsAnotherHand(written, list) || !isOnTop(written, list))
    return written;
  const { latestRevisionID } = list;
  return {
    ...written,
    followed: true,
    before: { ...asAnswered(written, list), ...defined({ latestRevisionID }) },
  };
}

type Spec = NonNullable<ObservedDeployment['sourceConfig']>['resourceSpec'];

/** Returns a resource spec, with the answer's values for keys that the answer shows too. */
function specAsAnswered(was: Spec, answered: Spec): Spec {
  if (!was || !answered) return was;
  const newer = (part: 'fields' | 'unknown'): JsonObject =>
    Object.fromEntries(
      Object.entries(was[part]).map(([key, value]) => {
        const is = answered[part][key];
        return [key, isEmpty(value) || is === undefined || isEmpty(is) ? value : is];
      }),
    );
  return { ...was, fields: newer('fields'), unknown: newer('unknown') };
}

/**
 * Returns a write without the fields that the write before it left out too, and that lists showed before that one but
 * not before this one, although an answer may still show them: a later list that shows them may be older. Leaves out a
 * field that an earlier write carried, unless a list has shown that write, since the list before this one may be older
 * too, and a field that the answer to the write before explains.
 */
export function withoutGone(earlier: Written | undefined, written: Written): Written {
  const { body, before, listed } = written;
  if (earlier?.listed === undefined || earlier.effect !== undefined || listed === undefined) return written;
  const was = { before: earlier.listed, body: earlier.body };
  const sent = [{ before, body }, ...unlisted(earlier).map((one) => ({ ...was, body: one }))];
  const explained = explainedBy(earlier, was, listed);
  const gone = untouchedBy(was, listed)
    .lost.filter((path) => sent.every((one) => leftOutBy(one).includes(path)) && !explained.includes(path))
    .flatMap((path) => partsOf(path, was.before, listed));
  return gone.length === 0 ? written : { ...written, before: withoutFields(before, gone) };
}

/**
 * Returns the fields whose absence from a list after a write the answer explains. The answer lacks the field, which the
 * write may have emptied, unless that answer may only repeat the request. Or it shows the field, and the list shows an
 * old value or the old revision: that list is older than the answer.
 */
function explainedBy(written: Written, asListed: Sent, list: ObservedDeployment): readonly string[] {
  if (written.answer === undefined) return [];
  const { lost, kept } = untouchedBy(asListed, written.answer);
  const isOlder = contradictsAnswer(written, list) || isBehind(written, list);
  return [...(kept.length > 0 ? lost : []), ...(isOlder ? kept : [])];
}

/**
 * Removes the secrets and emptied fields that an open earlier write may have changed from a write: lists showed them,
 * but the earlier write may be the cause of their loss.
 */
export function withoutOpen(earlier: Written | undefined, written: Written): Written {
  if (earlier === undefined) return written;
  const { before, listed, body } = written;
  const open = leftOpenBy(earlier, earlier.answer);
  const known = listed && withoutEmptied(listed, body, open);
  if (body.secrets === undefined || !open.includes(SECRETS_PATH)) return { ...written, listed: known };
  return { ...written, listed: { ...(known ?? before), secrets: [] } };
}

/**
 * Returns the list before a write without the fields that the write empties and that an open earlier write left out: the
 * earlier write may have emptied them already.
 */
export function withoutEmptied(
  listed: ObservedDeployment,
  body: PatchBody,
  open: readonly string[],
): ObservedDeployment {
  return withoutFields(
    listed,
    open.filter((path) => asksToEmpty(body, path)),
  );
}

/** True for a path that a body carries as an explicit null. */
function asksToEmpty({ sourceConfig, sourceRevisionConfig }: PatchBody, path: string): boolean {
  const [block, key = ''] = path.split('.');
  const sent = block === 'sourceConfig' ? sourceConfig?.fields : sourceRevisionConfig;
  return sent?.[key] === null;
}
