import { count, flag, mapOf, oneOf } from '../values/reader.ts';
import {
  type Auth,
  authRule,
  type ListLag,
  listLag,
  type RateLimit,
  rateLimit,
  type Rollout,
  rolloutRule,
  type StaleReplica,
  staleReplica,
} from './structured-answers.ts';
import { choice, duration, itself, numberIn, several, type Switch, unworded } from './switch.ts';

/**
 * The ways in which an object in a request changes the stored one: rules of merging and of explicit nulls (not shown
 * in 4.4).
 */
export const NESTED_MODES = [
  'merge-null-ignored',
  'merge-null-clears',
  'merge-null-rejected',
  'replace',
] as const;

/** One of NESTED_MODES. */
export type NestedMode = (typeof NESTED_MODES)[number];

/** The words for a NestedMode: each mode, and `merge` for the usual one of those that merge. */
export const NESTED_WORDS: Readonly<Record<string, NestedMode>> = {
  ...itself(NESTED_MODES),
  merge: 'merge-null-clears',
};

/** The objects of a deployment that have a NestedMode, with the groups of their words. */
export const NESTED_BLOCKS = {
  sourceConfig: { group: 'source-config', about: 'the same in source_config alone' },
  revisionConfig: { group: 'revision-config', about: 'the same in source_revision_config alone' },
  resourceSpec: { group: 'resource-spec', about: 'the same in resource_spec alone' },
} as const;

/** The effect of a rule about one field of a deployment. */
const FIELD_RULES = ['rejected', 'ignored', 'pretended', 'hidden', 'contrary'] as const;

const secrets = choice({ group: 'secrets', about: 'how secret values come back' }, [
  'plain',
  'null',
  'empty',
  'stars',
  'partial',
  'names-only',
  'omitted',
  'digest',
]);

const rollout: Switch<Rollout> = {
  pleasant: { kind: 'after', seconds: 5 },
  reader: rolloutRule,
  words: {
    group: 'rollout',
    about: 'how long a revision takes to become active',
    values: {
      instant: { kind: 'after', seconds: 0 },
      'never-active': { kind: 'never-active' },
      fails: { kind: 'fails' },
    },
    pattern: {
      form: '30s',
      read: (text) => {
        const seconds = numberIn(/^(\d+)s$/.exec(text));
        return seconds === undefined ? undefined : { kind: 'after', seconds };
      },
    },
  },
};

const lag: Switch<ListLag> = {
  pleasant: { seconds: 0 },
  reader: listLag,
  words: {
    group: 'lag',
    about: 'how far the list is behind the writes',
    values: { none: { seconds: 0 } },
    pattern: {
      form: '20s or 3reads',
      read: (text) => {
        const [, number, unit] = /^(\d+)(s|reads?)$/.exec(text) ?? [];
        if (number === undefined) return undefined;
        return unit === 's' ? { seconds: Number(number) } : { reads: Number(number) };
      },
    },
  },
};

const stale: Switch<StaleReplica> = {
  pleasant: { every: 0, seconds: 0 },
  reader: staleReplica,
  words: {
    group: 'stale',
    about: 'every how many list requests meet a replica that is behind, and how far',
    values: { fresh: { every: 0, seconds: 0 } },
    pattern: {
      form: '60s-every-3',
      read: (text) => {
        const [, seconds, every] = /^(\d+)s-every-(\d+)$/.exec(text) ?? [];
        return every === undefined ? undefined : { every: Number(every), seconds: Number(seconds) };
      },
    },
  },
};

const rate: Switch<RateLimit> = {
  pleasant: { requests: 0, seconds: 1 },
  reader: rateLimit,
  words: {
    group: 'rate',
    about: 'how many requests the service takes before it answers 429',
    values: { unlimited: { requests: 0, seconds: 1 } },
    pattern: {
      form: '5/s or 1/10s',
      read: (text) => {
        const [, requests, seconds = ''] = /^(\d+)\/(\d*)s$/.exec(text) ?? [];
        if (requests === undefined) return undefined;
        return { requests: Number(requests), seconds: Number(seconds || 1) };
      },
    },
  },
};

