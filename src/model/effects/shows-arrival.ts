import { alike, isEmpty } from '../desired/canonical-text.ts';
import type { JsonObject } from '../../base/json.ts';
import { levelOf, type Written } from './effect-of.ts';
import { showsAnotherHand } from './made-revision.ts';
import { showsBefore, spelled } from './shows-before.ts';
import { askedOf, leftOpenBy, leftOutBy, type Sent, untouchedBy } from './untouched.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { looksLikeCommit } from '../external/shown.ts';
import { mayMakeRevision, type PatchBody, type SentSecret } from '../external/patch-body.ts';

/**
 * True if an answer shows a requested value in the spelling of the service, and the look before showed no such value.
 */
export function spellsAnew(
  { before, body }: Pick<Written, 'before' | 'body'>,
  answer: ObservedDeployment,
): boolean {
  return askedOf({ before, body }, answer).some(([asked, was, is]) =>
    Object.entries(asked ?? {}).some(
      ([key, value]) =>
        !isEmpty(value) && spelled(is?.[key]) === spelled(value) && spelled(was?.[key]) !== spelled(value),
    ),
  );
}

/**
 * True if an answer leaves out a key that the write was to empty, and shows something in the same object that the write
 * did not carry: so it is more than an echo of the request.
 */
export function showsAsEmptied(path: string, body: PatchBody, answer: ObservedDeployment): boolean {
  const key = path.slice(path.lastIndexOf('.') + 1);
  const commit = answer.sourceRevisionConfig?.repoCommitSHA;
  return askedOf({ before: answer, body }, answer).some(([asked, shown]) => {
    if (asked?.[key] !== null || !isEmpty(shown?.[key])) return false;
    const others = Object.entries(shown ?? {}).filter(([other]) => !Object.hasOwn(asked, other));
    const ofRevision = asked === body.sourceRevisionConfig && !isEmpty(commit);
    return ofRevision || others.some(([, value]) => !isEmpty(value));
  });
}

/**
 * True if a list shows a part of a write that the answer shows and no earlier look showed: a changed field in the
 * service's form, or the answer's new revision beside it.
 */
export function showsAsAnswered(written: Written, list: ObservedDeployment): boolean {
  const { before, body, answer, listed = before } = written;
  if (answer === undefined) return false;
  const sent = { before, body };
  const told = askedOf(sent, answer);
  const { latestRevisionID: revision } = answer;
  const isMade = revision && revision !== before.latestRevisionID && mayMakeRevision(body);
  const isTold = showsArrival(sent, answer) || spellsAnew(sent, answer);
  if (isMade && isTold && list.latestRevisionID === revision && !isOfPush(sent, list))
    return !showsBefore(sent, list) && !showsAnotherHand(sent, list) && !showsOther({ sent, answer }, list);
  const earlier = askedOf({ before: listed, body }, list);
  return askedOf(sent, list).some(([asked, was, is], at) =>
    Object.entries(asked ?? {}).some(([key, value]) => {
      const [answered, shown] = [told[at]?.[2]?.[key], earlier[at]?.[1]?.[key]];
      const isNew = !isEmpty(answered) && !alike(answered, was?.[key]) && !alike(was?.[key], value);
      return isNew && !alike(answered, shown) && alike(answered, is?.[key]);
    }),
  );
}

/** True if a list shows another commit than the look before a write that asks for no branch: a push makes revisions too. */
function isOfPush({ before, body }: Pick<Written, 'before' | 'body'>, list: ObservedDeployment): boolean {
  const [was, is] = [before, list].map(({ sourceRevisionConfig }) => sourceRevisionConfig?.repoCommitSHA);
  const asksForBranch = body.sourceRevisionConfig?.['repoRef'] !== undefined;
  return !asksForBranch && typeof was === 'string' && typeof is === 'string' && was !== is;
}

/**
 * True if a list shows another value than the request and its answer, and not in a spelling of the service. Another
 * client set it before the write or after it, and may have made the revision that the answer shows.
 */
