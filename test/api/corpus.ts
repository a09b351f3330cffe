import { API_VERSION } from '../../src/api/metadata.ts';

/** A manifest and what must become of it, offline and at the API server alike. */
export interface Sample {
  readonly name: string;
  readonly document: Manifest;
  /** Path of the error; absent: the manifest is accepted. */
  readonly wrongAt?: string;
}

/** A manifest that replaces another one; `status` is what the controller had written to the older one. */
export interface Change {
  readonly name: string;
  readonly before: Manifest;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly after: Manifest;
  readonly wrongAt?: string;
}

/** A manifest as it was written. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: 'Deployment' | 'Connection' | 'ClusterConnection';
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name?: string };
  readonly spec?: unknown;
  readonly [key: string]: unknown;
}

export const ID = '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f';
const OTHER_ID = '7C1F3F0E-52B8-4F4E-9A64-0D8A4F8B1C22';

/** A Deployment; `spec` is laid over the least one. */
export function deployment(spec: Readonly<Record<string, unknown>>, more: object = {}): Manifest {
  return {
    apiVersion: API_VERSION,
    kind: 'Deployment',
    metadata: { name: 'sample' },
    spec: { source: 'codehost', ...spec },
    ...more,
  };
}

/** A Connection; `spec` is laid over the least one. */
export function connection(spec: Readonly<Record<string, unknown>>): Manifest {
  return {
    apiVersion: API_VERSION,
    kind: 'Connection',
    metadata: { name: 'sample' },
    spec: { baseURL: 'https://deploy.example.com/api', ...spec },
  };
}

/** A ClusterConnection; `spec` is laid over the least one. */
export function clusterConnection(spec: Readonly<Record<string, unknown>>): Manifest {
  return { ...connection(spec), kind: 'ClusterConnection' };
}

const resources = (resourceSpec: object): Manifest =>
  deployment({ source: 'external_container', sourceConfig: { resourceSpec } });
const fromSecret = { secretKeyRef: { name: 'a', key: 'b' } };
const fromConfigMap = { configMapKeyRef: { name: 'a', key: 'b' } };

