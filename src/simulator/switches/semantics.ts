/** How an object in a request meets the stored one: rules of merging and of explicit nulls (not shown in 4.4). */
export const NESTED_MODES = [
  'merge-null-ignored',
  'merge-null-clears',
  'merge-null-rejected',
  'replace',
] as const;

/** One of NESTED_MODES. */
export type NestedMode = (typeof NESTED_MODES)[number];

/** How a list in a request meets the stored one (not shown in 4.4). */
export const LIST_MODES = ['replace', 'merge-by-name', 'append', 'empty-ignored'] as const;

/** One of LIST_MODES. */
export type ListMode = (typeof LIST_MODES)[number];

/** The changes that make a revision (section 3, rules 1 and 2). */
export const TRIGGERS = ['on-change', 'on-presence', 'always', 'never', 'delayed'] as const;

/** One of TRIGGERS. */
export type Trigger = (typeof TRIGGERS)[number];

/** Which blocks the trigger looks at, each including the ones before it (section 3 is open about the last two). */
export const REVISION_BLOCKS = ['revision-config', 'and-secrets', 'and-resource-spec'] as const;

/** One of REVISION_BLOCKS. */
export type RevisionBlocks = (typeof REVISION_BLOCKS)[number];

/** How secret values come back (not shown in 2.7). */
export const SECRETS_ECHOES = [
  'plain',
  'null',
  'empty',
  'stars',
  'partial',
  'names-only',
  'omitted',
  'digest',
] as const;

/** One of SECRETS_ECHOES. */
export type SecretsEcho = (typeof SECRETS_ECHOES)[number];

/** The value that is shown instead of the sent one. */
export const NORMALISATIONS = [
  'round1',
  'integer',
  'add-defaults',
  'ref-to-sha',
  'trailing-slash',
  'lower-case',
  'reorder',
] as const;

/** One of NORMALISATIONS. */
export type Normalisation = (typeof NORMALISATIONS)[number];

/** The answer to a write. */
export const PATCH_ECHOES = [
  'post',
  'pre',
  /** The blocks that were sent, whole; no others. */
  'partial',
  /** The blocks that were sent, whole; the others empty. */
  'some-blocks',
  /** Of the blocks that were sent the keys that were sent; the others whole. */
  'sent-keys',
  /** Of the blocks that were sent the keys that were sent; no others. */
  'sent-only',
  'empty-204',
  'empty-202',
] as const;

/** One of PATCH_ECHOES. */
export type PatchEcho = (typeof PATCH_ECHOES)[number];

/** How list items differ from the full resource (2.3 says that the sample lacks two fields). */
export const LIST_SHAPES = [
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
] as const;

/** One of LIST_SHAPES. */
export type ListShape = (typeof LIST_SHAPES)[number];

/** Whether an item of the list can be taken for a deployment, and what is wrong with it where it cannot. */
export const ITEM_FORMS = ['readable', 'big-integer', 'proto-key', 'no-id', 'no-object'] as const;

/** One of ITEM_FORMS. */
export type ItemForm = (typeof ITEM_FORMS)[number];

/** The meaning of `offset` in a list answer (4.3). */
export const OFFSET_MODES = ['next', 'echo', 'limit-step', 'total', 'missing', 'wraps-to-0'] as const;

/** One of OFFSET_MODES. */
export type OffsetMode = (typeof OFFSET_MODES)[number];

/** Which query parameters the list understands, and what it does with others (not shown in 4.3). */
export const PARAMETER_NAMES = ['documented-guess', 'others', 'ignored', 'rejected-422'] as const;

/** One of PARAMETER_NAMES. */
export type ParameterNames = (typeof PARAMETER_NAMES)[number];

/** The effect of a rule about one field of a deployment. */
export const FIELD_RULES = ['rejected', 'ignored', 'pretended', 'hidden', 'contrary'] as const;

/** One of FIELD_RULES. */
export type FieldRule = (typeof FIELD_RULES)[number];

/** Where an error answer carries its text (not shown in section 7). */
export const ERROR_SHAPES = [
  'detail',
  'message',
  'error',
  'error-message',
  'errors',
  'title',
  'text',
  'empty',
] as const;

/** One of ERROR_SHAPES. */
export type ErrorShape = (typeof ERROR_SHAPES)[number];

/** The credential that a caller must show (section 5 shows none). */
export type Auth =
  | { readonly kind: 'none' }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'bearer'; readonly token: string }
  /**
   * A header that selects the tenant; only its deployments exist for the caller. Its value is the tenant, or with
   * `tenants` a credential that belongs to one; other values are refused then.
   */
  | {
      readonly kind: 'tenant-header';
      readonly name: string;
      readonly tenants?: Readonly<Record<string, string>>;
    }
  /** The accepted value is the next one every so many seconds, counted from the start of the service. */
  | {
      readonly kind: 'rotates';
      readonly name: string;
      readonly values: readonly string[];
      readonly everySeconds: number;
    };

/** How long a revision takes until it is the active one, and whether it ever is. */
export type Rollout =
  | { readonly kind: 'after'; readonly seconds: number }
  | { readonly kind: 'never-active' }
  | { readonly kind: 'fails' };

/** How far the list is behind the writes: by time, or by a number of list requests. */
export type ListLag = { readonly seconds: number } | { readonly reads: number };

