import { appliedByWrite } from './applied-by-write.ts';
import { assess, type Assessment, type Comparison, writeShownMs } from './assess.ts';
import {
  hasContradiction,
  isHeld,
  judgeFields,
  type Judgement,
  keepsCleared,
  openOf,
  stillOpen,
} from './judge-fields.ts';
import { defined } from '../../base/defined.ts';
import { type Applied, type Baseline, fieldDigest, fixed } from '../recorded/baseline.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import { isSpelling } from '../external/is-spelling.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { tellsMore } from '../effects/shows-arrival.ts';
import type { PatchBody } from '../external/patch-body.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { shownFor } from '../external/shown.ts';

/** The write that an answer belongs to. */
export interface AnsweredRequest {
  /** True for a creation, which asks for everything. */
  readonly created: boolean;
  readonly paths?: readonly string[] | undefined;
  readonly body?: PatchBody | undefined;
  /** True if the answer shows something of the write, so it shows what earlier writes have left. */
  readonly tells?: boolean | undefined;
  /** The deployment in the read before the look behind the write, if one pass made both. */
  readonly earlier?: ObservedDeployment | undefined;
}

/** An answer judges no field that it does not show. */
const OF_AN_ANSWER = {
  settling: () => false,
  standsIn: () => false,
  notShown: () => 'in-sync' as const,
  listed: false,
  emptyInList: () => false,
  isGone: () => false,
  isDropped: () => false,
} as const;

/**
 * Compares a resource with the answer to its write; the written values count as applied. `before` is the comparison
 * behind the decision to write.
 */
export function compareAnswer(
  comparison: Omit<Comparison, 'via'>,
  before: Assessment | undefined,
  { created, paths = [], body, tells = false, earlier }: AnsweredRequest,
): Assessment {
  const { desired, observed, digests, listedPaths } = comparison;
  const inLists = (path: string): boolean => listedPaths.has(path);
  const fresh = assess({ ...comparison, via: 'answer' });
  const known = before ?? fresh;
  const asked = created ? allPaths(fresh) : paths;
  const applied = appliedByWrite(known, asked, fresh.judgements, {
    ...{ created, body, observed, inLists, tells },
    shownEarlier: (one) => earlier && fieldDigest(one, shownFor(one, earlier), digests),
  });
  // The answer may show such values from before an earlier write of them, as the list did.
  const held = new Set(known.judgements.filter(isHeld).map((judgement) => judgement.desired.field.path));
  const judged = judgeFields(desired, applied, observed, {
    ...OF_AN_ANSWER,
    inLists,
    unseen: (path, kept) => (kept !== undefined || !tells) && !asked.includes(path) && held.has(path),
    digests,
  });
  const open = openOf(known.judgements);
  const look = { asked: (path: string): boolean => asked.includes(path) };
  const judgements = judged.map((judgement) => stillOpen(judgement, open, look));
  const secretsSent = asked.includes(SECRETS_PATH);
  const secrets = secretsSent ? { ...fresh.secrets, verdict: 'in-sync' as const, names: [] } : known.secrets;
  const isUnlisted = ({ desired: { field } }: Judgement): boolean =>
    !asked.includes(field.path) && !listedPaths.has(field.path);
  const isTold = (one: Judgement): boolean => tells || showsEarlierWrites(one, body, comparison);
  const next = withAnswered(applied, judgements, {
    isUnlisted: (one) => isUnlisted(one) && isTold(one),
    isGone: (one) => tells && body !== undefined && isGoneFrom(observed, one, body),
    isEmptied: (one) =>
      tells && isEmpty(one.shown) && tellsMore(one.desired.field.path, body ?? {}, observed),
  });
  return { ...fresh, ...next, secrets };
}

/**
 * True for a value in a block that a write does not touch, once the window of earlier writes is over. Even an answer that
 * shows nothing of the write shows what these left there. Only a value counts: such an answer may leave out the field.
 */
function showsEarlierWrites(
  { desired: { field }, shown }: Judgement,
  body: PatchBody | undefined,
  { resource, settings, beganMs }: Omit<Comparison, 'via'>,
): boolean {
  const [block = ''] = field.path.split('.');
  const isTouched = Object.hasOwn(body ?? {}, block);
  return !isTouched && !isEmpty(shown) && beganMs >= writeShownMs(resource, settings);
}

/** True for a value that an earlier look showed as requested, and that an answer lacks which shows more of its block. */
function isGoneFrom(
  answer: ObservedDeployment,
  { desired: { field, value }, digests: { shown, baseline, desired } }: Judgement,
  body: PatchBody,
): boolean {
  if (shown !== undefined || baseline !== desired || isEmpty(value) || field.block === 'resourceSpec')
    return false;
  return tellsMore(field.path, body, answer);
}

/** The questions about a field that an answer decides. */
type Told = Readonly<Record<'isUnlisted' | 'isGone' | 'isEmptied', (judgement: Judgement) => boolean>>;

/**
 * Records what this answer shows of fields that lists never show and the request left out. If it shows another value,
 * after the answer to the write of the field had shown the requested one, the service did not keep the value. A spelling
 * of the service is no other value. If it shows the requested value, an earlier contradiction no longer holds.
 */
function withAnswered(
  applied: Applied,
  judgements: readonly Judgement[],
  { isUnlisted, isGone, isEmptied }: Told,
): Pick<Assessment, 'applied' | 'judgements'> {
  const fields = new Map(applied.fields);
  const next = judgements.map((judgement): Judgement => {
    const { desired, digests, shown, verdict } = judgement;
    const { path } = desired.field;
    const kept = fields.get(path);
    if (kept === undefined || !isUnlisted(judgement)) return judgement;
    if (desired.cleared) {
      const now = clearedAfter(judgement, isEmptied(judgement));
      if (now !== undefined) fields.set(path, { a: kept.a, ...now });
      return judgement;
    }
    if (verdict === 'adopt' && hasContradiction(digests)) {
      fields.set(path, { a: kept.a });
      return { ...judgement, verdict: 'in-sync' };
    }
    // Lists that do not show the field cannot tell that somebody changed or removed the value.
    if (verdict === 'drift' || isGone(judgement)) fields.set(path, fixed(kept));
    if (verdict === 'ignored' && kept.b === undefined && !isSpelling(desired.value, shown))
      fields.set(path, { ...kept, ...defined({ b: digests.shown, was: digests.shown }) });
    return judgement;
  });
  return { applied: { ...applied, fields }, judgements: next };
}

/**
 * Returns the record of a field that the spec empties and that lists do not show. If a later answer repeats the value from
 * before the write, the service does not empty the field. If it shows the field as empty, it does.
 */
function clearedAfter(
  { digests, ...judgement }: Judgement,
  isEmptied: boolean,
): Pick<Baseline, 'b' | 'was'> | undefined {
  const { shown, was, desired, applied } = digests;
  if (applied !== desired) return undefined;
  if (isEmptied && hasContradiction(digests)) return { b: desired };
  const isRepeated = shown !== undefined && shown === was && keepsCleared({ ...judgement, digests });
  return isRepeated ? { b: shown, was: shown } : undefined;
}

function allPaths({ judgements, secrets }: Assessment): readonly string[] {
  const paths = judgements.map(({ desired }) => desired.field.path);
  return secrets.verdict === 'unmanaged' ? paths : [...paths, SECRETS_PATH];
}
