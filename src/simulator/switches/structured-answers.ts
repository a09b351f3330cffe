import { defined } from '../../base/defined.ts';
import { isWireObject } from '../values/wire-values.ts';
import {
  byKind,
  count,
  fields,
  kind,
  listOf,
  mapOf,
  optional,
  type Reader,
  text,
  uuid,
} from '../values/reader.ts';

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
        ...defined({ tenants }),
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

/** The time until a revision is active, or that it never is. */
export type Rollout =
  | { readonly kind: 'after'; readonly seconds: number }
  | { readonly kind: 'never-active' }
  | { readonly kind: 'fails' };

/** Reads the course of a rollout, as in `{"kind": "after", "seconds": 5}`. */
export const rolloutRule: Reader<Rollout> = byKind<Rollout>(
  {
    after: fields((field) => ({ kind: field('kind', kind('after')), seconds: field('seconds', count) })),
    'never-active': fields((field) => ({ kind: field('kind', kind('never-active')) })),
    fails: fields((field) => ({ kind: field('kind', kind('fails')) })),
  },
  { kind: 'fails' },
);

/** The lag of the list behind the writes: by time, or by a number of list requests. */
export type ListLag = { readonly seconds: number } | { readonly reads: number };

/** Reads how far the list is behind, as in `{"reads": 3}`. */
export const listLag: Reader<ListLag> = (value, path, problems) =>
  isWireObject(value) && 'reads' in value
    ? fields((field) => ({ reads: field('reads', count) }))(value, path, problems)
    : fields((field) => ({ seconds: field('seconds', count) }))(value, path, problems);

/** Every so many list requests meet a replica that is so far behind; `every` 0: none does. */
export interface StaleReplica {
  readonly every: number;
  readonly seconds: number;
}

/** Reads which list requests meet a replica that is behind. */
export const staleReplica: Reader<StaleReplica> = fields((field) => ({
  every: field('every', count),
  seconds: field('seconds', count),
}));

/** More requests than this in so many seconds are answered with 429 and Retry-After; 0 requests: no limit. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** Reads how many requests the service takes. */
export const rateLimit: Reader<RateLimit> = fields((field) => ({
  requests: field('requests', count),
  seconds: field('seconds', count),
}));
