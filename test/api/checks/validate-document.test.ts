import { describe, expect, it } from 'vitest';
import { SCHEMAS } from '../../../src/api/generated/schemas.ts';
import type { Problem } from '../../../src/api/problem.ts';
import { validateDocument } from '../../../src/api/checks/validate-document.ts';
import { CHANGES, clusterConnection, connection, deployment, ID, type Manifest } from '../corpus.ts';

/** The paths that `spec.clear` may name. */
const CLEARABLE = SCHEMAS['Deployment']?.properties?.['spec']?.properties?.['clear']?.items?.enum ?? [];

function errors(document: unknown, old?: unknown): Problem[] {
  return validateDocument(document, old).filter(({ severity }) => severity === 'error');
}

function warnings(document: unknown): Problem[] {
  return validateDocument(document).filter(({ severity }) => severity === 'warning');
}

describe('a manifest:', () => {
  it('a generated name is accepted, as by kubectl create', () => {
    expect(errors(deployment({}, { metadata: { generateName: 'sample-' } }))).toEqual([]);
  });

  it.each(CHANGES)(
    'the change to $name is judged as the API server judges it',
    ({ before, status, after, wrongAt }) => {
      const old = status === undefined ? before : { ...before, status };
      expect(errors(after, old).map(({ path }) => path)).toEqual(wrongAt === undefined ? [] : [wrongAt]);
    },
  );
});

interface Row {
  readonly name: string;
  readonly document: unknown;
  readonly path: string;
  readonly message: string;
  readonly expected: string;
}

const external = (spec: object): Manifest =>
  deployment({ source: 'external_container', sourceRevisionConfig: { imageURI: 'x' }, ...spec });
const resources = (resourceSpec: object): Manifest => external({ sourceConfig: { resourceSpec } });
const SPEC = 'spec.sourceConfig.resourceSpec';

