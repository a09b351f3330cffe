import type { WireJson } from '../../wire/json.ts';
import { isWireObject } from '../values/wire-values.ts';
import {
  byKind,
  count,
  fields,
  flag,
  kind,
  listOf,
  mapOf,
  oneOf,
  optional,
  type Reader,
  text,
  uuid,
} from '../values/reading.ts';
import { parseSemantics } from './semantic-words.ts';
import {
  type Auth,
  ERROR_SHAPES,
  FIELD_RULES,
  ITEM_FORMS,
  LIST_MODES,
  LIST_SHAPES,
  type ListLag,
  NESTED_MODES,
  NORMALISATIONS,
  OFFSET_MODES,
  PARAMETER_NAMES,
  PATCH_ECHOES,
  REVISION_BLOCKS,
  type Rollout,
  SECRETS_ECHOES,
  type SemanticsPatch,
  type ServiceSemantics,
  TRIGGERS,
} from './semantics.ts';

/** Switches as words (`"replace,masked"`), as a list of words, or as an object of switches. */
export const semanticsPatch: Reader<SemanticsPatch> = (value, path, problems) => {
  const words = typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : undefined;
  if (words === undefined) return switches(value, path, problems);
  const result = parseSemantics(words);
  if (result.ok) return result.patch;
  problems.push(...result.problems.map((found) => `${path || 'semantics'}: ${found}`));
  return {};
};

/** Reads the credential that a caller must show, as in `{"kind": "header", "name": "X-Api-Key", "value": "…"}`. */
export const authRule: Reader<Auth> = byKind<Auth>(
  {
    none: fields((field) => ({ kind: field('kind', kind('none')) })),
    header: fields((field) => ({
      kind: field('kind', kind('header')),
      name: field('name', text),
      value: field('value', text),
    })),
    bearer: fields((field) => ({ kind: field('kind', kind('bearer')), token: field('token', text) })),
    'tenant-header': fields((field) => {
      const tenants = field('tenants', optional(mapOf(uuid), undefined));
      return {
        kind: field('kind', kind('tenant-header')),
        name: field('name', text),
        ...(tenants === undefined ? {} : { tenants }),
      };
    }),
    rotates: fields((field) => ({
      kind: field('kind', kind('rotates')),
      name: field('name', text),
      values: field('values', listOf(text)),
      everySeconds: field('everySeconds', count),
    })),
  },
  { kind: 'none' },
);

const rollout: Reader<Rollout> = byKind<Rollout>(
  {
    after: fields((field) => ({ kind: field('kind', kind('after')), seconds: field('seconds', count) })),
    'never-active': fields((field) => ({ kind: field('kind', kind('never-active')) })),
    fails: fields((field) => ({ kind: field('kind', kind('fails')) })),
  },
  { kind: 'fails' },
);

const listLag: Reader<ListLag> = (value, path, problems) =>
  isWireObject(value) && 'reads' in value
    ? fields((field) => ({ reads: field('reads', count) }))(value, path, problems)
    : fields((field) => ({ seconds: field('seconds', count) }))(value, path, problems);

type Readers = {
  readonly [Key in keyof Omit<ServiceSemantics, 'nested'>]: Reader<ServiceSemantics[Key]>;
};

const READERS: Readers = {
  topLevelOmit: oneOf(['unchanged', 'cleared']),
  lists: oneOf(LIST_MODES),
  trigger: oneOf(TRIGGERS),
  triggerDelaySeconds: count,
  revisionFor: oneOf(REVISION_BLOCKS),
  secretsEcho: oneOf(SECRETS_ECHOES),
  normalise: listOf(oneOf(NORMALISATIONS)),
  normaliseAfterSeconds: count,
  unset: oneOf(['absent', 'null']),
  patchEcho: oneOf(PATCH_ECHOES),
  listShape: listOf(oneOf(LIST_SHAPES)),
  listItem: oneOf(ITEM_FORMS),
  listShows: oneOf(['all', 'half', 'nothing']),
  listLag,
  stale: fields((field) => ({ every: field('every', count), seconds: field('seconds', count) })),
  appearsSeconds: count,
  listOrder: oneOf(['created', 'newest-first', 'name', 'shuffled']),
  offsetMode: oneOf(OFFSET_MODES),
  pages: oneOf(['apart', 'overlap']),
  defaultLimit: count,
  pageCap: count,
  paramNames: oneOf(PARAMETER_NAMES),
  nameMatch: oneOf(['exact', 'contains', 'contains-any-case']),
  maxIDs: count,
  rollout,
  databaseSeconds: count,
  fieldRules: mapOf(oneOf(FIELD_RULES)),
  retrieval: oneOf(['available', 'missing-404', 'missing-405']),
  creation: oneOf(['available', 'missing-404', 'missing-405']),
  duplicateNames: oneOf(['refused-409', 'allowed']),
  deletion: oneOf(['available', 'missing-404', 'missing-405', 'missing-501', 'accepted-only']),
  deletionSeconds: count,
  errorShape: oneOf(ERROR_SHAPES),
  errorEcho: flag,
  rateLimit: fields((field) => ({ requests: field('requests', count), seconds: field('seconds', count) })),
  retryAfterSeconds: count,
  latencyMs: count,
  auth: authRule,
};

const nested: Reader<Partial<ServiceSemantics['nested']>> = fields((field) => {
  const maybe = <Key extends keyof ServiceSemantics['nested']>(key: Key) =>
    field(key, present(key, oneOf(NESTED_MODES)));
  return { ...maybe('sourceConfig'), ...maybe('revisionConfig'), ...maybe('resourceSpec') };
});

const switches: Reader<SemanticsPatch> = fields((field) => {
  const read = Object.entries(READERS).map(([key, reader]) =>
    field(key, present(key, reader as Reader<WireJson>)),
  );
  return Object.assign({}, ...read, field('nested', present('nested', nested))) as SemanticsPatch;
});

/** A switch that was given, under its key; nothing where it was not. */
function present<Key extends string, T>(key: Key, reader: Reader<T>): Reader<{ readonly [K in Key]?: T }> {
  return (value, path, problems) =>
    value === undefined ? {} : ({ [key]: reader(value, path, problems) } as { readonly [K in Key]?: T });
}
