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
   * A header selects the tenant; for the caller, only the deployments of that tenant exist. The value is the tenant;
   * with `tenants`, it is a credential that belongs to a tenant, and other values are refused.
   */
  | {
      readonly kind: 'tenant-header';
      readonly name: string;
      readonly tenants?: Readonly<Record<string, string>>;
    }
  /** Every `everySeconds`, counted from the start of the service, the next value becomes the accepted one. */
  | {
      readonly kind: 'rotates';
      readonly name: string;
      readonly values: readonly string[];
      readonly everySeconds: number;
    };

/**
 * Reads the credential that a caller must show, for example `{"kind": "header", "name": "X-Api-Key", "value": "…"}`.
 */
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

/** The time until a revision is active, or the fact that it never is. */
export type Rollout =
  | { readonly kind: 'after'; readonly seconds: number }
  | { readonly kind: 'never-active' }
  | { readonly kind: 'fails' };

/** Reads the course of a rollout, for example `{"kind": "after", "seconds": 5}`. */
export const rolloutRule: Reader<Rollout> = byKind<Rollout>(
  {
    after: fields((field) => ({ kind: field('kind', kind('after')), seconds: field('seconds', count) })),
    'never-active': fields((field) => ({ kind: field('kind', kind('never-active')) })),
    fails: fields((field) => ({ kind: field('kind', kind('fails')) })),
  },
  { kind: 'fails' },
);

/** The lag of the list behind the writes, in seconds or in list requests. */
export type ListLag = { readonly seconds: number } | { readonly reads: number };

/** Reads the lag of the list, for example `{"reads": 3}`. */
export const listLag: Reader<ListLag> = (value, path, problems) =>
  isWireObject(value) && 'reads' in value
    ? fields((field) => ({ reads: field('reads', count) }))(value, path, problems)
    : fields((field) => ({ seconds: field('seconds', count) }))(value, path, problems);

/** A replica that lags by `seconds` answers every `every`th list request; 0: none. */
export interface StaleReplica {
  readonly every: number;
  readonly seconds: number;
}

/** Reads which list requests a lagging replica answers. */
export const staleReplica: Reader<StaleReplica> = fields((field) => ({
  every: field('every', count),
  seconds: field('seconds', count),
}));

/**
 * The limit for requests in a number of seconds. Above it the service answers with 429 and Retry-After. 0 requests: no
 * limit.
 */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** Reads how many requests the service accepts. */
export const rateLimit: Reader<RateLimit> = fields((field) => ({
  requests: field('requests', count),
  seconds: field('seconds', count),
}));
