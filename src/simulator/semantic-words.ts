import {
  ERROR_SHAPES,
  joinPatches,
  LIST_MODES,
  LIST_SHAPES,
  NESTED_MODES,
  type NestedMode,
  NORMALISATIONS,
  OFFSET_MODES,
  PARAMETER_NAMES,
  PATCH_ECHOES,
  REVISION_BLOCKS,
  SECRETS_ECHOES,
  type SemanticsPatch,
  TRIGGERS,
} from './semantics.ts';

/** A group of switch words, such as `secrets:stars`; a value that only one group has may stand alone. */
export interface WordGroup {
  readonly name: string;
  readonly about: string;
  readonly values: Readonly<Record<string, SemanticsPatch>>;
  /** Values with a number, such as `20s`: how they look, and what they mean. */
  readonly pattern?: { readonly form: string; readonly read: (text: string) => SemanticsPatch | undefined };
}

/** Words of the control endpoint, of seeds and of the command line, or the text that is wrong with them. */
export type WordsResult =
  | { readonly ok: true; readonly patch: SemanticsPatch }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Every switch word there is. */
export const WORD_GROUPS: readonly WordGroup[] = [
  group(
    'omit',
    'top-level blocks that a PATCH leaves out',
    each(['unchanged', 'cleared'], (value) => ({ topLevelOmit: value })),
  ),
  group(
    'nested',
    'keys left out or null, in all three objects',
    each(NESTED_MODES, (mode) => nested(mode, mode, mode)),
  ),
  group(
    'source-config',
    'the same in source_config alone',
    each(NESTED_MODES, (mode) => nested(mode)),
  ),
  group(
    'revision-config',
    'the same in source_revision_config alone',
    each(NESTED_MODES, (mode) => nested(undefined, mode)),
  ),
  group(
    'resource-spec',
    'the same in resource_spec alone',
    each(NESTED_MODES, (mode) => nested(undefined, undefined, mode)),
  ),
  group(
    'lists',
    'lists in a PATCH',
    each(LIST_MODES, (lists) => ({ lists })),
  ),
  {
    ...group(
      'trigger',
      'what makes a revision',
      each(TRIGGERS, (trigger) => ({ trigger })),
    ),
    pattern: seconds('delayed-', (triggerDelaySeconds) => ({ trigger: 'delayed', triggerDelaySeconds })),
  },
  group(
    'revision-for',
    'what the trigger looks at',
    each(REVISION_BLOCKS, (revisionFor) => ({ revisionFor })),
  ),
  group('secrets', 'how secret values come back', {
    ...each(SECRETS_ECHOES, (secretsEcho) => ({ secretsEcho })),
    masked: { secretsEcho: 'stars' },
  }),
  group('normalise', 'what is shown instead of what was sent; may be given several times', {
    none: { normalise: [] },
    ...each(NORMALISATIONS, (value) => ({ normalise: [value] })),
  }),
  {
    ...group('normalise-after', 'how long values are shown as sent before they are normalised', {}),
    pattern: seconds('', (normaliseAfterSeconds) => ({ normaliseAfterSeconds })),
  },
  group(
    'unset',
    'how fields without a value show',
    each(['absent', 'null'], (unset) => ({ unset })),
  ),
  group(
    'echo',
    'what a write answers with',
    each(PATCH_ECHOES, (patchEcho) => ({ patchEcho })),
  ),
  group('list', 'how list items differ; may be given several times', {
    full: { listShape: [] },
    ...each(LIST_SHAPES, (value) => ({ listShape: [value] })),
  }),
  {
    ...group('lag', 'how far the list is behind the writes', { none: { listLag: { seconds: 0 } } }),
    pattern: {
      form: '20s or 3reads',
      read: (text) => {
        const [, number, unit] = /^(\d+)(s|reads?)$/.exec(text) ?? [];
        if (number === undefined) return undefined;
        return { listLag: unit === 's' ? { seconds: Number(number) } : { reads: Number(number) } };
      },
    },
  },
  group(
    'order',
    'the order of the list',
    each(['created', 'newest-first', 'name', 'shuffled'], (listOrder) => ({ listOrder })),
  ),
  group(
    'offset',
    'what the offset of a list answer means',
    each(OFFSET_MODES, (offsetMode) => ({ offsetMode })),
  ),
  group(
    'parameters',
    'which query parameters the list understands',
    each(PARAMETER_NAMES, (paramNames) => ({ paramNames })),
  ),
  group(
    'name-match',
    'what the name filter finds',
    each(['exact', 'contains', 'contains-any-case'], (nameMatch) => ({ nameMatch })),
  ),
  {
    ...group('rollout', 'how long a revision takes to become active', {
      instant: { rollout: { kind: 'after', seconds: 0 } },
      'never-active': { rollout: { kind: 'never-active' } },
      fails: { rollout: { kind: 'fails' } },
    }),
    pattern: seconds('', (value) => ({ rollout: { kind: 'after', seconds: value } })),
  },
  {
    ...group('database', 'how long a new deployment waits for its database', {}),
    pattern: seconds('', (databaseSeconds) => ({ databaseSeconds })),
  },
  group(
    'retrieval',
    'GET of one deployment',
    each(['available', 'missing-404', 'missing-405'], (retrieval) => ({ retrieval })),
  ),
  group(
    'creation',
    'POST of a deployment',
    each(['available', 'missing-404', 'missing-405'], (creation) => ({ creation })),
  ),
  group(
    'names',
    'a second deployment of one name',
    each(['refused-409', 'allowed'], (duplicateNames) => ({ duplicateNames })),
  ),
  {
    ...group(
      'deletion',
      'DELETE of a deployment, and how long it takes',
      each(['available', 'missing-404', 'missing-405', 'missing-501'], (deletion) => ({ deletion })),
    ),
    pattern: seconds('', (deletionSeconds) => ({ deletionSeconds })),
  },
  group('errors', 'where an error answer carries its text; `echoed` repeats the request', {
    ...each(ERROR_SHAPES, (errorShape) => ({ errorShape })),
    echoed: { errorEcho: true },
  }),
  {
    ...group('latency', 'how long every answer takes', {}),
    pattern: {
      form: '50ms',
      read: (text) => {
        const [, number] = /^(\d+)ms$/.exec(text) ?? [];
        return number === undefined ? undefined : { latencyMs: Number(number) };
      },
    },
  },
];

