import type { ShownTenants } from './doubt.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { SecretValue } from '../../base/secret-value.ts';

/**
 * A `resource_spec` as shown or as sent. `fields` contains the keys of section 2.5 under their names in the custom
 * resource; `unknown` contains every other key under its wire name, so that the operator sends back what it observed.
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

/** A secret as shown; `value` is absent when the service showed a name without a value or with null. */
export interface ObservedSecret {
  readonly name: string;
  readonly value?: SecretValue;
  /** True where the value was shown as null: a mask, while a name alone says nothing about values (N37). */
  readonly isNull?: true;
}

/** A reference to an entry of a cluster secret (2.7), as shown or as sent. */
export interface SecretReference {
  readonly name: string;
  readonly secretName: string;
  readonly secretKey: string;
}

/**
 * A deployment as the service showed it. An absent property was not shown, which is not the same as empty
 * (the list sample of 2.3 lacks fields that the resource requires).
 */
export interface ObservedDeployment {
  readonly id: string;
  readonly name: string;
  readonly source?: string;
  /** The source that the resource declares, where a look does not show it. */
  readonly declaredSource?: string;
  readonly tenantID?: string;
  readonly createdTime?: string;
  readonly updatedTime?: string;
  /** Section 3; unknown values are kept as they are. */
  readonly serviceStatus?: string;
  readonly latestRevisionID?: string | null;
  readonly activeRevisionID?: string | null;
  readonly imageVersion?: string | null;
  readonly sourceConfig?: SourceConfigView;
  readonly sourceRevisionConfig?: SourceRevisionConfigView;
  readonly secrets?: readonly ObservedSecret[];
  readonly secretReferences?: readonly SecretReference[] | null;
}

/** A sighting of the service's deployments. Times are milliseconds of our own clock. */
export type Observation =
  | {
      readonly kind: 'present';
      readonly deployment: ObservedDeployment;
      /** The start of the request that showed it: reads are ordered by this time, never by `updated_at`. */
      readonly beganMs: number;
      /** A list pass, or the answer to our own write. */
      readonly via: 'list' | 'answer';
      /** The list that the answer outranks; parts of it may still be newer. */
      readonly outranked?: { readonly deployment: ObservedDeployment; readonly beganMs: number };
      /** Other versions in the same sweep, if pages overlapped while the deployment changed or lagged. */
      readonly twins?: readonly ObservedDeployment[];
    }
  | {
      readonly kind: 'absent';
      /** True after two complete passes did not show it (offset paging over a moving list skips items). */
      readonly proven: boolean;
      /** The start of the newest sweep without it; if that is proven, of the newer one of the two that prove it. */
      readonly beganMs: number;
      /** The start of the older one of the two sweeps that prove it. Default: `beganMs`. */
      readonly sinceMs?: number;
      /** The time at which the list is read again for waiting resources. Default: in a second. */
      readonly nextLookMs?: number;
      /** Why the sweeps prove nothing, for people. */
      readonly why?: string;
      /** We made it, or one of its name, and no list has shown it since. */
      readonly unlisted?: boolean;
      /** Whose deployments the list shows, where absence is proven. */
      readonly tenants?: ShownTenants;
    }
  | {
      /** The list has it, and its item cannot be read (R7). */
      readonly kind: 'unreadable';
      /** Its id, or where that cannot be read either its name. */
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

/** The answer to a write: the shown deployment, or nothing that counts as evidence. */
export type WriteAnswer =
  | { readonly kind: 'shown'; readonly deployment: ObservedDeployment; readonly beganMs: number }
  | {
      readonly kind: 'unclear';
      readonly why: string;
      /** The service does not know the deployment to delete: it is gone, or hidden from this credential. */
      readonly notThere?: true;
    };

/** A JSON value shown for a field, or `undefined` when it was not shown. */
export type Shown = Json | undefined;

/** Identifies the deployments that were seen: their ids, or the name of one whose id cannot be read. */
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