function showsOther(
  { sent, answer }: { readonly sent: Pick<Written, 'before' | 'body'>; readonly answer: ObservedDeployment },
  list: ObservedDeployment,
): boolean {
  const told = askedOf(sent, answer);
  return askedOf(sent, list).some(([asked, , is], at) =>
    Object.entries(asked ?? {}).some(([key, value]) => {
      const shown = is?.[key];
      if (isEmpty(shown) || looksLikeCommit(shown)) return false;
      return !alike(shown, told[at]?.[2]?.[key]) && spelled(shown) !== spelled(value);
    }),
  );
}

/**
 * True if the answer to a write shows a requested value but a list shows the old value; or shows none, although lists
 * showed the field before or show other keys of the resource spec. Such a list shows the state before the write,
 * whatever its revision and its other values are.
 */
export function contradictsAnswer(
  { before, body, answer, listed }: Written,
  list: ObservedDeployment,
): boolean {
  if (answer === undefined || listed === undefined) return false;
  const told = askedOf({ before, body }, answer);
  const spec = list.sourceConfig?.resourceSpec?.fields;
  const isSpecListed = Object.values(spec ?? {}).some((value) => !isEmpty(value));
  return askedOf({ before: listed, body }, list).some(([asked, was, is], at) =>
    Object.keys(asked ?? {}).some((key) => {
      const answered = told[at]?.[2]?.[key];
      if (isEmpty(answered)) return false;
      if (!isEmpty(is?.[key])) return alike(is?.[key], was?.[key]) && !alike(is?.[key], answered);
      return !isEmpty(was?.[key]) || (is !== undefined && is === spec && isSpecListed);
    }),
  );
}

/**
 * True if the answer to a write shows a sent name of a secret, and neither a list nor the list before the write does,
 * although lists show names. Such a list shows the state before the write too.
 */
export function lacksSentName({ body, answer, listed }: Written, list: ObservedDeployment): boolean {
  const [told, was, is] = [answer, listed, list].map((look) => look?.secrets?.map(({ name }) => name));
  if (was === undefined || is === undefined || (was.length === 0 && is.length === 0)) return false;
  const known = new Set([...was, ...is]);
  return (body.secrets ?? []).some(({ name }) => told?.includes(name) === true && !known.has(name));
}

/**
 * True if a list shows a text that a write left out and that the answer lacks, in a block where the answer shows more
 * than the request; or, in place of a value that the write left out, another one than the answer. Then another client may
 * have set the requested values just before the write, and the list shows that state. A text that the answer lacks is no
 * such sign if the list shows the answer's new revision, unless the answer shows every block as if the service
 * had emptied all that the write left out: that client may have made the revision.
 */
export function keepsWhatAnswerLacks({ before, body, answer }: Written, list: ObservedDeployment): boolean {
  if (answer === undefined) return false;
  const { kept } = untouchedBy({ before, body }, list);
  const lacking = leftOpenBy({ before, body }, answer).filter((path) => kept.includes(path));
  if (lacking.length > 0 && showsAllEmptied({ before, body }, answer)) return true;
  if (showsOldValue({ before, body }, { answer, list })) return true;
  if (showsRevisionOf({ before, body }, answer) && answer.latestRevisionID === list.latestRevisionID)
    return false;
  return lacking.some((path) => tellsMore(path, body, answer));
}

/**
 * True if a list shows a value that the write left out as it was before, and the answer shows another one in its place,
 * such as a default: the list is older than the answer.
 */
function showsOldValue(
  sent: Sent,
  { answer, list }: Readonly<Record<'answer' | 'list', ObservedDeployment>>,
): boolean {
  const told = askedOf(sent, answer);
  return askedOf(sent, list).some(([asked = {}, was = {}, is], at) =>
    Object.entries(was).some(([key, value]) => {
      const answered = told[at]?.[2]?.[key];
      const isOpen = !Object.hasOwn(asked, key) && !isEmpty(value) && !isEmpty(answered);
      if (looksLikeCommit(answered) || looksLikeCommit(value)) return false;
      return isOpen && alike(is?.[key], value) && spelled(answered) !== spelled(value);
    }),
  );
}

