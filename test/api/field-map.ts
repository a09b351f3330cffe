/** A field of the service and its place in the custom resource. */
export interface MappedField {
  /** The path in sections 2.3 to 2.7 of the specification. */
  readonly wire: string;
  /** The path in the schema. `[]` stands for the items of a list. */
  readonly path: string;
  readonly type: string;
}

type Row = readonly [wire: string, name: string, type: string];

function under(wirePrefix: string, prefix: string, rows: readonly Row[]): MappedField[] {
  return rows.map(([wire, name, type]) => ({
    wire: `${wirePrefix}${wire}`,
    path: `${prefix}.${name}`,
    type,
  }));
}

const same = (type: string, ...names: readonly string[]): Row[] => names.map((name) => [name, name, type]);
const numbers = (text: string): Row[] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair): Row => {
      const [wire = '', name = ''] = pair.split('=');
      return [wire, name, 'number'];
    });

const RESOURCE_NUMBERS = numbers(`
  min_scale=minScale max_scale=maxScale cpu=cpu cpu_limit=cpuLimit memory_mb=memoryMB memory_limit_mb=memoryLimitMB
  queue_min_scale=queueMinScale queue_max_scale=queueMaxScale queue_cpu=queueCPU queue_cpu_limit=queueCPULimit
  queue_memory_mb=queueMemoryMB queue_memory_limit_mb=queueMemoryLimitMB
  orchestrator_cpu=orchestratorCPU orchestrator_cpu_limit=orchestratorCPULimit
  orchestrator_memory_mb=orchestratorMemoryMB orchestrator_memory_limit_mb=orchestratorMemoryLimitMB
  orchestrator_min_scale=orchestratorMinScale orchestrator_max_scale=orchestratorMaxScale
  executor_cpu=executorCPU executor_cpu_limit=executorCPULimit
  executor_memory_mb=executorMemoryMB executor_memory_limit_mb=executorMemoryLimitMB
  cache_cpu=cacheCPU cache_cpu_limit=cacheCPULimit cache_memory_mb=cacheMemoryMB cache_memory_limit_mb=cacheMemoryLimitMB
  db_cpu=dbCPU db_cpu_limit=dbCPULimit db_memory_mb=dbMemoryMB db_memory_limit_mb=dbMemoryLimitMB
  db_storage_gi=dbStorageGi db_max_connections=dbMaxConnections
`);

const MOUNT: readonly Row[] = [
  ...same('string', 'name', 'mountPath', 'subPath', 'mountPropagation', 'subPathExpr'),
  ['readOnly', 'readOnly', 'boolean'],
];
const VOLUME: readonly Row[] = [
  ['name', 'name', 'string'],
  ...same(
    'object',
    'configMap',
    'secret',
    'emptyDir',
    'persistentVolumeClaim',
    'nfs',
    'projected',
    'downwardAPI',
    'csi',
  ),
];
const CONTAINER: readonly Row[] = [
  ...same('string', 'name', 'image', 'imagePullPolicy', 'workingDir', 'restartPolicy'),
  ...same('array', 'command', 'args', 'env', 'envFrom', 'volumeMounts'),
  ...same('object', 'resources', 'securityContext'),
  ['command[]', 'command.[]', 'string'],
  ['args[]', 'args.[]', 'string'],
  ['env[].name', 'env.[].name', 'string'],
  ['env[].value', 'env.[].value', 'string'],
  ['env[].valueFrom', 'env.[].valueFrom', 'object'],
  ['envFrom[]', 'envFrom.[]', 'object'],
  ['resources.limits', 'resources.limits', 'object'],
  ['resources.requests', 'resources.requests', 'object'],
];

const RESOURCES = 'spec.sourceConfig.resourceSpec';

