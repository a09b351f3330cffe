import type { WireObject } from './wire-json.ts';

/** The five source kinds (2.3). Others are kept unchanged. */
export const WIRE_SOURCES = [
  'codehost',
  'external_container',
  'internal_container',
  'internal_source',
  'internal_template',
] as const;

/** The sources that `revision_source` of a PATCH can name (4.4). */
export const WIRE_REVISION_SOURCES = ['codehost', 'internal_container', 'internal_source'] as const;

/** Fields of `source_config` that contain a string (2.4). */
export const SOURCE_CONFIG_STRINGS = [
  'integration_id',
  'repo_url',
  'custom_url',
  'listener_id',
  'install_command',
  'build_command',
] as const;

/** Fields of `source_config` that contain true or false (2.4). */
export const SOURCE_CONFIG_FLAGS = ['build_on_push'] as const;

/**
 * Fields of `resource_spec` that contain a number (2.5): `_mb` in megabytes, `_gi` in gibibytes. The specification does
 * not show the unit of cpu.
 */
export const RESOURCE_SPEC_NUMBERS = [
  'min_scale',
  'max_scale',
  'cpu',
  'cpu_limit',
  'memory_mb',
  'memory_limit_mb',
  'queue_min_scale',
  'queue_max_scale',
  'queue_cpu',
  'queue_cpu_limit',
  'queue_memory_mb',
  'queue_memory_limit_mb',
  'orchestrator_cpu',
  'orchestrator_cpu_limit',
  'orchestrator_memory_mb',
  'orchestrator_memory_limit_mb',
  'orchestrator_min_scale',
  'orchestrator_max_scale',
  'executor_cpu',
  'executor_cpu_limit',
  'executor_memory_mb',
  'executor_memory_limit_mb',
  'cache_cpu',
  'cache_cpu_limit',
  'cache_memory_mb',
  'cache_memory_limit_mb',
  'db_cpu',
  'db_cpu_limit',
  'db_memory_mb',
  'db_memory_limit_mb',
  'db_storage_gi',
  'db_max_connections',
] as const;

/** Fields of `resource_spec` that contain free-form objects whose keys belong to the user (2.5). */
export const RESOURCE_SPEC_OBJECTS = ['labels', 'annotations'] as const;

/** Fields of `resource_spec` that contain lists of objects (2.5). The objects are camelCase on the wire. */
export const RESOURCE_SPEC_LISTS = [
  'image_pull_secrets',
  'volumes',
  'volume_mounts',
  'init_containers',
  'sidecars',
] as const;

/** Fields of `source_revision_config` that a request can contain (2.6). */
export const SOURCE_REVISION_CONFIG_STRINGS = [
  'repo_ref',
  'graph_config_path',
  'image_uri',
  'source_tarball_path',
] as const;

/** A value that may be absent (not shown, not sent) or an explicit null. */
type Optional<Keys extends string, Value> = { readonly [Key in Keys]?: Value | null };

/** `resource_spec` (2.5). Keys that the specification does not name are kept unchanged. */
export type WireResourceSpec = Optional<(typeof RESOURCE_SPEC_NUMBERS)[number], number> &
  Optional<(typeof RESOURCE_SPEC_OBJECTS)[number], WireObject> &
  Optional<(typeof RESOURCE_SPEC_LISTS)[number], readonly WireObject[]> &
  Optional<'service_account_name', string> &
  WireObject;

/** `source_config` (2.4): fields whose change needs no new revision, or that cannot change. */
export type WireSourceConfig = Optional<(typeof SOURCE_CONFIG_STRINGS)[number], string> &
  Optional<(typeof SOURCE_CONFIG_FLAGS)[number], boolean> & {
    /** `k8s_namespace` (string) and any other fields that the service stores there. */
    readonly listener_config?: WireObject | null;
    readonly resource_spec?: WireResourceSpec | null;
  };

/** `source_revision_config` (2.6) in a request: fields whose change needs a new revision. */
export type WireSourceRevisionConfigRequest = Optional<
  (typeof SOURCE_REVISION_CONFIG_STRINGS)[number],
  string
>;

/** `source_revision_config` (2.6) of the latest revision, in a response. */
export type WireSourceRevisionConfig = WireSourceRevisionConfigRequest & {
  readonly repo_commit_sha?: string | null;
};

/** A secret (2.7). `Value` is plain text in a request and an opaque type in a decoded response. */
export interface WireSecret<Value = string> {
  readonly name: string;
  /** Responses may mask, empty or omit it: the specification does not say. */
  readonly value?: Value | null;
}

/** A reference to an entry of a cluster secret (2.7), only for the external_container source. */
export interface WireSecretReference {
  readonly name: string;
  readonly secret_name: string;
  readonly secret_key: string;
}

/**
 * A deployment (2.3). The operator relies only on `id` and `name`: items of the sample list lack `source` and `status`,
 * and any other field may be absent (not shown) or null.
 */
export interface WireDeployment<Value = string> {
  readonly id: string;
  readonly name: string;
  readonly source?: string | null;
  readonly source_config?: WireSourceConfig | null;
  readonly source_revision_config?: WireSourceRevisionConfig | null;
  readonly secrets?: readonly WireSecret<Value>[] | null;
  readonly secret_references?: readonly WireSecretReference[] | null;
  readonly tenant_id?: string | null;
  readonly created_at?: string | null;
  readonly updated_at?: string | null;
  readonly status?: string | null;
  readonly latest_revision_id?: string | null;
  readonly active_revision_id?: string | null;
  readonly image_version?: string | null;
}

/** Body of PATCH /v2/deployments/{deployment_id} (4.4). Every field is optional. */
export interface WirePatchRequest {
  readonly revision_source?: string | null;
  readonly source_config?: WireSourceConfig | null;
  readonly source_revision_config?: WireSourceRevisionConfigRequest | null;
  readonly secrets?: readonly WireSecret[] | null;
  readonly secret_references?: readonly WireSecretReference[] | null;
}

/**
 * Body of POST /v2/deployments. The specification only says that the call exists (section 1). Other keys are kept
 * unchanged.
 */
export interface WireCreateRequest extends WirePatchRequest {
  readonly name: string;
  readonly source: string;
}