const ERRORS: readonly Row[] = [
  {
    name: 'a document that is a list',
    document: [],
    path: '',
    message: 'is a list',
    expected: 'a resource with apiVersion, kind and spec',
  },
  {
    name: 'no apiVersion',
    document: { kind: 'Deployment' },
    path: 'apiVersion',
    message: 'is missing',
    expected: 'dms-operator.dev/v1alpha1',
  },
  {
    name: 'the kind of another group',
    document: { apiVersion: 'apps/v1', kind: 'Deployment' },
    path: 'apiVersion',
    message: 'is "apps/v1"',
    expected: 'dms-operator.dev/v1alpha1',
  },
  {
    name: 'a kind that does not exist',
    document: { ...deployment({}), kind: 'Deployments' },
    path: 'kind',
    message: 'is "Deployments"',
    expected: 'one of Deployment, Connection, ClusterConnection',
  },
  {
    name: 'no name',
    document: deployment({}, { metadata: {} }),
    path: 'metadata.name',
    message: 'is missing',
    expected: 'lower-case letters, digits, hyphens and dots, at most 253 characters',
  },
  {
    name: 'no source',
    document: { ...deployment({}), spec: {} },
    path: 'spec.source',
    message: 'is missing',
    expected: 'one of codehost, external_container, internal_container, internal_source, internal_template',
  },
  {
    name: 'a slip in a choice',
    document: deployment({ source: 'external-container' }),
    path: 'spec.source',
    message: 'is "external-container"',
    expected:
      'one of codehost, external_container, internal_container, internal_source, internal_template, perhaps external_container',
  },
  {
    name: 'a slip in a path to clear',
    document: deployment({ clear: ['sourceConfig.customUrl'] }),
    path: 'spec.clear[0]',
    message: 'is "sourceConfig.customUrl"',
    expected: 'sourceConfig.customURL',
  },
  {
    name: 'a path to clear that is like no other',
    document: deployment({ clear: ['x'] }),
    path: 'spec.clear[0]',
    message: 'is "x"',
    expected: `one of ${CLEARABLE.length} values such as sourceConfig.integrationID, sourceConfig.repoURL, sourceConfig.buildOnPush`,
  },
  {
    name: 'a field under the name of the service',
    document: deployment({ sourceConfig: { repo_url: 'x' } }),
    path: 'spec.sourceConfig.repo_url',
    message: 'is not a known field',
    expected: 'repoURL',
  },
  {
    name: 'a long field under the name of the service',
    document: resources({ queue_memory_limit_mb: 1 }),
    path: `${SPEC}.queue_memory_limit_mb`,
    message: 'is not a known field',
    expected: 'queueMemoryLimitMB',
  },
  {
    name: 'a namespace in upper case',
    document: deployment({}, { metadata: { name: 'a', namespace: 'Team' } }),
    path: 'metadata.namespace',
    message: 'is not a name that Kubernetes accepts',
    expected: 'lower-case letters, digits and hyphens, at most 63 characters',
  },
  {
    name: 'a field that is like no other',
    document: deployment({ rollout: { foo: 1 } }),
    path: 'spec.rollout.foo',
    message: 'is not a known field',
    expected: 'one of deadlineSeconds, maxRevisionsPerHour',
  },
  {
    name: 'a number in quotes',
    document: resources({ cpu: '1' }),
    path: `${SPEC}.cpu`,
    message: 'is a string',
    expected: 'a number (without quotes)',
  },
  {
    name: 'a boolean in quotes',
    document: deployment({ sourceConfig: { buildOnPush: 'true' } }),
    path: 'spec.sourceConfig.buildOnPush',
    message: 'is a string',
    expected: 'true or false (without quotes)',
  },
  {
    name: 'a secret that YAML reads as a number',
    document: deployment({ secrets: [{ name: 'A', value: 12345 }] }),
    path: 'spec.secrets[0].value',
    message: 'is a number',
    expected: 'a string (put it in quotes)',
  },
  {
    name: 'an object in place of a list',
    document: deployment({ secrets: {} }),
    path: 'spec.secrets',
    message: 'is an object',
    expected: 'a list',
  },
  {
    name: 'a fraction of a second',
    document: deployment({ rollout: { deadlineSeconds: 9.5 } }),
    path: 'spec.rollout.deadlineSeconds',
    message: 'is a fraction',
    expected: 'an integer from 10 to 604800',
  },
  {
    name: 'a number that is too small',
    document: connection({ list: { pageSize: 0 } }),
    path: 'spec.list.pageSize',
    message: 'is 0',
    expected: 'an integer from 1 to 100',
  },
  {
    name: 'an id that is no UUID',
    document: deployment({ deploymentRef: { id: 'x' } }),
    path: 'spec.deploymentRef.id',
    message: 'is not a UUID',
    expected: 'a UUID such as 3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f',
  },
  {
    name: 'an address with a query',
    document: connection({ baseURL: 'https://x.example?key=1' }),
    path: 'spec.baseURL',
    message: 'is not an address that can be used as base',
    expected: 'an address such as https://deploy.example.com/api, without user info, query and fragment',
  },
  {
    name: 'a bad header name',
    document: connection({ headers: [{ name: 'X Key', value: 'a' }] }),
    path: 'spec.headers[0].name',
    message: 'is not a header name',
    expected: 'letters, digits and hyphens, such as X-Api-Key',
  },
  {
    name: 'a header on two lines',
    document: connection({ headers: [{ name: 'X', value: 'a\nb' }] }),
    path: 'spec.headers[0].value',
    message: 'contains a line break',
    expected: 'a value on one line',
  },
  {
    name: 'a text that is empty',
    document: deployment({ deploymentRef: { name: '' } }),
    path: 'spec.deploymentRef.name',
    message: 'is too short',
    expected: 'at least 1 character',
  },
  {
    name: 'a text that is too long',
    document: deployment({ deploymentRef: { name: 'x'.repeat(254) } }),
    path: 'spec.deploymentRef.name',
    message: 'has 254 characters',
    expected: 'at most 253 characters',
  },
  {
    name: 'too many entries',
    document: deployment({ requiredOAuthProviders: Array.from({ length: 33 }, (_, i) => `p${i}`) }),
    path: 'spec.requiredOAuthProviders',
    message: 'has 33 entries',
    expected: 'at most 32 entries',
  },
  {
    name: 'too many keys',
    document: resources({ labels: Object.fromEntries(Array.from({ length: 129 }, (_, i) => [`l${i}`, ''])) }),
    path: `${SPEC}.labels`,
    message: 'has 129 keys',
    expected: 'at most 128 keys',
  },
  {
    name: 'a value twice',
    document: deployment({ requiredOAuthProviders: ['a', 'a'] }),
    path: 'spec.requiredOAuthProviders[1]',
    message: 'repeats entry 0',
    expected: 'each entry once',
  },
  {
    name: 'a key of a list twice',
    document: deployment({
      secrets: [
        { name: 'A', value: 'x' },
        { name: 'B', value: 'x' },
        { name: 'A', value: 'x' },
      ],
    }),
    path: 'spec.secrets[2].name',
    message: 'repeats the name of entry 0',
    expected: 'each name once',
  },
  {
    name: 'an id and a name',
    document: deployment({ deploymentRef: { id: ID, name: 'x' } }),
    path: 'spec.deploymentRef',
    message: 'give id or name, not both',
    expected: 'one of id, name',
  },
  {
    name: 'a value from nowhere',
    document: deployment({ secrets: [{ name: 'A', valueFrom: {} }] }),
    path: 'spec.secrets[0].valueFrom',
    message: 'give exactly one of secretKeyRef and configMapKeyRef',
    expected: 'one of secretKeyRef, configMapKeyRef',
  },
  {
    name: 'http over the network',
    document: connection({ baseURL: 'http://deploy.example.com' }),
    path: 'spec.baseURL',
    message: 'baseURL must use https, unless its host is a loopback address or allowHTTP is true',
    expected: 'an https address, or allowHTTP: true',
  },
];

