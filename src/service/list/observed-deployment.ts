import { defined } from '../../base/defined.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type {
  ObservedDeployment,
  ObservedSecret,
  ResourceSpecView,
  SecretReference,
  SourceConfigView,
  SourceRevisionConfigView,
} from '../../model/external/observation.ts';
import type { CreateBody, PatchBody } from '../../model/external/patch-body.ts';
import type { ObservedProvider, ObservedRepository } from '../../model/external/inventory.ts';
import type { SecretValue } from '../../base/secret-value.ts';
import type {
  WireCreateRequest,
  WireDeployment,
  WirePatchRequest,
  WireResourceSpec,
  WireSecretReference,
} from '../../wire/deployment.ts';
import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import type { WireRepository } from '../../wire/wire-repository.ts';
import type { WireProvider } from '../../wire/wire-provider.ts';

/**
 * Pairs of names on the wire and in the custom resource, for known paths only: keys of free-form objects, labels and
 * annotations belong to the user and are never converted.
 */
type NameTable = readonly (readonly [wire: string, resource: string])[];

const SOURCE_CONFIG: NameTable = [
  ['integration_id', 'integrationID'],
  ['repo_url', 'repoURL'],
  ['build_on_push', 'buildOnPush'],
  ['custom_url', 'customURL'],
  ['listener_id', 'listenerID'],
  ['listener_config', 'listenerConfig'],
  ['install_command', 'installCommand'],
  ['build_command', 'buildCommand'],
];

const LISTENER_CONFIG: NameTable = [['k8s_namespace', 'k8sNamespace']];

const RESOURCE_SPEC: NameTable = [
  ['min_scale', 'minScale'],
  ['max_scale', 'maxScale'],
  ['cpu', 'cpu'],
  ['cpu_limit', 'cpuLimit'],
  ['memory_mb', 'memoryMB'],
  ['memory_limit_mb', 'memoryLimitMB'],
  ['queue_min_scale', 'queueMinScale'],
  ['queue_max_scale', 'queueMaxScale'],
  ['queue_cpu', 'queueCPU'],
  ['queue_cpu_limit', 'queueCPULimit'],
  ['queue_memory_mb', 'queueMemoryMB'],
  ['queue_memory_limit_mb', 'queueMemoryLimitMB'],
  ['orchestrator_cpu', 'orchestratorCPU'],
  ['orchestrator_cpu_limit', 'orchestratorCPULimit'],
  ['orchestrator_memory_mb', 'orchestratorMemoryMB'],
  ['orchestrator_memory_limit_mb', 'orchestratorMemoryLimitMB'],
  ['orchestrator_min_scale', 'orchestratorMinScale'],
  ['orchestrator_max_scale', 'orchestratorMaxScale'],
  ['executor_cpu', 'executorCPU'],
  ['executor_cpu_limit', 'executorCPULimit'],
  ['executor_memory_mb', 'executorMemoryMB'],
  ['executor_memory_limit_mb', 'executorMemoryLimitMB'],
  ['cache_cpu', 'cacheCPU'],
  ['cache_cpu_limit', 'cacheCPULimit'],
  ['cache_memory_mb', 'cacheMemoryMB'],
  ['cache_memory_limit_mb', 'cacheMemoryLimitMB'],
  ['db_cpu', 'dbCPU'],
  ['db_cpu_limit', 'dbCPULimit'],
  ['db_memory_mb', 'dbMemoryMB'],
  ['db_memory_limit_mb', 'dbMemoryLimitMB'],
  ['db_storage_gi', 'dbStorageGi'],
  ['db_max_connections', 'dbMaxConnections'],
  ['labels', 'labels'],
  ['annotations', 'annotations'],
  ['service_account_name', 'serviceAccountName'],
  ['image_pull_secrets', 'imagePullSecrets'],
  ['volumes', 'volumes'],
  ['volume_mounts', 'volumeMounts'],
  ['init_containers', 'initContainers'],
  ['sidecars', 'sidecars'],
];

const SOURCE_REVISION_CONFIG: NameTable = [
  ['repo_ref', 'repoRef'],
  ['graph_config_path', 'graphConfigPath'],
  ['image_uri', 'imageURI'],
  ['source_tarball_path', 'sourceTarballPath'],
];

/** Converts a deployment of the service (2.3) to the model; fields that the service does not show are absent. */
export function observedDeployment(wire: WireDeployment<SecretValue>): ObservedDeployment {
  const { source_config, source_revision_config, secrets, secret_references } = wire;
  return {
    id: wire.id,
    name: wire.name,
    ...texts(wire),
    ...defined({
      latestRevisionID: wire.latest_revision_id,
      activeRevisionID: wire.active_revision_id,
      imageVersion: wire.image_version,
    }),
    ...(isObject(source_config) ? { sourceConfig: sourceConfigView(source_config) } : {}),
    ...(isObject(source_revision_config)
      ? { sourceRevisionConfig: revisionConfigView(source_revision_config) }
      : {}),
    ...(secrets === undefined || secrets === null
      ? {}
      : {
          secrets: secrets.map(({ name, value }) => secretShown(name, value)),
        }),
    ...(secret_references === undefined
      ? {}
      : { secretReferences: secret_references?.map(referenceShown) ?? null }),
  };
}

/** Converts a PATCH body (4.4) to the form on the wire. Only here do secret values become text. */
export function wirePatch(body: PatchBody): WirePatchRequest {
  const { revisionSource, sourceConfig, sourceRevisionConfig, secrets, secretReferences } = body;
  return {
    ...defined({
      revision_source: revisionSource,
      source_config: sourceConfig && wireSourceConfig(sourceConfig),
      source_revision_config:
        sourceRevisionConfig && renamed(sourceRevisionConfig, toWire(SOURCE_REVISION_CONFIG)),
      secrets: secrets?.map(({ name, value }) => ({ name, value: value.reveal() })),
      secret_references: secretReferences?.map(referenceSent),
    }),
  };
}