/** Values that stand for something although several groups have them. */
const ALONE: Readonly<Record<string, string>> = { replace: 'nested', available: 'retrieval' };

/** Reads switch words, `replace,masked,on-presence`; a later word wins over an earlier one. */
export function parseSemantics(text: string): WordsResult {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const problems: string[] = [];
  let patch: SemanticsPatch = {};
  for (const word of words) {
    const found = readWord(word);
    if (typeof found === 'string') problems.push(found);
    else patch = collected(patch, found);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, patch };
}

function readWord(word: string): SemanticsPatch | string {
  const at = word.indexOf(':');
  if (at >= 0) return readIn(word.slice(0, at), word.slice(at + 1));
  const alone = ALONE[word];
  if (alone !== undefined) return readIn(alone, word);
  const groups = WORD_GROUPS.filter(({ values }) => Object.hasOwn(values, word));
  const [only] = groups;
  if (only === undefined)
    return `${word}: is not a switch word; expected group:value, groups are ${groupNames()}`;
  if (groups.length === 1) return only.values[word] ?? {};
  return `${word}: is in several groups; expected ${groups.map(({ name }) => `${name}:${word}`).join(' or ')}`;
}

function readIn(name: string, value: string): SemanticsPatch | string {
  const group = WORD_GROUPS.find((candidate) => candidate.name === name);
  if (group === undefined) return `${name}: is not a group of switches; expected ${groupNames()}`;
  const found = Object.hasOwn(group.values, value) ? group.values[value] : group.pattern?.read(value);
  if (found !== undefined) return found;
  const expected = [
    ...Object.keys(group.values),
    ...(group.pattern ? [`a number as in ${group.pattern.form}`] : []),
  ];
  return `${name}:${value}: is not known; expected ${expected.join(', ')}`;
}

/** Lists of switches add up; everything else is replaced. */
function collected(before: SemanticsPatch, next: SemanticsPatch): SemanticsPatch {
  const joined = joinPatches(before, next);
  return {
    ...joined,
    ...(next.normalise?.length ? { normalise: [...(before.normalise ?? []), ...next.normalise] } : {}),
    ...(next.listShape?.length ? { listShape: [...(before.listShape ?? []), ...next.listShape] } : {}),
  };
}

function groupNames(): string {
  return WORD_GROUPS.map(({ name }) => name).join(', ');
}

function group(name: string, about: string, values: WordGroup['values']): WordGroup {
  return { name, about, values };
}

function each<Value extends string>(
  values: readonly Value[],
  patch: (value: Value) => SemanticsPatch,
): Record<string, SemanticsPatch> {
  return Object.fromEntries(values.map((value) => [value, patch(value)]));
}

function nested(
  sourceConfig?: NestedMode,
  revisionConfig?: NestedMode,
  resourceSpec?: NestedMode,
): SemanticsPatch {
  return {
    nested: {
      ...(sourceConfig === undefined ? {} : { sourceConfig }),
      ...(revisionConfig === undefined ? {} : { revisionConfig }),
      ...(resourceSpec === undefined ? {} : { resourceSpec }),
    },
  };
}

function seconds(
  prefix: string,
  patch: (value: number) => SemanticsPatch,
): NonNullable<WordGroup['pattern']> {
  return {
    form: `${prefix}30s`,
    read: (text) => {
      const [, number] = new RegExp(`^${prefix}(\\d+)s$`).exec(text) ?? [];
      return number === undefined ? undefined : patch(Number(number));
    },
  };
}