describe('the error about', () => {
  it.each(ERRORS)(
    '$name reports the problem and the expected value',
    ({ document, path, message, expected }) => {
      expect(errors(document)).toEqual([{ path, message, expected, severity: 'error' }]);
    },
  );
});

const WARNINGS: readonly Row[] = [
  {
    name: 'a repository address for an image',
    document: external({ sourceConfig: { repoURL: 'https://code.example.com/a/b' } }),
    path: 'spec.sourceConfig.repoURL',
    message: 'is not meant for source external_container',
    expected: 'source codehost',
  },
  {
    name: 'resources for a hosted source',
    document: deployment({ sourceConfig: { resourceSpec: {} } }),
    path: SPEC,
    message: 'is not meant for source codehost',
    expected: 'source external_container',
  },
  {
    name: 'an uploaded archive for a repository',
    document: deployment({ sourceRevisionConfig: { sourceTarballPath: 'x' } }),
    path: 'spec.sourceRevisionConfig.sourceTarballPath',
    message: 'is not meant for source codehost',
    expected: 'source internal_source',
  },
  {
    name: 'a configuration file for an image',
    document: external({ sourceRevisionConfig: { imageURI: 'x', graphConfigPath: 'y' } }),
    path: 'spec.sourceRevisionConfig.graphConfigPath',
    message: 'is not meant for source external_container',
    expected: 'source codehost or internal_source',
  },
  {
    name: 'an image for a repository',
    document: deployment({ sourceRevisionConfig: { imageURI: 'x' } }),
    path: 'spec.sourceRevisionConfig.imageURI',
    message: 'is not meant for source codehost',
    expected: 'source external_container or internal_container',
  },
  {
    name: 'no image for an image source',
    document: deployment({ source: 'external_container' }),
    path: 'spec.sourceRevisionConfig.imageURI',
    message: 'is absent, so the image is unmanaged',
    expected: 'an image, unless something else sets it',
  },
  {
    name: 'a source of revisions for a template',
    document: deployment({ source: 'internal_template', revisionSource: 'codehost' }),
    path: 'spec.revisionSource',
    message: 'is not meant for source internal_template',
    expected: 'source codehost or internal_container or internal_source',
  },
  {
    name: 'a commit that is built on push',
    document: deployment({
      sourceConfig: { buildOnPush: true },
      sourceRevisionConfig: { repoRef: 'a'.repeat(40) },
    }),
    path: 'spec.sourceRevisionConfig.repoRef',
    message: 'is a commit, which no push moves',
    expected: 'a branch with buildOnPush',
  },
  {
    name: 'a repository without creation',
    document: deployment({ repository: { integrationID: ID, owner: 'a', name: 'b' } }),
    path: 'spec.repository',
    message: 'is used only when a deployment is created',
    expected: 'creation.policy IfMissing beside it',
  },
  {
    name: 'fields for a creation that never happens',
    document: deployment({ creation: { extra: {} } }),
    path: 'spec.creation.extra',
    message: 'is used only when a deployment is created',
    expected: 'creation.policy IfMissing beside it',
  },
  {
    name: 'replicas',
    document: deployment({ replicas: 2 }),
    path: 'spec.replicas',
    message: 'is ignored; it is accepted because kustomize adds it',
    expected: 'spec.sourceConfig.resourceSpec.minScale and maxScale',
  },
  {
    name: 'null that may be meant to clear',
    document: deployment({ sourceConfig: { customURL: null } }),
    path: 'spec.sourceConfig.customURL',
    message: 'is null, which is the same as no such field',
    expected: 'a value, or its path under spec.clear to empty it',
  },
  {
    name: 'null elsewhere',
    document: deployment({ rollout: null }),
    path: 'spec.rollout',
    message: 'is null, which is the same as no such field',
    expected: 'a value, or no such field',
  },
  {
    name: 'a pause with another text',
    document: deployment(
      {},
      { metadata: { name: 'sample', annotations: { 'dms-operator.dev/paused': 'yes' } } },
    ),
    path: 'metadata.annotations["dms-operator.dev/paused"]',
    message: 'has no effect with this value',
    expected: '"true" or "false"',
  },
  {
    name: 'a repository that is no URL',
    document: deployment({ sourceConfig: { repoURL: 'acme/agent' } }),
    path: 'spec.sourceConfig.repoURL',
    message: 'does not look like the URL of a repository',
    expected: 'such as https://code.example.com/acme/agent',
  },
  {
    name: 'an address without a scheme',
    document: deployment({ sourceConfig: { customURL: 'agent.example.com' } }),
    path: 'spec.sourceConfig.customURL',
    message: 'does not look like a URL',
    expected: 'such as https://agent.example.com',
  },
  {
    name: 'a namespace in upper case',
    document: external({ sourceConfig: { listenerID: ID, listenerConfig: { k8sNamespace: 'Team_A' } } }),
    path: 'spec.sourceConfig.listenerConfig.k8sNamespace',
    message: 'cannot be the name of a namespace',
    expected: 'at most 63 lower-case letters, digits and dashes',
  },
  {
    name: 'a reference with a space',
    document: deployment({ sourceRevisionConfig: { repoRef: 'my branch' } }),
    path: 'spec.sourceRevisionConfig.repoRef',
    message: 'cannot be the name of a branch, a tag or a commit',
    expected: 'such as main or refs/tags/v1.2.0',
  },
  {
    name: 'an image with a scheme',
    document: external({ sourceRevisionConfig: { imageURI: 'https://registry.example.com/agent:1' } }),
    path: 'spec.sourceRevisionConfig.imageURI',
    message: 'does not look like a reference of an image',
    expected: 'such as registry.example.com/acme/agent:1.2.0',
  },
  {
    name: 'an empty text',
    document: deployment({ sourceConfig: { buildCommand: '' } }),
    path: 'spec.sourceConfig.buildCommand',
    message: 'is empty',
    expected: 'a value, or its path in spec.clear',
  },
  {
    name: 'builds on push of a tag',
    document: deployment({
      sourceConfig: { buildOnPush: true },
      sourceRevisionConfig: { repoRef: 'refs/tags/v1' },
    }),
    path: 'spec.sourceRevisionConfig.repoRef',
    message: 'is a tag, which no push moves',
    expected: 'a branch with buildOnPush',
  },
  {
    name: 'builds on push of what looks like a tag',
    document: deployment({
      sourceConfig: { buildOnPush: true },
      sourceRevisionConfig: { repoRef: 'v1.2.0' },
    }),
    path: 'spec.sourceRevisionConfig.repoRef',
    message: 'looks like a tag, which no push moves',
    expected: 'a branch with buildOnPush',
  },
  {
    name: 'a creation without its tarball',
    document: deployment({ source: 'internal_source', creation: { policy: 'IfMissing' } }),
    path: 'spec.sourceRevisionConfig.sourceTarballPath',
    message: 'is absent, which the service may refuse',
    expected: 'it for source internal_source',
  },
  {
    name: 'a container named like the deployment',
    document: resources({ sidecars: [{ name: 'sample' }] }),
    path: `${SPEC}.sidecars[0].name`,
    message: 'may be the name of the main container',
    expected: 'a name of its own',
  },
  {
    name: 'two containers of one name',
    document: resources({ initContainers: [{ name: 'a' }], sidecars: [{ name: 'a' }] }),
    path: `${SPEC}.sidecars[0].name`,
    message: 'is the name of another container',
    expected: 'a name of its own',
  },
  {
    name: 'many secrets',
    document: deployment({
      secrets: Array.from({ length: 101 }, (_, n) => ({ name: `A${n}`, value: 'x' })),
    }),
    path: 'spec.secrets',
    message: 'has 101 secrets, which the service may refuse',
    expected: 'at most 100',
  },
  {
    name: 'a negative number',
    document: resources({ dbStorageGi: -1 }),
    path: `${SPEC}.dbStorageGi`,
    message: 'is negative',
    expected: '0 or more',
  },
  {
    name: 'a request above its limit',
    document: resources({ queueCPU: 2, queueCPULimit: 1 }),
    path: `${SPEC}.queueCPU`,
    message: 'is larger than queueCPULimit',
    expected: 'at most queueCPULimit',
  },
  {
    name: 'a workload that is not described',
    document: resources({ executorCPU: 1, executorMemoryMB: 1 }),
    path: `${SPEC}.executorCPU`,
    message: 'sets the executor workload, whose purpose the service does not document',
    expected: 'a service that has this workload',
  },
  {
    name: 'a mount without its volume',
    document: resources({ volumes: [], volumeMounts: [{ name: 'v', mountPath: '/a' }] }),
    path: `${SPEC}.volumeMounts[0].name`,
    message: 'names no volume of this list',
    expected: `a name under ${SPEC}.volumes`,
  },
  {
    name: 'a mount of a container without its volume',
    document: resources({
      volumes: [],
      sidecars: [{ name: 's', volumeMounts: [{ name: 'v', mountPath: '/a' }] }],
    }),
    path: `${SPEC}.sidecars[0].volumeMounts[0].name`,
    message: 'names no volume of this list',
    expected: `a name under ${SPEC}.volumes`,
  },
  {
    name: 'a variable with two values',
    document: resources({ sidecars: [{ name: 's', env: [{ name: 'A', value: 'x', valueFrom: {} }] }] }),
    path: `${SPEC}.sidecars[0].env[0]`,
    message: 'has both value and valueFrom',
    expected: 'one of them',
  },
  {
    name: 'a variable named like a credential (H50)',
    document: resources({
      initContainers: [{ name: 's', env: [{ name: 'DB_PASSWORD', value: 'hunter2' }] }],
    }),
    path: `${SPEC}.initContainers[0].env[0].value`,
    message: 'looks like a credential in plain text',
    expected: 'valueFrom with a secretKeyRef',
  },
  {
    name: 'a variable with a value like a credential (H50)',
    document: resources({ sidecars: [{ name: 's', env: [{ name: 'A', value: 'ghp_0123456789' }] }] }),
    path: `${SPEC}.sidecars[0].env[0].value`,
    message: 'looks like a credential in plain text',
    expected: 'valueFrom with a secretKeyRef',
  },
  {
    name: 'an unusual name of a secret',
    document: deployment({ secrets: [{ name: 'api-token', value: 'x' }] }),
    path: 'spec.secrets[0].name',
    message: 'may be refused as name of a variable',
    expected: 'letters, digits and underscores, no digit first',
  },
  {
    name: 'an empty secret',
    document: deployment({ secrets: [{ name: 'A', value: '' }] }),
    path: 'spec.secrets[0].value',
    message: 'is empty',
    expected: 'a value',
  },
  {
    name: 'a secret that ends in a line break',
    document: deployment({ secrets: [{ name: 'A', value: 'x\n' }] }),
    path: 'spec.secrets[0].value',
    message: 'ends in a line break',
    expected: 'a value without it',
  },
  {
    name: 'a large secret',
    document: deployment({ secrets: [{ name: 'A', value: 'é'.repeat(140_000) }] }),
    path: 'spec.secrets[0].value',
    message: 'has 274 KiB, which the service may refuse',
    expected: 'at most 256 KiB',
  },
  {
    name: 'plain text over the network',
    document: connection({ baseURL: 'http://deploy.internal', allowHTTP: true }),
    path: 'spec.baseURL',
    message: 'sends headers and secrets in plain text',
    expected: 'an https address',
  },
  {
    name: 'a credential in a header',
    document: connection({ headers: [{ name: 'Authorization', value: 'x' }] }),
    path: 'spec.headers[0].value',
    message: 'looks like a credential in plain text',
    expected: 'valueFrom with a secretKeyRef',
  },
  {
    name: 'a header that is set anyway',
    document: connection({ headers: [{ name: 'Content-Type', value: 'x' }] }),
    path: 'spec.headers[0].name',
    message: 'is set by the controller',
    expected: 'another header',
  },
  {
    name: 'a header in two cases',
    document: connection({
      headers: [
        { name: 'X-A', value: 'x' },
        { name: 'x-a', value: 'x' },
      ],
    }),
    path: 'spec.headers[1].name',
    message: 'differs from another one in case only',
    expected: 'each header once',
  },
  {
    name: 'one parameter for two purposes',
    document: connection({ list: { parameters: { limit: 'n', offset: 'n' } } }),
    path: 'spec.list.parameters.offset',
    message: 'has the name of another parameter',
    expected: 'a name of its own',
  },
  {
    name: 'a slower poll during rollouts',
    document: connection({ poll: { rolloutSeconds: 61 } }),
    path: 'spec.poll.rolloutSeconds',
    message: 'is longer than intervalSeconds',
    expected: 'at most intervalSeconds',
  },
  {
    name: 'a connection for nobody',
    document: clusterConnection({}),
    path: 'spec.namespaceSelector',
    message: 'is absent, so no namespace may use it',
    expected: '{} for all, or labels',
  },
  {
    name: 'a placeholder that is not known',
    document: clusterConnection({ namespaceSelector: {}, allowedNames: ['{ns}-*'] }),
    path: 'spec.allowedNames[0]',
    message: 'has a placeholder that is not known',
    expected: '{namespace}',
  },
];