export const SAMPLES: readonly Sample[] = [
  // What is right.
  { name: 'only a source', document: deployment({}) },
  { name: 'an empty reference', document: deployment({ deploymentRef: {} }) },
  { name: 'an id in upper case', document: deployment({ deploymentRef: { id: OTHER_ID } }) },
  {
    name: 'creation of a named deployment',
    document: deployment({ deploymentRef: { name: 'x' }, creation: { policy: 'IfMissing' } }),
  },
  { name: 'empty lists', document: deployment({ secrets: [], clear: [], requiredOAuthProviders: [] }) },
  {
    name: 'what kustomize adds',
    document: deployment({ selector: { matchLabels: { a: 'b' } }, template: { metadata: {} }, replicas: 3 }),
  },
  {
    name: 'free-form objects',
    document: resources({ volumes: [{ name: 'v', csi: { any: { thing: [1, null, 'x'] } } }] }),
  },
  {
    name: 'free-form environment sources',
    document: resources({
      sidecars: [{ name: 's', envFrom: [{ any: 1 }], env: [{ name: 'A', valueFrom: { any: 1 } }] }],
    }),
  },
  { name: 'fractions of processors', document: resources({ cpu: 0.25, minScale: 0, dbStorageGi: -1 }) },
  {
    name: 'secrets from everywhere',
    document: deployment({
      secrets: [
        { name: 'A', value: '' },
        { name: 'B', valueFrom: fromSecret },
        { name: 'C', valueFrom: fromConfigMap },
      ],
    }),
  },
  { name: 'http on a loopback name', document: connection({ baseURL: 'http://localhost:7070/api' }) },
  { name: 'http on a loopback address', document: connection({ baseURL: 'http://127.0.0.1:7070' }) },
  {
    name: 'http on a loopback address of version 6',
    document: connection({ baseURL: 'http://[::1]:7070/' }),
  },
  {
    name: 'http where it is allowed',
    document: connection({ baseURL: 'http://deploy.internal', allowHTTP: true }),
  },
  {
    name: 'the smallest numbers',
    document: connection({
      requestTimeoutSeconds: 1,
      poll: { intervalSeconds: 1, rolloutSeconds: 1 },
      list: { pageSize: 1 },
    }),
  },
  {
    name: 'a selector for every namespace',
    document: clusterConnection({ namespaceSelector: {}, allowedNames: ['{namespace}-*'] }),
  },
  {
    name: 'a selector with expressions',
    document: clusterConnection({
      namespaceSelector: {
        matchExpressions: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'In', values: ['c'] },
        ],
      },
    }),
  },
  { name: 'a generated name', document: deployment({}, { metadata: { generateName: 'sample-' } }) },
  {
    name: 'a clearing without a value',
    document: deployment({
      clear: ['sourceConfig.resourceSpec.cpu'],
      sourceConfig: { resourceSpec: { cpuLimit: 1 } },
    }),
  },

  // Null is no field at all, but not in lists.
  { name: 'null as string', document: deployment({ sourceConfig: { customURL: null } }) },
  {
    name: 'null as object',
    document: deployment({ sourceConfig: null, deploymentRef: { id: null, name: 'x' } }),
  },
  {
    name: 'null beside its clearing',
    document: deployment({ clear: ['sourceConfig.customURL'], sourceConfig: { customURL: null } }),
  },
  {
    name: 'null where there may be no field',
    document: deployment({ secretReferences: null, replicas: null }),
  },
  {
    name: 'null as label of metadata',
    document: deployment({}, { metadata: { name: 'sample', labels: { team: null } } }),
  },
  { name: 'null as spec', document: { ...deployment({}), spec: null }, wrongAt: 'spec' },
  { name: 'null as source', document: { ...deployment({}), spec: { source: null } }, wrongAt: 'spec.source' },
  {
    name: 'null as value of a secret',
    document: deployment({ secrets: [{ name: 'A', value: null }] }),
    wrongAt: 'spec.secrets[0]',
  },
  {
    name: 'null as argument',
    document: resources({ sidecars: [{ name: 's', args: [null] }] }),
    wrongAt: 'spec.sourceConfig.resourceSpec.sidecars[0].args[0]',
  },
  { name: 'null under an unknown name', document: deployment({ foo: null }), wrongAt: 'spec.foo' },

  // Types and required fields.
  {
    name: 'no spec',
    document: { apiVersion: API_VERSION, kind: 'Deployment', metadata: { name: 'sample' } },
    wrongAt: 'spec',
  },
  { name: 'no source', document: { ...deployment({}), spec: {} }, wrongAt: 'spec.source' },
  {
    name: 'a source that does not exist',
    document: deployment({ source: 'external-container' }),
    wrongAt: 'spec.source',
  },
  {
    name: 'a number in quotes',
    document: resources({ cpu: '1' }),
    wrongAt: 'spec.sourceConfig.resourceSpec.cpu',
  },
  {
    name: 'a boolean in quotes',
    document: deployment({ sourceConfig: { buildOnPush: 'true' } }),
    wrongAt: 'spec.sourceConfig.buildOnPush',
  },
  {
    name: 'a number as secret',
    document: deployment({ secrets: [{ name: 'A', value: 12345 }] }),
    wrongAt: 'spec.secrets[0].value',
  },
  {
    name: 'a number as label',
    document: resources({ labels: { 'a/b': 1 } }),
    wrongAt: 'spec.sourceConfig.resourceSpec.labels["a/b"]',
  },
  {
    name: 'a string as free-form object',
    document: resources({ volumes: [{ name: 'v', emptyDir: 'x' }] }),
    wrongAt: 'spec.sourceConfig.resourceSpec.volumes[0].emptyDir',
  },
  {
    name: 'a fraction of a second',
    document: connection({ requestTimeoutSeconds: 1.5 }),
    wrongAt: 'spec.requestTimeoutSeconds',
  },
  {
    name: 'a list entry without its key',
    document: resources({ volumeMounts: [{ name: 'v' }] }),
    wrongAt: 'spec.sourceConfig.resourceSpec.volumeMounts[0].mountPath',
  },
  { name: 'no base address', document: { ...connection({}), spec: {} }, wrongAt: 'spec.baseURL' },

  // Unknown fields.
  { name: 'an unknown field at the top', document: deployment({}, { specs: {} }), wrongAt: 'specs' },
  {
    name: 'an unknown field of metadata',
    document: deployment({}, { metadata: { name: 'sample', anotations: {} } }),
    wrongAt: 'metadata.anotations',
  },
  {
    name: 'a field in the case of the service',
    document: deployment({ sourceConfig: { repo_url: 'x' } }),
    wrongAt: 'spec.sourceConfig.repo_url',
  },
  {
    name: 'a field that only answers carry',
    document: deployment({ sourceRevisionConfig: { repoCommitSHA: 'x' } }),
    wrongAt: 'spec.sourceRevisionConfig.repoCommitSHA',
  },
  {
    name: 'a selector of namespaces on a Connection',
    document: connection({ namespaceSelector: {} }),
    wrongAt: 'spec.namespaceSelector',
  },

  // Forms and limits.
  {
    name: 'an id that is no UUID',
    document: deployment({ deploymentRef: { id: 'support-agent' } }),
    wrongAt: 'spec.deploymentRef.id',
  },
  {
    name: 'a UUID without hyphens',
    document: deployment({ sourceConfig: { integrationID: ID.replaceAll('-', '') } }),
    wrongAt: 'spec.sourceConfig.integrationID',
  },
  {
    name: 'a UUID in a longer text',
    document: deployment({ sourceConfig: { listenerID: `${ID}\n` } }),
    wrongAt: 'spec.sourceConfig.listenerID',
  },
  {
    name: 'an empty name',
    document: deployment({ deploymentRef: { name: '' } }),
    wrongAt: 'spec.deploymentRef.name',
  },
  {
    name: 'a long name',
    document: deployment({ deploymentRef: { name: 'é'.repeat(254) } }),
    wrongAt: 'spec.deploymentRef.name',
  },
  {
    name: 'a long name within the limit',
    document: deployment({ deploymentRef: { name: '😀'.repeat(253) } }),
  },
  {
    name: 'a short deadline',
    document: deployment({ rollout: { deadlineSeconds: 9 } }),
    wrongAt: 'spec.rollout.deadlineSeconds',
  },
  { name: 'a large page', document: connection({ list: { pageSize: 101 } }), wrongAt: 'spec.list.pageSize' },
  {
    name: 'no seconds between passes',
    document: connection({ poll: { intervalSeconds: 0 } }),
    wrongAt: 'spec.poll.intervalSeconds',
  },
  {
    name: 'an address with a query',
    document: connection({ baseURL: 'https://deploy.example.com/?a=b' }),
    wrongAt: 'spec.baseURL',
  },
  {
    name: 'an address with user info',
    document: connection({ baseURL: 'https://user:word@deploy.example.com/' }),
    wrongAt: 'spec.baseURL',
  },
  {
    name: 'a header name with a space',
    document: connection({ headers: [{ name: 'X Key', value: 'a' }] }),
    wrongAt: 'spec.headers[0].name',
  },
  {
    name: 'a header value on two lines',
    document: connection({ headers: [{ name: 'X-Key', value: 'a\nb' }] }),
    wrongAt: 'spec.headers[0].value',
  },
  {
    name: 'too many secrets',
    document: deployment({
      secrets: Array.from({ length: 257 }, (_, index) => ({ name: `A${index}`, value: 'x' })),
    }),
    wrongAt: 'spec.secrets',
  },
  {
    name: 'a path that cannot be cleared',
    document: deployment({ clear: ['sourceConfig'] }),
    wrongAt: 'spec.clear[0]',
  },
  {
    name: 'a name in upper case',
    document: deployment({}, { metadata: { name: 'Sample' } }),
    wrongAt: 'metadata.name',
  },
  { name: 'a name of 253 characters', document: deployment({}, { metadata: { name: 'a'.repeat(253) } }) },
  {
    name: 'a name of 254 characters',
    document: deployment({}, { metadata: { name: 'a'.repeat(254) } }),
    wrongAt: 'metadata.name',
  },
  {
    name: 'a label value of 63 characters',
    document: deployment({}, { metadata: { name: 'sample', labels: { team: 'a'.repeat(63) } } }),
  },
  {
    name: 'a label value of 64 characters',
    document: deployment({}, { metadata: { name: 'sample', labels: { team: 'a'.repeat(64) } } }),
    wrongAt: 'metadata.labels.team',
  },
  {
    name: 'a label key of 64 characters',
    document: deployment({}, { metadata: { name: 'sample', labels: { ['a'.repeat(64)]: '' } } }),
    wrongAt: `metadata.labels.${'a'.repeat(64)}`,
  },
  {
    name: 'a label value with a space',
    document: deployment({}, { metadata: { name: 'sample', labels: { team: 'a b' } } }),
    wrongAt: 'metadata.labels.team',
  },
  {
    name: 'a key of an annotation with two slashes',
    document: deployment({}, { metadata: { name: 'sample', annotations: { 'a/b/c': 'd' } } }),
    wrongAt: 'metadata.annotations["a/b/c"]',
  },

  // Keys of lists.
  {
    name: 'a secret twice',
    document: deployment({
      secrets: [
        { name: 'A', value: 'x' },
        { name: 'A', valueFrom: fromSecret },
      ],
    }),
    wrongAt: 'spec.secrets[1].name',
  },
  {
    name: 'a mount path twice',
    document: resources({ volumeMounts: [{ mountPath: '/a' }, { mountPath: '/a', name: 'v' }] }),
    wrongAt: 'spec.sourceConfig.resourceSpec.volumeMounts[1].mountPath',
  },
  {
    name: 'a variable twice',
    document: resources({ sidecars: [{ name: 's', env: [{ name: 'A' }, { name: 'A' }] }] }),
    wrongAt: 'spec.sourceConfig.resourceSpec.sidecars[0].env[1].name',
  },
  {
    name: 'a path cleared twice',
    document: deployment({ clear: ['sourceConfig.customURL', 'sourceConfig.customURL'] }),
    wrongAt: 'spec.clear[1]',
  },

  // CEL rules.
  {
    name: 'an id and a name',
    document: deployment({ deploymentRef: { id: ID, name: 'x' } }),
    wrongAt: 'spec.deploymentRef',
  },
  {
    name: 'creation under an id',
    document: deployment({ deploymentRef: { id: ID }, creation: { policy: 'IfMissing' } }),
    wrongAt: 'spec.creation.policy',
  },
  {
    name: 'references with a hosted source',
    document: deployment({ secretReferences: [] }),
    wrongAt: 'spec.secretReferences',
  },
  {
    name: 'a secret without a value',
    document: deployment({ secrets: [{ name: 'A' }] }),
    wrongAt: 'spec.secrets[0]',
  },
  {
    name: 'a secret with two values',
    document: deployment({ secrets: [{ name: 'A', value: 'x', valueFrom: fromSecret }] }),
    wrongAt: 'spec.secrets[0]',
  },
  {
    name: 'a value from two places',
    document: deployment({ secrets: [{ name: 'A', valueFrom: { ...fromSecret, ...fromConfigMap } }] }),
    wrongAt: 'spec.secrets[0].valueFrom',
  },
  {
    name: 'a value from nowhere',
    document: deployment({ secrets: [{ name: 'A', valueFrom: {} }] }),
    wrongAt: 'spec.secrets[0].valueFrom',
  },
  {
    name: 'a clearing beside its value',
    document: deployment({ clear: ['sourceConfig.customURL'], sourceConfig: { customURL: '' } }),
    wrongAt: 'spec.clear[0]',
  },
  {
    name: 'a clearing beside its list',
    document: deployment({
      clear: ['sourceConfig.resourceSpec.sidecars'],
      sourceConfig: { resourceSpec: { sidecars: [] } },
    }),
    wrongAt: 'spec.clear[0]',
  },
  {
    name: 'a clearing beside its reference',
    document: deployment({
      clear: ['sourceRevisionConfig.repoRef'],
      sourceRevisionConfig: { repoRef: 'main' },
    }),
    wrongAt: 'spec.clear[0]',
  },
  {
    name: 'http over the network',
    document: connection({ baseURL: 'http://deploy.example.com' }),
    wrongAt: 'spec.baseURL',
  },
  {
    name: 'http on a name that begins like a loopback name',
    document: connection({ baseURL: 'http://localhost.example.com' }),
    wrongAt: 'spec.baseURL',
  },
  {
    name: 'http where it is not allowed',
    document: connection({ baseURL: 'http://10.0.0.1', allowHTTP: false }),
    wrongAt: 'spec.baseURL',
  },
  {
    name: 'a header without a value',
    document: connection({ headers: [{ name: 'X-Key' }] }),
    wrongAt: 'spec.headers[0]',
  },
  {
    name: 'certificate authorities from two places',
    document: connection({ tls: { caBundle: { ...fromSecret, ...fromConfigMap } } }),
    wrongAt: 'spec.tls.caBundle',
  },
  {
    name: 'a comparison with nothing',
    document: clusterConnection({
      namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] },
    }),
    wrongAt: 'spec.namespaceSelector.matchExpressions[0].values',
  },
  {
    name: 'values for an operator that has none',
    document: clusterConnection({
      namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
    }),
    wrongAt: 'spec.namespaceSelector.matchExpressions[0].values',
  },
];

