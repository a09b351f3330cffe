import { alike, isEmpty } from '../desired/canonical-text.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { isSpelling } from '../external/is-spelling.ts';
import { looksLikeCommit } from '../external/shown.ts';
import type { PatchBody } from '../external/patch-body.ts';
import { beyond, partAt } from './beyond-unshown.ts';
import { showsArrival, spellsAnew } from './shows-arrival.ts';
import { showsBefore, spelled } from './shows-before.ts';
import { askedOf, type Sent, untouchedBy } from './untouched.ts';

/** A PATCH whose answer is judged. */
export interface Answered extends Sent {
  /** See `Asked`. */
  readonly unproven?: readonly PatchBody[] | undefined;
  /** See `Asked`. */
  readonly mayBeThere?: readonly string[] | undefined;
}

/**
 * True if an answer shows something of its write; any other answer may be the state before the write (N14). That state
 * may have the values and the revision of an earlier write that no look has shown. An answer counts anyway if it shows
 * nothing that the write left out, since it then cannot show a lost value as kept.
 */
export function tellsOf(
  { before, body, unproven = [], mayBeThere = [] }: Answered,
  answer: ObservedDeployment,
): boolean {
  const isSame = before.latestRevisionID === answer.latestRevisionID;
  const { kept, lost } = untouchedBy({ before, body }, answer);
  const showsKept = kept.length > 0;
  const earlier = showsKept ? unproven : [];
  // A loss is no state from before the write.
  const mayBeOld = showsKept || lacksRequested({ before, body }, answer);
  const there = mayBeOld && isSame && lost.length === 0 ? [partAt(body, mayBeThere)] : [];
  const rest = beyond(body, [...earlier, ...there]);
  const own = { before, body: showsKept ? withoutHidden({ before, body: rest }, answer) : rest };
  if (showsArrival(own, answer) || spellsAnew(own, answer))
    return !showsKept || !showsThirdValue({ before, body }, answer);
  // If the answer still shows the values from before the write, another write may have made the new revision.
  if (earlier.length > 0 || isSame || showsBefore({ before, body }, answer)) return false;
  return !showsKept || !lacksRequested({ before, body }, answer);
}

/**
 * Returns a body without the secrets that prove no write. While no look shows secrets, lists may hide them, and those in
 * the answer may be older than the write. Then only a secret with the sent value counts, and none counts beside the
 * blocks of other changed values if these lack the changes and show nothing as lost.
 */
function withoutHidden({ before, body }: Sent, answer: ObservedDeployment): PatchBody {
  const { secrets = [], ...fields } = body;
  if (secrets.length === 0 || (before.secrets ?? []).length > 0) return body;
  const own = { before, body: fields };
  const isChanged = askedOf(own, answer).some(
    ([asked, was, is]) =>
      is !== undefined && Object.entries(asked ?? {}).some(([key, value]) => !alike(was?.[key], value)),
  );
  const isShown = showsArrival(own, answer) || spellsAnew(own, answer);
  const isAllKept = untouchedBy({ before, body }, answer).lost.length === 0;
  if (isChanged && !isShown && isAllKept) return fields;
  const told = new Map((answer.secrets ?? []).map(({ name, value }) => [name, value]));
  return { ...fields, secrets: secrets.filter(({ name, value }) => told.get(name)?.equals(value) === true) };
}

/**
 * True if an answer shows a value that is neither the requested one nor the one from before: another client set it, and
 * perhaps the requested values too. A service applies a request as a whole.
 */
function showsThirdValue(sent: Sent, answer: ObservedDeployment): boolean {
  return askedOf(sent, answer).some(([asked, was, is]) =>
    Object.entries(asked ?? {}).some(([key, value]) => {
      const shown = is?.[key];
      if (isEmpty(value) || isEmpty(shown) || looksLikeCommit(shown)) return false;
      return !isSpelling(value, shown) && spelled(shown) !== spelled(value) && !alike(shown, was?.[key]);
    }),
  );
}

/**
 * True if an answer shows the block of a requested value without it, or with another value, or other secrets than the
 * requested ones: it may show a state between the look before the write and the write.
 */
function lacksRequested(sent: Sent, answer: ObservedDeployment): boolean {
  const shown = new Set((answer.secrets ?? []).map(({ name }) => name));
  const asked = sent.body.secrets?.map(({ name }) => name);
  const isSame = asked?.length === shown.size && asked.every((name) => shown.has(name));
  if (asked !== undefined && shown.size > 0 && !isSame) return true;
  return askedOf(sent, answer).some(
    ([asked, , is]) =>
      is !== undefined &&
      Object.entries(asked ?? {}).some(
        ([key, value]) =>
          !(isEmpty(value) && isEmpty(is[key])) &&
          spelled(is[key]) !== spelled(value) &&
          !looksLikeCommit(is[key]),
      ),
  );
}