describe('a pattern of allowedNames', () => {
  const warnsOf = (pattern: string): readonly string[] =>
    validateDocument(clusterConnection({ namespaceSelector: {}, allowedNames: [pattern] })).map(
      ({ message }) => message,
    );

  it.each([
    '{namespace}-*',
    '{namespace}*',
    '*-{namespace}',
    '{namespace}-agent-*',
    '*.{namespace}.*',
    '{namespace}-{namespace}-*',
  ])('lets a namespace bind what is meant for another, and says so: %s', (pattern) => {
    expect(warnsOf(pattern)).toEqual(['lets a namespace such as team bind what is meant for team-a']);
  });

  it.each([
    '{namespace}.*',
    '{namespace}-agent',
    'agents/{namespace}/*',
    '*_{namespace}',
    '{namespace}-a.*',
    'shared-*',
    '*',
  ])('keeps namespaces apart, or names none: %s', (pattern) => {
    expect(warnsOf(pattern)).toEqual([]);
  });
});

describe('the warning about', () => {
  it.each(WARNINGS)('$name is not an error', ({ document, path, message, expected }) => {
    expect(validateDocument(document)).toEqual([{ path, message, expected, severity: 'warning' }]);
  });

  it('a large spec appears once, and not for each of its parts', () => {
    const secrets = Array.from({ length: 10 }, (_, index) => ({
      name: `A${index}`,
      value: 'x'.repeat(100_000),
    }));
    expect(warnings(deployment({ secrets }))).toEqual([
      {
        path: 'spec',
        message: 'has 977 KiB, which the service may refuse',
        expected: 'less than 900 KiB',
        severity: 'warning',
      },
    ]);
  });

  it('an unknown annotation of this project lists the known ones', () => {
    const annotations = { 'dms-operator.dev/pause': 'true', 'example.com/paused': 'maybe' };
    const [found, ...others] = warnings(deployment({}, { metadata: { name: 'sample', annotations } }));
    expect(found).toMatchObject({ path: 'metadata.annotations["dms-operator.dev/pause"]' });
    expect(found?.expected).toContain('dms-operator.dev/paused');
    expect(others).toEqual([]);
  });
});