const latency: Switch<number> = {
  pleasant: 0,
  reader: count,
  words: {
    group: 'latency',
    about: 'how long every answer takes',
    values: {},
    pattern: { form: '50ms', read: (text) => numberIn(/^(\d+)ms$/.exec(text)) },
  },
};

/**
 * All open questions of the specification, in the order in which the command line lists them. Each entry defines its
 * answers, their words and the pleasant answer once; ServiceSemantics, the reader of documents, the words and their
 * help are derived from it. The merging of nested objects is a switch of three parts: NESTED_BLOCKS.
 */
export const SWITCHES = {
  /** Whether blocks that a PATCH leaves out keep their values. */
  topLevelOmit: choice({ group: 'omit', about: 'top-level blocks that a PATCH leaves out' }, [
    'unchanged',
    'cleared',
  ]),
  /** How a list in a request combines with the stored one (not shown in 4.4). */
  lists: choice({ group: 'lists', about: 'lists in a PATCH' }, [
    'replace',
    'merge-by-name',
    'append',
    'empty-ignored',
  ]),
  /** The changes that make a revision (section 3, rules 1 and 2). */
  trigger: choice({ group: 'trigger', about: 'what makes a revision' }, [
    'on-change',
    'on-presence',
    'always',
    'never',
    'delayed',
  ]),
  /** The time from the PATCH until the new revision is visible, if the trigger is `delayed`. */
  triggerDelaySeconds: duration({ group: 'trigger', prefix: 'delayed-' }, 5),
  /** The blocks that the trigger compares, each including the ones before it (section 3 leaves the last two open). */
  revisionFor: choice(
    { group: 'revision-for', about: 'what the trigger looks at' },
    ['revision-config', 'and-secrets', 'and-resource-spec'],
    'and-secrets',
  ),
  /** How answers show secret values (not shown in 2.7). */
  secretsEcho: {
    ...secrets,
    words: { ...secrets.words, values: { ...secrets.words.values, masked: 'stars' } },
  } as typeof secrets,
  /** How the shown value differs from the sent one. */
  normalise: several(
    {
      group: 'normalise',
      about: 'what is shown instead of what was sent; may be given several times',
      none: 'none',
    },
    ['round1', 'integer', 'add-defaults', 'ref-to-sha', 'trailing-slash', 'lower-case', 'reorder'],
  ),
  /** The time after a write for which values are still shown as they were sent. */
  normaliseAfterSeconds: duration({
    group: 'normalise-after',
    about: 'how long values are shown as sent before they are normalised',
  }),
  /** How the two config objects show fields without a value. */
  unset: choice({ group: 'unset', about: 'how fields without a value show' }, ['absent', 'null']),
  /**
   * The answer to a write. `partial` shows only the blocks that were sent, whole; `some-blocks` shows the
   * rest empty; `sent-keys` shows, in the blocks that were sent, only the keys that were sent, and other
   * blocks whole; `sent-only` shows these keys and nothing else.
   */
  patchEcho: choice({ group: 'echo', about: 'what a write answers with' }, [
    'post',
    'pre',
    'partial',
    'some-blocks',
    'sent-keys',
    'sent-only',
    'empty-204',
    'empty-202',
  ]),
  /** How list items differ from the full resource (2.3 says that the sample lacks two fields). */
  listShape: several(
    { group: 'list', about: 'how list items differ; may be given several times', none: 'full' },
    [
      'no-source-status',
      'no-secrets',
      'empty-secrets',
      'null-references',
      'no-references',
      'no-commands',
      'no-listener-config',
      'no-resource-spec',
      'resource-spec-null',
      'empty-source-config',
      'no-image-uri',
      'empty-revision-config',
      'no-revision-block',
      'extra-fields',
    ],
  ),
  /** Whether an item of the list is readable as a deployment, and its fault if it is not. */
  listItem: choice({ group: 'item', about: 'whether an item of the list can be read' }, [
    'readable',
    'big-integer',
    'proto-key',
    'no-id',
    'no-object',
  ]),
  /** Which part of the existing deployments the list shows. */
  listShows: choice({ group: 'shows', about: 'how much of what there is the list shows' }, [
    'all',
    'half',
    'nothing',
  ]),
  listLag: lag,
  stale,
  /** The time for which a new deployment is missing from every list. */
  appearsSeconds: duration({ group: 'appears', about: 'how long a new deployment is missing from the list' }),
  listOrder: choice({ group: 'order', about: 'the order of the list' }, [
    'created',
    'newest-first',
    'name',
    'shuffled',
  ]),
  /** The meaning of `offset` in a list answer (4.3). */
  offsetMode: choice({ group: 'offset', about: 'what the offset of a list answer means' }, [
    'next',
    'echo',
    'limit-step',
    'total',
    'missing',
    'wraps-to-0',
  ]),
  /** Whether a page begins with the last item of the previous one. */
  pages: choice({ group: 'pages', about: 'whether a page begins with the last item of the one before' }, [
    'apart',
    'overlap',
  ]),
  /** The size of a page without a limit parameter. */
  defaultLimit: unworded(20, count),
  /** The largest size of a page, whatever the request asks for. */
  pageCap: unworded(100, count),
  /** Which query parameters the list understands, and what it does with others (not shown in 4.3). */
  paramNames: choice({ group: 'parameters', about: 'which query parameters the list understands' }, [
    'documented-guess',
    'others',
    'ignored',
    'rejected-422',
  ]),
  nameMatch: choice(
    { group: 'name-match', about: 'what the name filter finds' },
    ['exact', 'contains', 'contains-any-case'],
    'contains',
  ),
  /** The number of ids that the ids filter accepts; for more the answer is 414. */
  maxIDs: unworded(100, count),
  rollout,
  /** The time for which a new deployment shows AWAITING_DATABASE. */
  databaseSeconds: duration({ group: 'database', about: 'how long a new deployment waits for its database' }),
  /** Rules about single fields; the path is in wire names, such as `source_config.repo_url`. */
  fieldRules: unworded({}, mapOf(oneOf(FIELD_RULES))),
  retrieval: choice(
    { group: 'retrieval', about: 'GET of one deployment' },
    ['available', 'missing-404', 'missing-405'],
    'missing-404',
  ),
  creation: choice({ group: 'creation', about: 'POST of a deployment' }, [
    'available',
    'missing-404',
    'missing-405',
  ]),
  duplicateNames: choice({ group: 'names', about: 'a second deployment of one name' }, [
    'refused-409',
    'allowed',
  ]),
  /** `accepted-only`: a DELETE is answered as usual but never carried out. */
  deletion: choice({ group: 'deletion', about: 'DELETE of a deployment, and how long it takes' }, [
    'available',
    'missing-404',
    'missing-405',
    'missing-501',
    'accepted-only',
  ]),
  /** The time for which a deleted deployment shows AWAITING_DELETE before it is gone. */
  deletionSeconds: duration({ group: 'deletion' }),
  /** The place of the text in an error answer (not shown in section 7). */
  errorShape: choice(
    { group: 'errors', about: 'where an error answer carries its text; `echoed` repeats the request' },
    ['detail', 'message', 'error', 'error-message', 'errors', 'title', 'text', 'empty'],
  ),
  /** Whether 422 answers repeat the request, secrets included. */
  errorEcho: {
    pleasant: false,
    reader: flag,
    words: { group: 'errors', values: { echoed: true } },
  } as Switch<boolean>,
  rateLimit: rate,
  /**
   * The value of Retry-After above the rate limit, and the time for which every request is refused then; 0: until the
   * limit permits one.
   */
  retryAfterSeconds: duration({
    group: 'retry-after',
    about: 'how long it refuses everything then, and says so',
  }),
  latencyMs: latency,
  auth: unworded<Auth>({ kind: 'none' }, authRule),
} as const;
