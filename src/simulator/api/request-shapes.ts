import {
  RESOURCE_SPEC_NUMBERS,
  SOURCE_REVISION_CONFIG_STRINGS,
  WIRE_REVISION_SOURCES,
  WIRE_SOURCES,
} from '../../wire/deployment.ts';

/** The shape that a value of a request must have. */
export type RequestShape =
  | { readonly kind: 'string' | 'number' | 'boolean' | 'uuid' | 'free-form' }
  | { readonly kind: 'one-of'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly of: RequestShape }
  | {
      readonly kind: 'object';
      readonly fields: Readonly<Record<string, RequestShape>>;
      readonly required?: readonly string[];
      /** True if the field may be an explicit null. */
      readonly nullable?: boolean;
      /** True if keys that are not listed are accepted unchanged. */
      readonly open?: boolean;
    };

const STRING: RequestShape = { kind: 'string' };
const NUMBER: RequestShape = { kind: 'number' };
const BOOLEAN: RequestShape = { kind: 'boolean' };
const UUID: RequestShape = { kind: 'uuid' };
const FREE_FORM: RequestShape = { kind: 'free-form' };

function each(keys: readonly string[], shape: RequestShape): Record<string, RequestShape> {
  return Object.fromEntries(keys.map((key) => [key, shape]));
}

function list(of: RequestShape): RequestShape {
  return { kind: 'list', of };
}

/** A volume (2.5). */
const VOLUME: RequestShape = {
  kind: 'object',
  fields: {
    name: STRING,
    ...each(
      ['configMap', 'secret', 'emptyDir', 'persistentVolumeClaim', 'nfs', 'projected', 'downwardAPI', 'csi'],
      FREE_FORM,
    ),
  },
};

/** A volume mount (2.5). */
const VOLUME_MOUNT: RequestShape = {
  kind: 'object',
  fields: {
    ...each(['name', 'mountPath', 'subPath', 'mountPropagation', 'subPathExpr'], STRING),
    readOnly: BOOLEAN,
  },
};

/** A container (2.5). */
const CONTAINER: RequestShape = {
  kind: 'object',
  fields: {
    ...each(['name', 'image', 'imagePullPolicy', 'workingDir', 'restartPolicy'], STRING),
    ...each(['command', 'args'], list(STRING)),
    env: list({ kind: 'object', fields: { name: STRING, value: STRING, valueFrom: FREE_FORM } }),
    envFrom: list(FREE_FORM),
    resources: { kind: 'object', fields: { limits: FREE_FORM, requests: FREE_FORM } },
    volumeMounts: list(VOLUME_MOUNT),
    securityContext: FREE_FORM,
  },
};

/** The block resource_spec (2.5). */
const RESOURCE_SPEC: RequestShape = {
  kind: 'object',
  nullable: true,
  fields: {
    ...each(RESOURCE_SPEC_NUMBERS, NUMBER),
    ...each(['labels', 'annotations'], FREE_FORM),
    service_account_name: STRING,
    image_pull_secrets: list({ kind: 'object', fields: { name: STRING } }),
    volumes: list(VOLUME),
    volume_mounts: list(VOLUME_MOUNT),
    ...each(['init_containers', 'sidecars'], list(CONTAINER)),
  },
};

/** The five fields of a PATCH body (4.4). */
const PATCH_FIELDS: Readonly<Record<string, RequestShape>> = {
  revision_source: { kind: 'one-of', values: WIRE_REVISION_SOURCES },
  source_config: {
    kind: 'object',
    nullable: true,
    fields: {
      ...each(['integration_id', 'listener_id'], UUID),
      ...each(['repo_url', 'custom_url', 'install_command', 'build_command'], STRING),
      build_on_push: BOOLEAN,
      resource_spec: RESOURCE_SPEC,
      listener_config: { kind: 'object', nullable: true, fields: { k8s_namespace: STRING } },
    },
  },
  source_revision_config: {
    kind: 'object',
    nullable: true,
    fields: each(SOURCE_REVISION_CONFIG_STRINGS, STRING),
  },
  secrets: list({ kind: 'object', fields: each(['name', 'value'], STRING), required: ['name', 'value'] }),
  secret_references: list({
    kind: 'object',
    fields: each(['name', 'secret_name', 'secret_key'], STRING),
    required: ['name', 'secret_name', 'secret_key'],
  }),
};

/** Fields of a PATCH body that may be null as a whole (4.4); the two config objects may not. */
export const NULLABLE_BLOCKS: readonly string[] = ['revision_source', 'secrets', 'secret_references'];

/** The body of PATCH /v2/deployments/{deployment_id} (4.4). */
export const PATCH_SHAPE: RequestShape = { kind: 'object', fields: PATCH_FIELDS };

/**
 * The body of POST /v2/deployments (section 1): only its existence is known, so additional keys are accepted unchanged.
 */
export const CREATE_SHAPE: RequestShape = {
  kind: 'object',
  open: true,
  required: ['name', 'source'],
  fields: { ...PATCH_FIELDS, name: STRING, source: { kind: 'one-of', values: WIRE_SOURCES } },
};

/** Fields of responses that a PATCH may not contain (2.3, 2.6). */
export const RESPONSE_ONLY: readonly string[] = [
  'name',
  'source',
  'id',
  'tenant_id',
  'created_at',
  'updated_at',
  'status',
  'latest_revision_id',
  'active_revision_id',
  'image_version',
];