const UUID_REPOSITORY = { integrationID: ID, owner: 'a', name: 'b' };
const FIT: readonly (readonly [path: string, spec: object, sources: readonly string[]])[] = [
  ['repository', { repository: UUID_REPOSITORY, creation: { policy: 'IfMissing' } }, ['codehost']],
  ['sourceConfig.integrationID', { sourceConfig: { integrationID: ID } }, ['codehost']],
  ['sourceConfig.repoURL', { sourceConfig: { repoURL: 'https://code.example.com/a/b' } }, ['codehost']],
  ['sourceConfig.buildOnPush', { sourceConfig: { buildOnPush: true } }, ['codehost']],
  ['sourceConfig.listenerID', { sourceConfig: { listenerID: ID } }, ['external_container']],
  ['sourceConfig.listenerConfig', { sourceConfig: { listenerConfig: {} } }, ['external_container']],
  ['sourceConfig.resourceSpec', { sourceConfig: { resourceSpec: {} } }, ['external_container']],
  ['sourceRevisionConfig.repoRef', { sourceRevisionConfig: { repoRef: 'x' } }, ['codehost']],
  [
    'sourceRevisionConfig.graphConfigPath',
    { sourceRevisionConfig: { graphConfigPath: 'x' } },
    ['codehost', 'internal_source'],
  ],
  [
    'sourceRevisionConfig.imageURI',
    { sourceRevisionConfig: { imageURI: 'x' } },
    ['external_container', 'internal_container'],
  ],
  [
    'sourceRevisionConfig.sourceTarballPath',
    { sourceRevisionConfig: { sourceTarballPath: 'x' } },
    ['internal_source'],
  ],
];
const SOURCES = [
  'codehost',
  'external_container',
  'internal_container',
  'internal_source',
  'internal_template',
];

