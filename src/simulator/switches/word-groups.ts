import {
  ERROR_SHAPES,
  ITEM_FORMS,
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
    nestedModes((mode) => nested(mode, mode, mode)),
  ),
  group(
    'source-config',
    'the same in source_config alone',
    nestedModes((mode) => nested(mode)),
  ),
  group(
    'revision-config',
    'the same in source_revision_config alone',
    nestedModes((mode) => nested(undefined, mode)),
  ),
  group(
    'resource-spec',
    'the same in resource_spec alone',
    nestedModes((mode) => nested(undefined, undefined, mode)),
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
  group(
    'item',
    'whether an item of the list can be read',
    each(ITEM_FORMS, (listItem) => ({ listItem })),
  ),
  group(
    'shows',
    'how much of what there is the list shows',
    each(['all', 'half', 'nothing'], (listShows) => ({ listShows })),
  ),
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
  {
    ...group('stale', 'every how many list requests meet a replica that is behind, and how far', {
      fresh: { stale: { every: 0, seconds: 0 } },
    }),
    pattern: {
      form: '60s-every-3',
      read: (text) => {
        const [, seconds, every] = /^(\d+)s-every-(\d+)$/.exec(text) ?? [];
        if (every === undefined) return undefined;
        return { stale: { every: Number(every), seconds: Number(seconds) } };
      },
    },
  },
  {
    ...group('appears', 'how long a new deployment is missing from the list', {}),
    pattern: seconds('', (appearsSeconds) => ({ appearsSeconds })),
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
    'pages',
    'whether a page begins with the last item of the one before',
    each(['apart', 'overlap'], (pages) => ({ pages })),
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
      each(['available', 'missing-404', 'missing-405', 'missing-501', 'accepted-only'], (deletion) => ({
        deletion,
      })),
    ),
    pattern: seconds('', (deletionSeconds) => ({ deletionSeconds })),
  },
  group('errors', 'where an error answer carries its text; `echoed` repeats the request', {
    ...each(ERROR_SHAPES, (errorShape) => ({ errorShape })),
    echoed: { errorEcho: true },
  }),
  {
    ...group('rate', 'how many requests the service takes before it answers 429', {
      unlimited: { rateLimit: { requests: 0, seconds: 1 } },
    }),
    pattern: {
      form: '5/s or 1/10s',
      read: (text) => {
        const [, requests, seconds = ''] = /^(\d+)\/(\d*)s$/.exec(text) ?? [];
        if (requests === undefined) return undefined;
        return { rateLimit: { requests: Number(requests), seconds: Number(seconds || 1) } };
      },
    },
  },
  {
    ...group('retry-after', 'how long it refuses everything then, and says so', {}),
    pattern: seconds('', (retryAfterSeconds) => ({ retryAfterSeconds })),
  },
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

function group(name: string, about: string, values: WordGroup['values']): WordGroup {
  return { name, about, values };
}

function each<Value extends string>(
  values: readonly Value[],
  patch: (value: Value) => SemanticsPatch,
): Record<string, SemanticsPatch> {
  return Object.fromEntries(values.map((value) => [value, patch(value)]));
}

/** Every mode, and `merge` for the usual one of those that merge. */
function nestedModes(patch: (mode: NestedMode) => SemanticsPatch): Record<string, SemanticsPatch> {
  return { ...each(NESTED_MODES, patch), merge: patch('merge-null-clears') };
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