/** Every open question of the specification, answered in one way. All of it is plain JSON. */
export interface ServiceSemantics {
  /** Whether blocks that a PATCH leaves out keep their values. */
  readonly topLevelOmit: 'unchanged' | 'cleared';
  readonly nested: {
    readonly sourceConfig: NestedMode;
    readonly revisionConfig: NestedMode;
    readonly resourceSpec: NestedMode;
  };
  readonly lists: ListMode;
  readonly trigger: Trigger;
  /** How long after the PATCH the new revision shows, where the trigger is `delayed`. */
  readonly triggerDelaySeconds: number;
  readonly revisionFor: RevisionBlocks;
  readonly secretsEcho: SecretsEcho;
  readonly normalise: readonly Normalisation[];
  /** How long after a write values are still shown as they were sent. */
  readonly normaliseAfterSeconds: number;
  /** How fields without a value show in the two config objects. */
  readonly unset: 'absent' | 'null';
  readonly patchEcho: PatchEcho;
  readonly listShape: readonly ListShape[];
  /** How the items of the list are written. */
  readonly listItem: ItemForm;
  /** How much of what there is the list shows. */
  readonly listShows: 'all' | 'half' | 'nothing';
  readonly listLag: ListLag;
  /** Every so many list requests meet a replica that is so far behind; `every` 0: none does. */
  readonly stale: { readonly every: number; readonly seconds: number };
  /** How long a new deployment is missing from every list. */
  readonly appearsSeconds: number;
  readonly listOrder: 'created' | 'newest-first' | 'name' | 'shuffled';
  readonly offsetMode: OffsetMode;
  /** Whether a page begins with the last item of the one before. */
  readonly pages: 'apart' | 'overlap';
  /** Page size without a limit parameter. */
  readonly defaultLimit: number;
  /** Pages are never larger than this, whatever was asked for. */
  readonly pageCap: number;
  readonly paramNames: ParameterNames;
  readonly nameMatch: 'exact' | 'contains' | 'contains-any-case';
  /** How many ids the ids filter takes before the answer is 414. */
  readonly maxIDs: number;
  readonly rollout: Rollout;
  /** How long a new deployment says AWAITING_DATABASE. */
  readonly databaseSeconds: number;
  /** Rules about single fields; the path is in wire names, such as `source_config.repo_url`. */
  readonly fieldRules: Readonly<Record<string, FieldRule>>;
  readonly retrieval: 'available' | 'missing-404' | 'missing-405';
  readonly creation: 'available' | 'missing-404' | 'missing-405';
  readonly duplicateNames: 'refused-409' | 'allowed';
  /** `accepted-only`: a DELETE is answered as ever and never carried out. */
  readonly deletion: 'available' | 'missing-404' | 'missing-405' | 'missing-501' | 'accepted-only';
  /** How long a deleted deployment says AWAITING_DELETE before it is gone. */
  readonly deletionSeconds: number;
  readonly errorShape: ErrorShape;
  /** Whether 422 answers repeat the request, secrets included. */
  readonly errorEcho: boolean;
  /** More requests than this in so many seconds are answered with 429 and Retry-After; 0 requests: no limit. */
  readonly rateLimit: { readonly requests: number; readonly seconds: number };
  /** The value of Retry-After then, and how long every request is refused; 0: until the limit lets one through. */
  readonly retryAfterSeconds: number;
  /** How long every answer takes. */
  readonly latencyMs: number;
  readonly auth: Auth;
}

/** A change of some switches. */
export type SemanticsPatch = Partial<Omit<ServiceSemantics, 'nested'>> & {
  readonly nested?: Partial<ServiceSemantics['nested']>;
};

/** A pleasant service: what is left out stays, changes alone make revisions, values come back as they were sent. */
export const PLEASANT: ServiceSemantics = {
  topLevelOmit: 'unchanged',
  nested: { sourceConfig: 'merge-null-clears', revisionConfig: 'merge-null-clears', resourceSpec: 'replace' },
  lists: 'replace',
  trigger: 'on-change',
  triggerDelaySeconds: 5,
  revisionFor: 'and-secrets',
  secretsEcho: 'plain',
  normalise: [],
  normaliseAfterSeconds: 0,
  unset: 'absent',
  patchEcho: 'post',
  listShape: [],
  listItem: 'readable',
  listShows: 'all',
  listLag: { seconds: 0 },
  stale: { every: 0, seconds: 0 },
  appearsSeconds: 0,
  listOrder: 'created',
  offsetMode: 'next',
  pages: 'apart',
  defaultLimit: 20,
  pageCap: 100,
  paramNames: 'documented-guess',
  nameMatch: 'contains',
  maxIDs: 100,
  rollout: { kind: 'after', seconds: 5 },
  databaseSeconds: 0,
  fieldRules: {},
  retrieval: 'missing-404',
  creation: 'available',
  duplicateNames: 'refused-409',
  deletion: 'available',
  deletionSeconds: 0,
  errorShape: 'detail',
  errorEcho: false,
  rateLimit: { requests: 0, seconds: 1 },
  retryAfterSeconds: 0,
  latencyMs: 0,
  auth: { kind: 'none' },
};

/** The switches after a change; `nested` and `fieldRules` are changed key by key. */
export function withSemantics(base: ServiceSemantics, patch: SemanticsPatch): ServiceSemantics {
  return {
    ...base,
    ...patch,
    nested: { ...base.nested, ...patch.nested },
    fieldRules: { ...base.fieldRules, ...patch.fieldRules },
  };
}

/** One change that does what both do, the later one winning. */
export function joinPatches(first: SemanticsPatch, second: SemanticsPatch): SemanticsPatch {
  return {
    ...first,
    ...second,
    nested: { ...first.nested, ...second.nested },
    fieldRules: { ...first.fieldRules, ...second.fieldRules },
  };
}