describe('fields fit their source', () => {
  it.each(FIT)('%s is warned about in other sources', (path, spec, sources) => {
    const quiet = SOURCES.filter((source) => {
      const found = warnings(deployment({ ...spec, source })).map((problem) => problem.path);
      return !found.includes(`spec.${path}`);
    });
    expect(quiet).toEqual(sources);
  });

  it.each([
    deployment({ revisionSource: 'internal_container', sourceRevisionConfig: { imageURI: 'x' } }),
    deployment({ source: 'internal_container', sourceRevisionConfig: { imageURI: 'x' } }),
    deployment({ source: 'external_container', managementPolicy: 'Observe' }),
    deployment({
      sourceConfig: {
        integrationID: ID,
        repoURL: 'git@code.example.com:a/b.git',
        buildOnPush: true,
        customURL: 'https://agent.example.com/a',
        buildCommand: 'x',
      },
    }),
    resources({
      minScale: 1,
      maxScale: 1,
      cpu: 2,
      cpuLimit: 2,
      queueCPU: 3,
      volumeMounts: [{ mountPath: '/a' }],
    }),
    external({
      sourceConfig: { listenerID: ID, listenerConfig: { k8sNamespace: 'x' }, installCommand: 'x' },
    }),
  ])('without a warning in sample %#', (document) => {
    expect(validateDocument(document)).toEqual([]);
  });
});

