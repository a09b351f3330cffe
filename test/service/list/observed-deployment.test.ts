import { describe, expect, it } from 'vitest';
import type { CreateBody } from '../../../src/model/external/patch-body.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import {
  observedDeployment,
  observedProvider,
  wireCreate,
  wirePatch,
} from '../../../src/service/list/observed-deployment.ts';
import type { WireDeployment } from '../../../src/wire/deployment.ts';
import { FIELDS } from '../../api/field-map.ts';

const ID = '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f';
const LEAST: WireDeployment<SecretValue> = { id: ID, name: 'agent' };

/** Keys of the user that a converter might want to change. */
const FREE_FORM = {
  my_label: 'a',
  'app.kubernetes.io/part-of': 'b',
  minScale: 'c',
  cpu_limit: 'd',
  repoURL: 'e',
};

const CONTAINER = {
  name: 'proxy',
  image: 'registry.example.com/proxy:1',
  imagePullPolicy: 'Always',
  workingDir: '/',
  restartPolicy: 'Always',
  command: ['a_b', 'cD'],
  args: ['--min_scale'],
  env: [{ name: 'my_var', value: 'x', valueFrom: { secretKeyRef: { key_name: 'k' } } }],
  envFrom: [{ configMapRef: { name: 'snake_case' } }],
  resources: { limits: { memory_mb: '1' }, requests: { cpu: '2' } },
  volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 's', readOnly: true }],
  securityContext: { run_as: 1 },
};

const VOLUME = { name: 'v', configMap: { name: 'c', default_mode: 1 }, downwardAPI: {}, emptyDir: {} };

/** A value for each field of `resource_spec`, by its name on the wire. */
const LISTS_AND_OBJECTS: Readonly<Record<string, unknown>> = {
  labels: FREE_FORM,
  annotations: FREE_FORM,
  service_account_name: 'runner',
  image_pull_secrets: [{ name: 'pull' }],
  volumes: [VOLUME],
  volume_mounts: [{ name: 'v', mountPath: '/v', mountPropagation: 'None', subPathExpr: '$(A)' }],
  init_containers: [CONTAINER],
  sidecars: [CONTAINER],
};

interface Pair {
  readonly wire: string;
  readonly model: string;
  readonly value: unknown;
}