/** Makes a creation body (section 1). `extra` adds missing fields at any depth and replaces nothing. */
export function wireCreate(body: CreateBody): WireCreateRequest {
  return {
    ...filled({ ...wirePatch(body) } as WireObject, body.extra),
    name: body.name,
    source: body.source,
  };
}

function filled(declared: WireObject, extra: WireObject): WireObject {
  const both = Object.entries(extra).map(([key, value]): [string, WireJson] => {
    const own = Object.hasOwn(declared, key) ? declared[key] : undefined;
    if (own === undefined) return [key, value];
    return [key, isObject(own) && isObject(value) ? filled(own, value) : own];
  });
  return { ...declared, ...Object.fromEntries(both) };
}

/** Converts a repository (2.2) to the form that a creation uses. */
export function observedRepository(wire: WireRepository): ObservedRepository {
  const { host_integration_id: integrationID, owner, name, url, default_branch: defaultBranch } = wire;
  return { integrationID, owner, name, url, defaultBranch };
}

/** Converts a provider (2.1) to the fields that people see. */
export function observedProvider({ id, provider_id, name, provider_type }: WireProvider): ObservedProvider {
  const type = typeof provider_type === 'string' ? { type: provider_type } : {};
  return { id, providerID: provider_id, name, ...type };
}

function texts(wire: WireDeployment<SecretValue>): Partial<ObservedDeployment> {
  const { source, tenant_id, created_at, updated_at, status } = wire;
  return {
    ...(typeof source === 'string' ? { source } : {}),
    ...(typeof tenant_id === 'string' ? { tenantID: tenant_id } : {}),
    ...(typeof created_at === 'string' ? { createdTime: created_at } : {}),
    ...(typeof updated_at === 'string' ? { updatedTime: updated_at } : {}),
    ...(typeof status === 'string' ? { serviceStatus: status } : {}),
  };
}

function sourceConfigView(wire: WireObject): SourceConfigView {
  const fields = allFields(wire, SOURCE_CONFIG, ['resource_spec']);
  const listener = fields['listenerConfig'];
  const spec = wire['resource_spec'];
  return {
    fields: isObject(listener)
      ? { ...fields, listenerConfig: renamed(listener, toResource(LISTENER_CONFIG)) }
      : fields,
    ...(spec === undefined ? {} : { resourceSpec: isObject(spec) ? resourceSpecView(spec) : null }),
  };
}

function resourceSpecView(wire: WireObject): ResourceSpecView {
  const known = new Set(RESOURCE_SPEC.map(([name]) => name));
  const unknown = Object.fromEntries(Object.entries(wire).filter(([key]) => !known.has(key)));
  return { fields: knownFields(wire, RESOURCE_SPEC), unknown };
}

function revisionConfigView(wire: WireObject): SourceRevisionConfigView {
  const commit = wire['repo_commit_sha'];
  return {
    fields: allFields(wire, SOURCE_REVISION_CONFIG, ['repo_commit_sha']),
    ...(typeof commit === 'string' || commit === null ? { repoCommitSHA: commit } : {}),
  };
}

function wireSourceConfig({ fields, resourceSpec }: NonNullable<PatchBody['sourceConfig']>): WireObject {
  const wire = renamed(fields, toWire(SOURCE_CONFIG));
  const listener = wire['listener_config'];
  return {
    ...wire,
    ...(isObject(listener) ? { listener_config: renamed(listener, toWire(LISTENER_CONFIG)) } : {}),
    ...defined({ resource_spec: resourceSpec && wireResourceSpec(resourceSpec) }),
  };
}

function wireResourceSpec({ fields, unknown }: ResourceSpecView): WireResourceSpec {
  return { ...unknown, ...renamed(fields, toWire(RESOURCE_SPEC)) };
}

function secretShown(name: string, value: SecretValue | null | undefined): ObservedSecret {
  if (value === undefined) return { name };
  return value === null ? { name, isNull: true } : { name, value };
}

function referenceShown({ name, secret_name, secret_key }: WireSecretReference): SecretReference {
  return { name, secretName: secret_name, secretKey: secret_key };
}

function referenceSent({ name, secretName, secretKey }: SecretReference): WireSecretReference {
  return { name, secret_name: secretName, secret_key: secretKey };
}

/** Returns the fields of the table, under the names of the custom resource. */
function knownFields(wire: WireObject, table: NameTable): JsonObject {
  const shown = table.filter(([name]) => Object.hasOwn(wire, name));
  return Object.fromEntries(shown.map(([name, resource]) => [resource, wire[name] as Json]));
}

/**
 * Returns the fields of the table and, beside them, unknown fields under their wire names. Leaves out an unknown
 * field that has the name of a field of the custom resource, since the two cannot be distinguished.
 */
function allFields(wire: WireObject, table: NameTable, others: readonly string[]): JsonObject {
  const taken = new Set([...table.flat(), ...others]);
  const unnamed = Object.entries(wire).filter(([key]) => !taken.has(key));
  return { ...Object.fromEntries(unnamed), ...knownFields(wire, table) };
}

function renamed(object: JsonObject, names: ReadonlyMap<string, string>): WireObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [names.get(key) ?? key, value]));
}

function toWire(table: NameTable): ReadonlyMap<string, string> {
  return new Map(table.map(([wire, resource]) => [resource, wire]));
}

function toResource(table: NameTable): ReadonlyMap<string, string> {
  return new Map(table);
}

function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