it('never repeats a value that may be a secret', () => {
  const value = 'swordfish';
  const documents = [
    deployment({
      secrets: [
        { name: 'A', value: [value] },
        { name: 'A', value },
      ],
      extra: value,
    }),
    external({
      sourceConfig: { resourceSpec: { sidecars: [{ name: 's', env: [{ name: 'TOKEN', value }] }] } },
    }),
    connection({
      baseURL: `https://user:${value}@x.example`,
      headers: [{ name: 'Authorization', value: `${value}\n` }],
    }),
  ];
  for (const document of documents) {
    const problems = validateDocument(document);
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain(value);
  }
});

it.each([
  ['an address that is none', connection({ baseURL: 'htp:/x y' }), ['spec.baseURL']],
  ['a misspelt field that is needed', connection({ baseUR: 'https://a.example' }), ['spec.baseUR']],
  [
    'a misspelt field whose absence is a warning',
    deployment({ source: 'external_container', sourceRevisionConfig: { imageUri: 'a/b:1' } }),
    ['spec.sourceRevisionConfig.imageUri'],
  ],
])('says one thing about one mistake: %s', (_, document, paths) => {
  expect(validateDocument(document).map(({ path }) => path)).toEqual(paths);
});

it.each([
  null,
  1,
  'x',
  {},
  { spec: 1 },
  { ...deployment({}), metadata: 1, spec: [] },
  deployment({ secrets: [1, null], clear: 'x' }),
])('finds errors in a document of any shape: %j', (document) => {
  expect(errors(document).length).toBeGreaterThan(0);
});
