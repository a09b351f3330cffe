import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import type { ListLag } from '../../../src/simulator/switches/structured-answers.ts';
import { NESTED_MODES, SWITCHES as QUESTIONS } from '../../../src/simulator/switches/switches.ts';
import type { Combination } from './all-pairs.ts';

/** The switches whose pairs are all played, each with every value. */
export const SWITCHES = {
  topLevelOmit: ['unchanged', 'cleared'],
  sourceConfig: NESTED_MODES,
  revisionConfig: NESTED_MODES,
  resourceSpec: NESTED_MODES,
  lists: QUESTIONS.lists.values,
  trigger: QUESTIONS.trigger.values,
  secretsEcho: QUESTIONS.secretsEcho.values,
  normalise: ['none', ...QUESTIONS.normalise.values],
  /** Separate stories cover answers and lists that show a part of the stored content. */
  patchEcho: ['post', 'pre', 'partial', 'empty-204', 'empty-202'],
  listShape: ['full', 'no-source-status', 'no-secrets', 'extra-fields'],
  listLag: ['none', '20 seconds', '2 reads'],
  offsetMode: QUESTIONS.offsetMode.values,
  /** Two switches that belong to the resource, since every rule about lists of secrets depends on them. */
  ownership: ['Guarded', 'Exclusive', 'Merge'],
  source: ['external_container', 'codehost'],
} as const;

const LAGS: Readonly<Record<(typeof SWITCHES)['listLag'][number], ListLag>> = {
  none: { seconds: 0 },
  '20 seconds': { seconds: 20 },
  '2 reads': { reads: 2 },
};

/** One value for each switch. */
export type Switches = Combination<typeof SWITCHES>;

/** Returns the behaviour of the simulated service for a combination. */
export function semanticsOf(switches: Switches): SemanticsPatch {
  const { topLevelOmit, sourceConfig, revisionConfig, resourceSpec, normalise, listShape, ...rest } =
    switches;
  const { lists, trigger, secretsEcho, patchEcho, listLag, offsetMode } = rest;
  return {
    topLevelOmit,
    nested: { sourceConfig, revisionConfig, resourceSpec },
    normalise: normalise === 'none' ? [] : [normalise],
    listShape: listShape === 'full' ? [] : [listShape],
    listLag: LAGS[listLag],
    ...{ lists, trigger, secretsEcho, patchEcho, offsetMode },
  };
}