/** Every field of sections 2.3 to 2.7, with its path. */
export const FIELDS: readonly MappedField[] = [
  ...under('', 'spec', [
    ['name', 'deploymentRef.name', 'string'],
    ['id', 'deploymentRef.id', 'string'],
    ['source', 'source', 'string'],
    ['source_config', 'sourceConfig', 'object'],
    ['source_revision_config', 'sourceRevisionConfig', 'object'],
    ['secrets', 'secrets', 'array'],
    ['secret_references', 'secretReferences', 'array'],
    ['revision_source', 'revisionSource', 'string'],
    ['secrets[].name', 'secrets.[].name', 'string'],
    ['secrets[].value', 'secrets.[].value', 'string'],
    ['secret_references[].name', 'secretReferences.[].name', 'string'],
    ['secret_references[].secret_name', 'secretReferences.[].secretName', 'string'],
    ['secret_references[].secret_key', 'secretReferences.[].secretKey', 'string'],
  ]),
  ...under('', 'status', [
    ['name', 'name', 'string'],
    ['id', 'deploymentID', 'string'],
    ['source', 'source', 'string'],
    ['tenant_id', 'tenantID', 'string'],
    ['created_at', 'createdTime', 'string'],
    ['updated_at', 'updatedTime', 'string'],
    ['status', 'serviceStatus', 'string'],
    ['latest_revision_id', 'latestRevisionID', 'string'],
    ['active_revision_id', 'activeRevisionID', 'string'],
    ['image_version', 'imageVersion', 'string'],
  ]),
  ...under('source_config.', 'spec.sourceConfig', [
    ['integration_id', 'integrationID', 'string'],
    ['repo_url', 'repoURL', 'string'],
    ['build_on_push', 'buildOnPush', 'boolean'],
    ['custom_url', 'customURL', 'string'],
    ['resource_spec', 'resourceSpec', 'object'],
    ['listener_id', 'listenerID', 'string'],
    ['listener_config', 'listenerConfig', 'object'],
    ['listener_config.k8s_namespace', 'listenerConfig.k8sNamespace', 'string'],
    ['install_command', 'installCommand', 'string'],
    ['build_command', 'buildCommand', 'string'],
  ]),
  ...under('resource_spec.', RESOURCES, [
    ...RESOURCE_NUMBERS,
    ['labels', 'labels', 'object'],
    ['annotations', 'annotations', 'object'],
    ['service_account_name', 'serviceAccountName', 'string'],
    ['image_pull_secrets', 'imagePullSecrets', 'array'],
    ['image_pull_secrets[].name', 'imagePullSecrets.[].name', 'string'],
    ['volumes', 'volumes', 'array'],
    ['volume_mounts', 'volumeMounts', 'array'],
    ['init_containers', 'initContainers', 'array'],
    ['sidecars', 'sidecars', 'array'],
  ]),
  ...under('volumes[].', `${RESOURCES}.volumes.[]`, VOLUME),
  ...under('volume_mounts[].', `${RESOURCES}.volumeMounts.[]`, MOUNT),
  ...['init_containers', 'sidecars'].flatMap((wire) => {
    const path = `${RESOURCES}.${wire === 'sidecars' ? wire : 'initContainers'}.[]`;
    return [
      ...under(`${wire}[].`, path, CONTAINER),
      ...under(`${wire}[].volumeMounts[].`, `${path}.volumeMounts.[]`, MOUNT),
    ];
  }),
  ...under('source_revision_config.', 'spec.sourceRevisionConfig', [
    ['repo_ref', 'repoRef', 'string'],
    ['graph_config_path', 'graphConfigPath', 'string'],
    ['image_uri', 'imageURI', 'string'],
    ['source_tarball_path', 'sourceTarballPath', 'string'],
  ]),
  ...under('source_revision_config.', 'status.observed.sourceRevisionConfig', [
    ['repo_ref', 'repoRef', 'string'],
    ['graph_config_path', 'graphConfigPath', 'string'],
    ['image_uri', 'imageURI', 'string'],
    ['source_tarball_path', 'sourceTarballPath', 'string'],
    ['repo_commit_sha', 'repoCommitSHA', 'string'],
  ]),
];