/** Returns the fields directly inside one block, from the table that a test compares with the CRD. */
function fieldsOf(wirePrefix: string, path: string): readonly Pair[] {
  return FIELDS.filter((field) => field.wire.startsWith(wirePrefix) && field.path.startsWith(`${path}.`))
    .filter((field) => /^[^.[]+$/.test(field.wire.slice(wirePrefix.length)))
    .map((field, n) => {
      const wire = field.wire.slice(wirePrefix.length);
      const plain = field.type === 'number' ? n + 0.25 : field.type === 'boolean' ? true : `${wire}-text`;
      return { wire, model: field.path.slice(path.length + 1), value: LISTS_AND_OBJECTS[wire] ?? plain };
    });
}

const SOURCE_CONFIG = fieldsOf('source_config.', 'spec.sourceConfig').filter(
  ({ wire }) => wire !== 'resource_spec' && wire !== 'listener_config',
);
const RESOURCE_SPEC = fieldsOf('resource_spec.', 'spec.sourceConfig.resourceSpec');
const REVISION_CONFIG = fieldsOf('source_revision_config.', 'spec.sourceRevisionConfig');

const asWire = (pairs: readonly Pair[]) => Object.fromEntries(pairs.map(({ wire, value }) => [wire, value]));
const asModel = (pairs: readonly Pair[]) =>
  Object.fromEntries(pairs.map(({ model, value }) => [model, value]));

describe('fields of 2.4 to 2.6', () => {
  it('are all present', () => {
    expect(SOURCE_CONFIG).toHaveLength(7);
    expect(RESOURCE_SPEC).toHaveLength(40);
    expect(REVISION_CONFIG).toHaveLength(4);
  });

  it.each(SOURCE_CONFIG)('source_config.$wire is $model, both ways', ({ wire, model, value }) => {
    const shown = observedDeployment({ ...LEAST, source_config: { [wire]: value } });
    expect(shown.sourceConfig).toEqual({ fields: { [model]: value } });
    expect(wirePatch({ sourceConfig: { fields: { [model]: value } } } as never)).toEqual({
      source_config: { [wire]: value },
    });
  });

  it.each(RESOURCE_SPEC)('resource_spec.$wire is $model, both ways', ({ wire, model, value }) => {
    const shown = observedDeployment({
      ...LEAST,
      source_config: { resource_spec: { [wire]: value } as never },
    });
    expect(shown.sourceConfig?.resourceSpec).toEqual({ fields: { [model]: value }, unknown: {} });
    const resourceSpec = { fields: { [model]: value }, unknown: {} };
    expect(wirePatch({ sourceConfig: { fields: {}, resourceSpec } } as never)).toEqual({
      source_config: { resource_spec: { [wire]: value } },
    });
  });

  it.each(REVISION_CONFIG)('source_revision_config.$wire is $model, both ways', ({ wire, model, value }) => {
    const shown = observedDeployment({ ...LEAST, source_revision_config: { [wire]: value } });
    expect(shown.sourceRevisionConfig).toEqual({ fields: { [model]: value } });
    expect(wirePatch({ sourceRevisionConfig: { [model]: value } } as never)).toEqual({
      source_revision_config: { [wire]: value },
    });
  });

  it('keep every byte of user data', () => {
    const wire = asWire(RESOURCE_SPEC);
    const shown = observedDeployment({ ...LEAST, source_config: { resource_spec: wire as never } });
    const resourceSpec = shown.sourceConfig?.resourceSpec;
    if (resourceSpec === undefined || resourceSpec === null) throw new Error('nothing was shown');
    expect(resourceSpec.fields).toEqual(asModel(RESOURCE_SPEC));
    const sent = wirePatch({ sourceConfig: { fields: {}, resourceSpec } });
    const free = sent.source_config?.resource_spec;
    for (const key of Object.keys(LISTS_AND_OBJECTS)) {
      expect(JSON.stringify(free?.[key]), key).toBe(JSON.stringify(wire[key]));
    }
  });
});

describe('an observed deployment', () => {
  it('has what 2.3 lists under the names of the status', () => {
    expect(
      observedDeployment({
        ...LEAST,
        source: 'codehost',
        tenant_id: 't',
        created_at: 'c',
        updated_at: 'u',
        status: 'READY',
        latest_revision_id: 'r2',
        active_revision_id: null,
        image_version: '1.2',
      }),
    ).toEqual({
      id: ID,
      name: 'agent',
      source: 'codehost',
      tenantID: 't',
      createdTime: 'c',
      updatedTime: 'u',
      serviceStatus: 'READY',
      latestRevisionID: 'r2',
      activeRevisionID: null,
      imageVersion: '1.2',
    });
  });

  it('lacks what was not shown, so that absence is not taken as empty', () => {
    expect(observedDeployment(LEAST)).toEqual(LEAST);
    expect(observedDeployment({ ...LEAST, source_config: {}, secrets: [], secret_references: [] })).toEqual({
      ...LEAST,
      sourceConfig: { fields: {} },
      secrets: [],
      secretReferences: [],
    });
  });

  it('keeps nulls, which are shown as empty', () => {
    const shown = observedDeployment({
      ...LEAST,
      source_config: { custom_url: null, resource_spec: { cpu: null, sidecars: null } },
      source_revision_config: { repo_ref: null, repo_commit_sha: null },
      secret_references: null,
    });
    expect(shown.sourceConfig?.fields).toEqual({ customURL: null });
    expect(shown.sourceConfig?.resourceSpec).toEqual({ fields: { cpu: null, sidecars: null }, unknown: {} });
    expect(shown.sourceRevisionConfig).toEqual({ fields: { repoRef: null }, repoCommitSHA: null });
    expect(shown.secretReferences).toBeNull();
    expect(observedDeployment({ ...LEAST, source_config: { resource_spec: null } }).sourceConfig).toEqual({
      fields: {},
      resourceSpec: null,
    });
  });

  it('keeps unknown keys of resource_spec separate, under their names on the wire', () => {
    const shown = observedDeployment({
      ...LEAST,
      source_config: { resource_spec: { cpu: 1, gpu_count: 2, minScale: 3 } },
    });
    expect(shown.sourceConfig?.resourceSpec).toEqual({
      fields: { cpu: 1 },
      unknown: { gpu_count: 2, minScale: 3 },
    });
  });

  it('keeps the commit apart from the fields that can be sent (2.6)', () => {
    const shown = observedDeployment({
      ...LEAST,
      source_revision_config: { repo_ref: 'main', repo_commit_sha: 'abc' },
    });
    expect(shown.sourceRevisionConfig).toEqual({ fields: { repoRef: 'main' }, repoCommitSHA: 'abc' });
  });

  it('has secrets with a value, and secrets of which only the name was shown', () => {
    const value = new SecretValue('alpha');
    const shown = observedDeployment({
      ...LEAST,
      secrets: [{ name: 'A', value }, { name: 'B', value: null }, { name: 'C' }],
    });
    expect(shown.secrets).toEqual([{ name: 'A', value }, { name: 'B', isNull: true }, { name: 'C' }]);
    expect(JSON.stringify(shown)).not.toContain('alpha');
  });

  it('has a converted listener_config, and keeps the other keys of the service in it', () => {
    const shown = observedDeployment({
      ...LEAST,
      source_config: { listener_config: { k8s_namespace: 'n', other_key: { x_y: 1 } } },
    });
    const listenerConfig = { k8sNamespace: 'n', other_key: { x_y: 1 } };
    expect(shown.sourceConfig?.fields).toEqual({ listenerConfig });
    expect(wirePatch({ sourceConfig: { fields: { listenerConfig } } })).toEqual({
      source_config: { listener_config: { k8s_namespace: 'n', other_key: { x_y: 1 } } },
    });
  });
});

describe('a PATCH body', () => {
  it('carries only the given fields', () => {
    expect(wirePatch({})).toEqual({});
    expect(wirePatch({ sourceConfig: { fields: {} } })).toEqual({ source_config: {} });
    expect(wirePatch({ secrets: [], secretReferences: [] })).toEqual({ secrets: [], secret_references: [] });
  });

  it('carries explicit nulls, flags, directives, secrets and references', () => {
    expect(
      wirePatch({
        revisionSource: 'internal_container',
        sourceConfig: { fields: { customURL: null, buildOnPush: false } },
        secrets: [{ name: 'API_TOKEN', value: new SecretValue('alpha') }],
        secretReferences: [{ name: 'URI', secretName: 'db', secretKey: 'uri' }],
      }),
    ).toEqual({
      revision_source: 'internal_container',
      source_config: { custom_url: null, build_on_push: false },
      secrets: [{ name: 'API_TOKEN', value: 'alpha' }],
      secret_references: [{ name: 'URI', secret_name: 'db', secret_key: 'uri' }],
    });
  });

  it('sends unknown keys of resource_spec back beside the known ones', () => {
    const resourceSpec = { fields: { minScale: 1 }, unknown: { minScale: 'theirs', gpu_count: 2 } };
    expect(wirePatch({ sourceConfig: { fields: {}, resourceSpec } })).toEqual({
      source_config: { resource_spec: { minScale: 'theirs', gpu_count: 2, min_scale: 1 } },
    });
  });
});

describe('a creation body', () => {
  const body: CreateBody = {
    name: 'agent',
    source: 'codehost',
    sourceConfig: { fields: { repoURL: 'https://codehost.example.com/a' } },
    sourceRevisionConfig: { repoRef: 'main' },
    secrets: [],
    extra: {},
  };

  it('carries name and source beside the blocks', () => {
    expect(wireCreate(body)).toEqual({
      name: 'agent',
      source: 'codehost',
      source_config: { repo_url: 'https://codehost.example.com/a' },
      source_revision_config: { repo_ref: 'main' },
      secrets: [],
    });
  });

  it('takes additions unchanged, at any depth, and lets them replace nothing', () => {
    const extra = {
      name: 'other',
      secrets: [{ name: 'X', value: 'y' }],
      deployment_type: 'prod',
      source_config: { repo_url: 'https://elsewhere.example.com', region: 'eu' },
    };
    expect(wireCreate({ ...body, extra })).toEqual({
      name: 'agent',
      source: 'codehost',
      deployment_type: 'prod',
      source_config: { repo_url: 'https://codehost.example.com/a', region: 'eu' },
      source_revision_config: { repo_ref: 'main' },
      secrets: [],
    });
  });
});

describe('a provider', () => {
  const wire = {
    id: 'p1',
    organization_id: 'o',
    provider_id: 'github-prod',
    name: 'GitHub',
    client_id: 'client',
    auth_url: 'https://a.example.com',
    token_url: 'https://t.example.com',
    uses_pkce: false,
    code_challenge_method: null,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  };

  it('is shown without client id and addresses', () => {
    expect(observedProvider(wire)).toEqual({ id: 'p1', providerID: 'github-prod', name: 'GitHub' });
    expect(observedProvider({ ...wire, provider_type: 'github' })).toHaveProperty('type', 'github');
    expect(observedProvider({ ...wire, provider_type: null })).not.toHaveProperty('type');
  });
});
