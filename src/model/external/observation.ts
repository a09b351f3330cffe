import type { ShownTenants } from './doubt.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { SecretValue } from '../../base/secret-value.ts';

/**
 * A `resource_spec`, as shown or as sent. `fields` contains the keys of section 2.5 under their names in the custom
 * resource; `unknown` contains every other key under its wire name, so that the operator sends it back as observed.
 */
export interface ResourceSpecView {
  readonly fields: JsonObject;
  readonly unknown: JsonObject;
}

/**
 * The shown `source_config` under custom-resource names; a missing key was not shown. Keys that the specification
 * does not name have their wire names.
 */
export interface SourceConfigView {
  readonly fields: JsonObject;
  readonly resourceSpec?: ResourceSpecView | null;
}

/** `source_revision_config` likewise, of the latest revision (2.3); `repoCommitSHA` is response only (2.6). */
export interface SourceRevisionConfigView {
  readonly fields: JsonObject;
  readonly repoCommitSHA?: string | null;
}

/** A secret as shown; `value` is absent if the service showed a name without a value or with null. */
export interface ObservedSecret {
  readonly name: string;
  readonly value?: SecretValue;
  /** True if the value was shown as null, which is a mask; a name alone says nothing about values (N37). */
  readonly isNull?: true;
}

/** A reference to an entry of a cluster secret (2.7), as shown or as sent. */
export interface SecretReference {
  readonly name: string;
  readonly secretName: string;
  readonly secretKey: string;
}

/**
 * A deployment as the service showed it. An absent property was not shown, which does not mean empty (the list sample
 * of 2.3 lacks fields that the resource requires).
 */
export interface ObservedDeployment {
  readonly id: string;
  readonly name: string;
  readonly source?: string;
  /** The source that the resource declares, if a look does not show one. */
  readonly declaredSource?: string;
  readonly tenantID?: string;
  readonly createdTime?: string;
  readonly updatedTime?: string;
  /** The status of section 3; unknown values stay unchanged. */
  readonly serviceStatus?: string;
  readonly latestRevisionID?: string | null;
  readonly activeRevisionID?: string | null;
  readonly imageVersion?: string | null;
  readonly sourceConfig?: SourceConfigView;
  readonly sourceRevisionConfig?: SourceRevisionConfigView;
  readonly secrets?: readonly ObservedSecret[];
  readonly secretReferences?: readonly SecretReference[] | null;
}

/** A look at the service for one deployment. Times are milliseconds of our own clock. */
export type Observation =
  | {
      readonly kind: 'present';
      readonly deployment: ObservedDeployment;
      /** The start of the request that showed it: reads are ordered by this time, never by `updated_at`. */
      readonly beganMs: number;
      /** The origin: a read of the list, or the answer to our own write. */
      readonly via: 'list' | 'answer';
      /** The list that the answer outranks; parts of it may still be newer, unless it shows the state before a write. */
      readonly outranked?: {
        readonly deployment: ObservedDeployment;
        readonly beganMs: number;
        readonly older?: true;
      };
      /**
       * Other versions of it in the same sweep, if pages overlapped while the deployment changed or a replica lagged.
       */
      readonly twins?: readonly ObservedDeployment[];
    }
  | {
      readonly kind: 'absent';
      /** True after two complete passes did not show it (offset paging over a moving list skips items). */
      readonly proven: boolean;
      /**
       * The start of the newest sweep without it; if the absence is proven, of the newer of the two sweeps that prove
       * it.
       */
      readonly beganMs: number;
      /** The start of the older of the two sweeps that prove the absence. Default: `beganMs`. */
      readonly sinceMs?: number;
      /** The time of the next read of the list for waiting resources. Default: in a second. */
      readonly nextLookMs?: number;
      /** The reason why the sweeps prove nothing, for people. */
      readonly why?: string;
      /** True if we created it, or a deployment of its name, and no list has shown it since. */
      readonly unlisted?: boolean;
      /** The tenants whose deployments the list shows, if the absence is proven. */
      readonly tenants?: ShownTenants;
    }
  | {
      /** The list contains it, but its item cannot be read (R7). */
      readonly kind: 'unreadable';
      /** Its id, or its name if the id cannot be read either. */
      readonly item: string;
      /** The field and its expected form, without a value. */
      readonly problem: string;
      readonly beganMs: number;
    }
  | {
      /** Several deployments carry the exact name. */
      readonly kind: 'ambiguous';
      readonly ids: readonly string[];
      readonly beganMs: number;
    };

/** The answer to a write: the shown deployment, or no usable evidence. */
export type WriteAnswer =
  | { readonly kind: 'shown'; readonly deployment: ObservedDeployment; readonly beganMs: number }
  | {
      readonly kind: 'unclear';
      readonly why: string;
      /** True if the service does not know the deployment to delete: it is gone, or hidden from this credential. */
      readonly notThere?: true;
      /** True for a web page: a login in front of the service may have sent it, and the service received nothing. */
      readonly isPage?: true;
    };

/** A JSON value shown for a field, or `undefined` when it was not shown. */
export type Shown = Json | undefined;

/** Returns the ids of the deployments that were seen, or the name of a deployment whose id cannot be read. */
export function idsIn(seen: Exclude<Observation, { readonly kind: 'absent' }>): readonly string[] {
  switch (seen.kind) {
    case 'present':
      return [seen.deployment.id];
    case 'unreadable':
      return [seen.item];
    case 'ambiguous':
      return seen.ids;
  }
}
