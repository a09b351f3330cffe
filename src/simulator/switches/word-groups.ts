import { defined } from '../../base/defined.ts';
import type { SemanticsPatch, ServiceSemantics } from './semantics.ts';
import type { Pattern, Switch, Words } from './switch.ts';
import { NESTED_BLOCKS, NESTED_WORDS, type NestedMode, SWITCHES } from './switches.ts';

/**
 * A group of switch words, such as `secrets:stars`. A value that belongs to only one group may be written without the
 * group.
 */
export interface WordGroup {
  readonly name: string;
  readonly about: string;
  readonly values: Readonly<Record<string, SemanticsPatch>>;
  /** Values with a number, such as `20s`. */
  readonly pattern?: Pattern<SemanticsPatch>;
}

/** Switches that a word with a number sets in addition to its own. */
const SET_BESIDE: Partial<Record<keyof ServiceSemantics, SemanticsPatch>> = {
  triggerDelaySeconds: { trigger: 'delayed' },
};

/** All switch words. The groups for nested objects follow the group for the blocks that contain them. */
export const WORD_GROUPS: readonly WordGroup[] = groupsOfSwitches().toSpliced(1, 0, ...nestedGroups());

/** Returns the groups of SWITCHES in their order. Switches of one group share it. */
function groupsOfSwitches(): WordGroup[] {
  const groups = new Map<string, WordGroup>();
  for (const [key, { words }] of Object.entries<Switch<unknown>>(SWITCHES)) {
    if (words !== undefined) groups.set(words.group, withSwitch(groups.get(words.group), key, words));
  }
  return [...groups.values()];
}

function withSwitch(earlier: WordGroup | undefined, key: string, words: Words<unknown>): WordGroup {
  const sets = (value: unknown): SemanticsPatch => ({ [key]: value });
  const pattern =
    words.pattern === undefined
      ? earlier?.pattern
      : meaning(words.pattern, (value) => ({
          ...SET_BESIDE[key as keyof ServiceSemantics],
          ...sets(value),
        }));
  return {
    name: words.group,
    about: earlier?.about ?? words.about ?? '',
    values: { ...earlier?.values, ...mapped(words.values, sets) },
    ...defined({ pattern }),
  };
}

/** Returns the groups for the merging of nested objects: of all three, then of each. */
function nestedGroups(): WordGroup[] {
  const blocks = Object.entries(NESTED_BLOCKS);
  const all = (mode: NestedMode): SemanticsPatch => ({
    nested: Object.fromEntries(blocks.map(([block]) => [block, mode])),
  });
  return [
    {
      name: 'nested',
      about: 'keys left out or null, in all three objects',
      values: mapped(NESTED_WORDS, all),
    },
    ...blocks.map(([block, { group, about }]) => ({
      name: group,
      about,
      values: mapped(NESTED_WORDS, (mode) => ({ nested: { [block]: mode } })),
    })),
  ];
}

function mapped<Value, Result>(
  values: Readonly<Record<string, Value>>,
  result: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([word, value]) => [word, result(value)]));
}

function meaning<Value, Result>(
  { form, read }: Pattern<Value>,
  result: (value: Value) => Result,
): Pattern<Result> {
  return {
    form,
    read: (text) => {
      const value = read(text);
      return value === undefined ? undefined : result(value);
    },
  };
}