const notFound = {
  observedGeneration: 1,
  conditions: [
    {
      type: 'Synced',
      status: 'False',
      reason: 'NotFound',
      message: 'the service does not list it',
      observedGeneration: 1,
      lastTransitionTime: '2026-11-20T10:00:00Z',
    },
  ],
};
const inSync = {
  ...notFound,
  conditions: notFound.conditions.map((each) => ({ ...each, reason: 'InSync' })),
};

export const CHANGES: readonly Change[] = [
  {
    name: 'another field',
    before: deployment({}),
    after: deployment({ sourceConfig: { buildOnPush: true } }),
  },
  {
    name: 'another source',
    before: deployment({}),
    after: deployment({ source: 'internal_source' }),
    wrongAt: 'spec.source',
  },
  { name: 'a reference added', before: deployment({}), after: deployment({ deploymentRef: { id: ID } }) },
  {
    name: 'the same reference',
    before: deployment({ deploymentRef: { id: ID } }),
    after: deployment({ deploymentRef: { id: ID }, approval: 'Manual' }),
  },
  {
    name: 'another id',
    before: deployment({ deploymentRef: { id: ID } }),
    after: deployment({ deploymentRef: { id: OTHER_ID } }),
    wrongAt: 'spec.deploymentRef',
  },
  {
    name: 'a reference removed',
    before: deployment({ deploymentRef: { id: ID } }),
    after: deployment({}),
    wrongAt: 'spec.deploymentRef',
  },
  {
    name: 'another id while it is in sync',
    before: deployment({ deploymentRef: { id: ID } }),
    status: inSync,
    after: deployment({ deploymentRef: { id: OTHER_ID } }),
    wrongAt: 'spec.deploymentRef',
  },
  {
    name: 'another id while it is not found',
    before: deployment({ deploymentRef: { name: 'x' } }),
    status: notFound,
    after: deployment({ deploymentRef: { id: OTHER_ID } }),
  },
  {
    name: 'another name while it is not found',
    before: deployment({ deploymentRef: { name: 'x' } }),
    status: notFound,
    after: deployment({ deploymentRef: { name: 'y' } }),
    wrongAt: 'spec.deploymentRef',
  },
  {
    name: 'a reference removed while it is not found',
    before: deployment({ deploymentRef: { name: 'x' } }),
    status: notFound,
    after: deployment({}),
    wrongAt: 'spec.deploymentRef',
  },
];
