import { defined } from '../../base/defined.ts';
import { MAX_PAGE_SIZE } from '../../wire/max-page-size.ts';
import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import { type DeploymentState, type Listed, statusAt } from '../state/deployment-state.ts';
import { commitFrom } from '../values/identifiers.ts';
import { isUUID, problem, type RequestProblem } from './request-check.ts';
import type { OffsetMode, ParameterNames, ServiceSemantics } from '../switches/semantics.ts';

/** The purpose of a parameter of the list (4.3); their names are not shown. */
export type ListPurpose =
  | 'limit'
  | 'offset'
  | 'name'
  | 'status'
  | 'remoteReconciled'
  | 'tagValueIDs'
  | 'imageVersion'
  | 'type'
  | 'ids';

/** The parameter names that this project guesses. */
const GUESSED_NAMES: Readonly<Record<string, ListPurpose>> = {
  limit: 'limit',
  offset: 'offset',
  name_contains: 'name',
  status: 'status',
  remote_reconciled: 'remoteReconciled',
  tag_value_ids: 'tagValueIDs',
  image_version: 'imageVersion',
  deployment_type: 'type',
  deployment_ids: 'ids',
};

const OTHER_NAMES: Readonly<Record<string, ListPurpose>> = {
  page_size: 'limit',
  skip: 'offset',
  name: 'name',
  state: 'status',
  remote: 'remoteReconciled',
  tags: 'tagValueIDs',
  version: 'imageVersion',
  type: 'type',
  ids: 'ids',
};

const NAMES: Record<ParameterNames, Readonly<Record<string, ListPurpose>>> = {
  'documented-guess': GUESSED_NAMES,
  others: OTHER_NAMES,
  ignored: {},
  'rejected-422': { limit: 'limit', offset: 'offset' },
};

/** A list request, as far as the service understands it. */
export type ListQuery = Readonly<Partial<Record<ListPurpose, string>>>;

/** Returns the parameters that the service understands, and the problems of the request. */
export function listQuery(
  query: URLSearchParams,
  semantics: ServiceSemantics,
): { readonly asked: ListQuery; readonly problems: readonly RequestProblem[] } {
  const names = NAMES[semantics.paramNames];
  const asked: Partial<Record<ListPurpose, string>> = {};
  const problems: RequestProblem[] = [];
  for (const [name, value] of query) {
    const purpose = Object.hasOwn(names, name) ? names[name] : undefined;
    if (purpose !== undefined) asked[purpose] = value;
    else if (semantics.paramNames === 'rejected-422')
      problems.push({ ...problem('bad-parameter', ['query', name], 'is not known'), violation: false });
  }
  return { asked, problems: [...problems, ...valueProblems(asked)] };
}

/** Returns the page of the list for a request, without the shape of its items. */
export function page(
  listed: readonly Listed[],
  asked: ListQuery,
  semantics: ServiceSemantics,
): { readonly items: readonly Listed[]; readonly offset: number | undefined } {
  const found = ordered(filtered(listed, asked, semantics), semantics);
  const offset = Number(asked.offset ?? 0);
  const limit = Math.min(Number(asked.limit ?? semantics.defaultLimit), semantics.pageCap);
  const back = semantics.pages === 'overlap' && offset > 0 ? 1 : 0;
  const items = found.slice(offset - back, offset - back + limit);
  const facts = { offset, limit, count: items.length, total: found.length, back };
  return { items, offset: OFFSETS[semantics.offsetMode](facts) };
}

/** Returns the part of the list that the service still shows if it loses sight of some deployments. */
export function shrunk(listed: readonly Listed[], { listShows }: ServiceSemantics): readonly Listed[] {
  if (listShows === 'all') return listed;
  return listShows === 'nothing' ? [] : listed.filter((_, at) => at % 2 === 0);
}

interface PageFacts {
  readonly offset: number;
  readonly limit: number;
  readonly count: number;
  readonly total: number;
  /** The number of items of the previous page that the page repeats. */
  readonly back: number;
}

