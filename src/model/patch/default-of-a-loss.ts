import type { Judgement } from '../compare/judge-fields.ts';
import { alike } from '../desired/canonical-text.ts';
import { areNaming } from '../effects/effect-of.ts';
import { leftOutBy } from '../effects/untouched.ts';
import { shownFor } from '../external/shown.ts';
import type { LossFacts } from './differed-before.ts';

/**
 * True for a field in a block that our last write emptied, or for a default that the service has set there in place of the
 * declared value: no other client changed it.
 */
export function isOfLoss(
  judgement: Judgement,
  facts: Pick<LossFacts, 'written'>,
  lost: readonly string[],
): boolean {
  return areNaming(lost, judgement.desired.field.path) || isDefaultOfLoss(judgement, facts, lost);
}

/**
 * True for a flag or a number of `source_config` that our last write left out while it was shown as declared, if that
 * write emptied other fields of the block.
 */
function isDefaultOfLoss(
  { desired, shown }: Judgement,
  { written }: Pick<LossFacts, 'written'>,
  lost: readonly string[],
): boolean {
  const { block, path } = desired.field;
  const isBare = typeof shown === 'boolean' || typeof shown === 'number';
  if (block !== 'sourceConfig' || !isBare || written === undefined) return false;
  const isOfBlock = (one: string): boolean => one.startsWith(`${block}.`) && one.split('.').length === 2;
  const wasDeclared = alike(shownFor(desired, written.before), desired.value);
  return wasDeclared && leftOutBy(written).includes(path) && lost.some(isOfBlock);
}