/**
 * True if an answer shows a new revision that the write probably made. One that is active already was made before the
 * write, unless the answer shows a new value of the revision block: then rollouts may take no time.
 */
function showsRevisionOf({ before, body }: Sent, answer: ObservedDeployment): boolean {
  const { latestRevisionID: revision, activeRevisionID } = answer;
  if (revision === before.latestRevisionID) return false;
  const { sourceRevisionConfig = {} } = body;
  return revision !== activeRevisionID || showsArrival({ before, body: { sourceRevisionConfig } }, answer);
}

/**
 * True if an answer shows nothing that a write left out, neither in the blocks of the request nor in the others,
 * although it shows these blocks. An answer that repeats only the request shows no other block, or shows it whole.
 */
function showsAllEmptied({ before, body }: Sent, answer: ObservedDeployment): boolean {
  const { lost } = untouchedBy({ before, body }, answer);
  const isAll = leftOutBy({ before, body }).every((path) => lost.includes(path));
  const isInBlock = (path: string): boolean => levelOf(path, body) !== 'blocks';
  return isAll && lost.some(isInBlock) && !lost.every(isInBlock);
}

/** True if an answer shows something in the block of a field that the request did not contain. */
export function tellsMore(path: string, body: PatchBody, answer: ObservedDeployment): boolean {
  const [block] = path.split('.');
  if (block === 'sourceRevisionConfig') {
    const { fields = {}, repoCommitSHA } = answer.sourceRevisionConfig ?? {};
    return !isEmpty(repoCommitSHA) || hasMore(fields, body.sourceRevisionConfig);
  }
  return block === 'sourceConfig' && hasMore(answer.sourceConfig?.fields, body.sourceConfig?.fields);
}

function hasMore(shown: JsonObject = {}, asked: JsonObject = {}): boolean {
  return Object.entries(shown).some(([key, value]) => !isEmpty(value) && !Object.hasOwn(asked, key));
}

/**
 * True if a write was to set fields, and an answer shows none of them. Keys that the request carried as they were shown
 * do not count, since the state before the write has them too.
 */
export function leavesOutAsked(sent: Pick<Written, 'before' | 'body'>, answer: ObservedDeployment): boolean {
  const asked = askedOf(sent, answer).flatMap(([fields, was, is]) =>
    Object.entries(fields ?? {}).flatMap(([key, value]) =>
      isEmpty(value) || alike(was?.[key], value) ? [] : [is?.[key]],
    ),
  );
  return asked.length > 0 && asked.every(isEmpty);
}

/**
 * True if a read shows that a write arrived: a requested value is shown and was not shown before. Any other read may
 * show the state before the write while the list may lag.
 */
export function showsArrival(
  { before, body }: Pick<Written, 'before' | 'body'>,
  after: ObservedDeployment,
): boolean {
  return (
    askedOf({ before, body }, after).some(([asked, was, is]) => appeared(asked, was, is)) ||
    (body.secrets ?? []).some((secret) => secretAppeared(secret, before, after)) ||
    (body.secretReferences ?? []).some(({ name }) => refersTo(after, name) && !refersTo(before, name))
  );
}

function appeared(
  asked: JsonObject | undefined,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): boolean {
  if (asked === undefined || after === undefined) return false;
  return Object.entries(asked).some(
    ([key, value]) => alike(after[key], value) && !alike(before?.[key], value),
  );
}

/** True for a name that was not listed before, or for a shown value that is the sent one and was another one before. */
function secretAppeared(
  { name, value }: SentSecret,
  before: ObservedDeployment,
  after: ObservedDeployment,
): boolean {
  const [was, is] = [before, after].map((look) => look.secrets?.find((secret) => secret.name === name));
  if (is === undefined || was === undefined) return is !== undefined;
  return is.value?.equals(value) === true && was.value?.equals(value) !== true;
}

function refersTo({ secretReferences }: ObservedDeployment, name: string): boolean {
  return secretReferences?.some((reference) => reference.name === name) ?? false;
}
