import { reportsDrift } from '../../api/deployment.ts';
import type { Assessment } from '../compare/assess.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { hasContradiction, type Judgement } from '../compare/judge-fields.ts';
import { isEmpty, stableText } from '../desired/canonical-text.ts';
import { areNaming } from '../effects/effect-of.ts';
import type { Learned } from '../effects/learned.ts';
import { acceptedPatch } from '../recorded/accepted-patch.ts';
import { isOfLoss } from './default-of-a-loss.ts';
import { differedBefore, type LossFacts } from './differed-before.ts';

/** Under `Report`, the fields that a look after the window of our last write may report. */
export interface Unsettled {
  /** The paths that a request must not carry as declared. */
  readonly unsettled: readonly string[];
  /** The paths that a request may carry as they are shown: a repair does not wait, or no older state explains them. */
  readonly asShown: readonly string[];
}

/** The facts about our writes. */
interface Facts extends LossFacts {
  readonly assessment: Pick<Assessment, 'lost'>;
  /** See `Situation`. */
  readonly inherited: boolean;
}

/** Under `Report`, divides the fields that can only be judged later and that somebody may have changed. */
export function unsettledIn(later: readonly Judgement[], facts: Facts): Unsettled {
  const { lost } = facts.assessment;
  const theirs = reportsDrift(facts.resource)
    ? later.filter((judgement) => mayBeTheirs(judgement, facts))
    : [];
  const isStanding = (judgement: Judgement): boolean =>
    lost.length > 0 || differedBefore(judgement, facts) || isNotOlder(judgement, facts);
  const pathsOf = (some: readonly Judgement[]): readonly string[] =>
    some.map(({ desired }) => desired.field.path);
  return {
    unsettled: pathsOf(theirs.filter((judgement) => !isStanding(judgement))),
    asShown: pathsOf(theirs.filter(isStanding)),
  };
}

/** True if somebody may have changed a field. Our own write may have emptied one that it left out. */
function mayBeTheirs(judgement: Judgement, facts: Facts): boolean {
  const { resource, assessment } = facts;
  const { path } = judgement.desired.field;
  if (differedBefore(judgement, facts)) return true;
  const { lost } = assessment;
  if (isOfLoss(judgement, facts, lost)) return false;
  // A repair restores what our writes emptied, perhaps with a value that an earlier one had just set.
  const isOurs = lost.length > 0 || areNaming(resource.status?.leftOut ?? [], path);
  if (isEmpty(judgement.shown) && isOurs) return false;
  return judgement.verdict === 'drift' || isContradicted(judgement, facts);
}

/**
 * True if no older state explains the shown value of a field: our last write carried the same; or lists have shown this
 * process all of its writes, the last one did not ask for the field, and the one before it found another value.
 */
function isNotOlder({ desired, shown, digests }: Judgement, facts: Facts): boolean {
  const { written, inherited, resource } = facts;
  const { block, name, path } = desired.field;
  if (written === undefined)
    return (
      !inherited &&
      digests.was !== digests.shown &&
      acceptedPatch(resource.status)?.paths.includes(path) === false
    );
  const { sourceConfig, sourceRevisionConfig } = written.body;
  const carried = block === 'resourceSpec' ? sourceConfig?.resourceSpec?.fields : sourceRevisionConfig;
  const value = block === 'sourceConfig' ? undefined : carried?.[name];
  return value !== undefined && shown !== undefined && stableText(value) === stableText(shown);
}

/**
 * True for a field for which the answer to a later write showed another value than ours, and that no look shows now, or
 * only as empty although our writes did not leave it out. A field that the spec empties has the value from before our write,
 * which is no edit by others.
 */
export function isContradicted(
  { verdict, desired, shown, digests }: Judgement,
  { resource }: Pick<Facts, 'resource'>,
): boolean {
  if (desired.cleared) return false;
  const { leftOut = [], lost = [] } = resource.status ?? {};
  const isOurs = areNaming([...leftOut, ...lost], desired.field.path);
  const isEmptied = isEmpty(shown) && !isOurs;
  return verdict === 'ignored' && hasContradiction(digests) && (digests.shown === undefined || isEmptied);
}

/** True for a field that a look showed in another form after our write of it, and that is not shown after a later write. */
export function isGoneLater({ digests: { baseline, was, shown } }: Judgement): boolean {
  return shown === undefined && baseline !== undefined && was === undefined;
}

/** The facts about fields that lists hide. */
interface HiddenFacts extends Pick<Facts, 'resource'> {
  readonly settings: ConnectionSettings;
  readonly learned: Learned;
  /** See `Situation`. */
  readonly listedPaths: ReadonlySet<string>;
}

/**
 * True for a field that no look has shown as requested and that lists hide, if the answer to a later write, which did not
 * ask for the field, showed another value. Does not hold where bodies are whole: one without the field might empty it.
 */
export function isOtherLater(
  { desired: { field, value }, digests: { baseline, shown } }: Judgement,
  { resource, listedPaths, settings, learned }: HiddenFacts,
): boolean {
  // The service may show a number in its own form.
  if (shown !== undefined || baseline !== undefined || typeof value === 'number') return false;
  if (settings.patchBodies === 'Full' || learned.omittedFields?.verdict === 'Replace') return false;
  return !listedPaths.has(field.path) && acceptedPatch(resource.status)?.paths.includes(field.path) === false;
}