const OFFSETS: Record<OffsetMode, (facts: PageFacts) => number | undefined> = {
  next: ({ offset, count }) => offset + count,
  echo: ({ offset }) => offset,
  'limit-step': ({ offset, limit }) => offset + limit,
  total: ({ total }) => total,
  missing: () => undefined,
  'wraps-to-0': ({ offset, count, total, back }) => (offset - back + count >= total ? 0 : offset + count),
};

function valueProblems(asked: ListQuery): readonly RequestProblem[] {
  const problems: RequestProblem[] = [];
  const check = (purpose: ListPurpose, fine: (value: string) => boolean, message: string): void => {
    const value = asked[purpose];
    if (value !== undefined && !fine(value))
      problems.push(problem('bad-parameter', ['query', purpose], message));
  };
  check(
    'limit',
    (value) => isInteger(value, 1, MAX_PAGE_SIZE),
    `must be an integer from 1 to ${MAX_PAGE_SIZE}`,
  );
  check(
    'offset',
    (value) => isInteger(value, 0, Number.MAX_SAFE_INTEGER),
    'must be an integer, 0 or greater',
  );
  check('type', (value) => ['dev_free', 'dev', 'prod'].includes(value), 'must be dev_free, dev or prod');
  check('ids', (value) => value.split(',').every(isUUID), 'must be a comma-separated list of UUIDs');
  return problems;
}

function isInteger(text: string, least: number, most: number): boolean {
  return /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
}

/** Makes a filter for the request; it computes the values that are the same for each deployment once. */
type Filter = (
  value: string,
  semantics: ServiceSemantics,
) => (state: DeploymentState, atMs: number) => boolean;

const FILTERS: Record<Exclude<ListPurpose, 'limit' | 'offset'>, Filter> = {
  name:
    (value, { nameMatch }) =>
    ({ name }) =>
      NAME_MATCHES[nameMatch](name, value),
  status: (value) => (state, atMs) => statusAt(state, atMs) === value,
  remoteReconciled: (value) => (state) => value !== 'true' || state.hidden['remote_reconciled'] === true,
  tagValueIDs: (value) => {
    const tags = value.split(',');
    return ({ hidden }) => tags.every((tag) => includes(hidden['tag_value_ids'], tag));
  },
  imageVersion: (value) => (state) => state.imageVersion === value,
  type: (value) => (state) => state.hidden['deployment_type'] === value,
  ids: (value) => {
    const ids = new Set(value.toLowerCase().split(','));
    return ({ id }) => ids.has(id.toLowerCase());
  },
};

function filtered(
  listed: readonly Listed[],
  { limit: _limit, offset: _offset, ...asked }: ListQuery,
  semantics: ServiceSemantics,
): readonly Listed[] {
  const filters = (Object.keys(asked) as (keyof typeof asked)[]).map((purpose) =>
    FILTERS[purpose](asked[purpose] ?? '', semantics),
  );
  if (filters.length === 0) return listed;
  return listed.filter(({ state, atMs }) => filters.every((filter) => filter(state, atMs)));
}

const NAME_MATCHES: Record<ServiceSemantics['nameMatch'], (name: string, wanted: string) => boolean> = {
  exact: (name, wanted) => name === wanted,
  contains: (name, wanted) => name.includes(wanted),
  'contains-any-case': (name, wanted) => name.toLowerCase().includes(wanted.toLowerCase()),
};

function includes(list: WireJson | undefined, item: string): boolean {
  return Array.isArray(list) && (list as readonly WireJson[]).includes(item);
}

function ordered(listed: readonly Listed[], { listOrder }: ServiceSemantics): readonly Listed[] {
  switch (listOrder) {
    case 'created':
      return listed;
    case 'newest-first':
      return listed.toReversed();
    case 'name':
      return listed.toSorted((a, b) => (a.state.name < b.state.name ? -1 : 1));
    case 'shuffled':
      // Sorts by a digest of the id: no client can guess this order, and it is the same for each page of a sweep.
      return listed.toSorted((a, b) => (commitFrom(a.state.id) < commitFrom(b.state.id) ? -1 : 1));
  }
}

/** Makes the envelope of a page (4.3). */
export function pageBody(resources: readonly WireJson[], offset: number | undefined): WireObject {
  return { resources, ...defined({ offset }) };
}
