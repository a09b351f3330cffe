import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SCHEMAS } from '../../src/api/generated/schemas.ts';
import { at, isRecord } from '../../src/api/problem.ts';
import { run } from '../cli/support/terminal.ts';
import { textOf } from '../docs/support.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { build, documentsIn, only } from './support/kustomize.ts';

const cluster = useControlPlane();
let namespace = '';

beforeAll(async () => {
  await cluster().installCRDs();
  namespace = await cluster().createNamespace('kustomize');
});

/** A reference to a Secret or ConfigMap. */
interface Reference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
}

const HASH = /-[0-9a-z]{10}$/;

/** The part of a field name that marks a reference to another resource. */
const REFERENCE_WORD = /^(?:secretKeyRef|secretRef|nodePublishSecretRef|configMapKeyRef|configMapRef)$/;

/** Returns every reference to a Secret or a ConfigMap, at any depth. */
function referencesIn(value: unknown): readonly Reference[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => [...namedBy(key, part), ...referencesIn(part)]);
}

function namedBy(key: string, part: unknown): readonly Reference[] {
  const named = (kind: Reference['kind'], name: unknown): readonly Reference[] =>
    typeof name === 'string' ? [{ kind, name }] : [];
  if (REFERENCE_WORD.test(key))
    return named(key.startsWith('config') ? 'ConfigMap' : 'Secret', at(part, 'name'));
  if (key === 'configMap') return named('ConfigMap', at(part, 'name'));
  if (key === 'secret')
    return [...named('Secret', at(part, 'name')), ...named('Secret', at(part, 'secretName'))];
  if (key === 'imagePullSecrets' && Array.isArray(part))
    return part.flatMap((each) => named('Secret', at(each, 'name')));
  if (key === 'secretName') return named('Secret', part);
  return [];
}

/** Generators for every reference, so that each name gets a hash. */
function generatorsFor(references: readonly Reference[]): object {
  const made = (kind: Reference['kind']): readonly object[] =>
    [...new Set(references.filter((each) => each.kind === kind).map(({ name }) => name))].map((name) => ({
      name,
      literals: ['key=text'],
    }));
  return { secretGenerator: made('Secret'), configMapGenerator: made('ConfigMap') };
}

/** Returns the paths below a schema that may contain a reference. */
function referencePaths(schema: unknown, path: string): readonly string[] {
  const items = at(schema, 'items');
  if (items !== undefined) return referencePaths(items, path);
  const properties = at(schema, 'properties');
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([key, part]) =>
    REFERENCE_WORD.test(key) ? [`${path}/${key}/name`] : referencePaths(part, `${path}/${key}`),
  );
}

/** Returns `kind path` of every field in which the component updates names. */
function followed(): readonly string[] {
  const { nameReference } = parse(textOf('manifests/gitops/kustomize/name-references.yaml')) as {
    nameReference: readonly { fieldSpecs: readonly { kind: string; path: string }[] }[];
  };
  return nameReference.flatMap(({ fieldSpecs }) => fieldSpecs.map(({ kind, path }) => `${kind} ${path}`));
}

/** Expects that `validate` and a real API server accept the output of kustomize. */
async function expectAccepted(text: string): Promise<void> {
  expect(await run(['validate', '-f', '-'], { stdin: text })).toMatchObject({ code: 0, err: '' });
  const apply = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];
  const { code, stderr } = await cluster().kubectl(apply, { stdin: text });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

describe('the component updates references', () => {
  test('a hash, in every field that names a Secret or ConfigMap', async () => {
    const text = textOf('manifests/examples/all-fields.yaml');
    const references = referencesIn(documentsIn(text));
    expect(references.length).toBeGreaterThan(20);
    const built = await build(cluster(), { namespace, ...generatorsFor(references) }, { 'all.yaml': text });
    const ours = documentsIn(built).filter(({ apiVersion }) => apiVersion !== 'v1');
    expect(ours).toHaveLength(3);
    const names = referencesIn(ours).map(({ name }) => name);
    expect(names.filter((name) => !HASH.test(name))).toEqual([]);
    expect(names).toHaveLength(references.length);
    await expectAccepted(built);
  });

  test('in every such field of the schemas', () => {
    const fields = Object.entries(SCHEMAS).flatMap(([kind, schema]) =>
      referencePaths(at(schema, 'properties', 'spec'), 'spec').map((path) => `${kind} ${path}`),
    );
    expect(fields.length).toBeGreaterThan(8);
    const known = followed();
    expect(fields.filter((field) => !known.includes(field))).toEqual([]);
  });

  test.each(['Connection', 'ClusterConnection'])('a prefix, from a Deployment to its %s', async (kind) => {
    const connection = {
      ...{ apiVersion: 'dms-operator.dev/v1alpha1', kind, metadata: { name: 'shared' } },
      spec: { baseURL: 'https://deploy.example.com' },
    };
    const agent = {
      ...{ apiVersion: 'dms-operator.dev/v1alpha1', kind: 'Deployment', metadata: { name: 'agent' } },
      spec: {
        source: 'external_container',
        connectionRef: { kind, name: 'shared' },
        deploymentRef: { name: 'agent' },
      },
    };
    const files = { 'c.yaml': JSON.stringify(connection), 'a.yaml': JSON.stringify(agent) };
    const built = await build(cluster(), { namespace, namePrefix: 'staging-' }, files);
    expect(only(built, kind).metadata.name).toBe('staging-shared');
    expect(only(built, 'Deployment')['spec']).toEqual({
      ...agent.spec,
      connectionRef: { kind, name: 'staging-shared' },
    });
    await expectAccepted(built);
  });
});

const AGENT = textOf('manifests/gitops/app/support-agent.yaml');

describe('kustomize changes a resource that it takes for a Deployment of apps', () => {
  test.each([
    { name: 'commonLabels', change: { commonLabels: { stage: 'x' } }, adds: ['selector', 'template'] },
    {
      name: 'labels with selectors',
      change: { labels: [{ pairs: { stage: 'x' }, includeSelectors: true }] },
      adds: ['selector', 'template'],
    },
    {
      name: 'labels with templates',
      change: { labels: [{ pairs: { stage: 'x' }, includeTemplates: true }] },
      adds: ['template'],
    },
    { name: 'commonAnnotations', change: { commonAnnotations: { stage: 'x' } }, adds: ['template'] },
    { name: 'replicas', change: { replicas: [{ name: 'support-agent', count: 3 }] }, adds: ['replicas'] },
  ])('by $name, and that is let pass', async ({ change, adds }) => {
    const before = Object.keys((parse(AGENT) as { spec: object }).spec);
    const built = await build(cluster(), { namespace, ...change }, { 'agent.yaml': AGENT });
    expect(Object.keys(only(built, 'Deployment')['spec'] as object).toSorted()).toEqual(
      [...before, ...adds].toSorted(),
    );
    await expectAccepted(built);
  });

  test('images: sets imageURI and the images of sidecars', async () => {
    const images = [
      { name: 'registry.example.com/all-fields', newName: 'mirror.example.com/agent', newTag: '2.0.0' },
      { name: 'registry.example.com/proxy', newTag: '9.9.9' },
      { name: 'registry.example.com/migrate', digest: `sha256:${'a'.repeat(64)}` },
    ];
    const files = { 'all.yaml': textOf('manifests/examples/all-fields.yaml') };
    const built = await build(cluster(), { namespace, images }, files);
    const { spec } = only(built, 'Deployment');
    expect(at(spec, 'sourceRevisionConfig', 'imageURI')).toBe('mirror.example.com/agent:2.0.0');
    expect(at(spec, 'sourceConfig', 'resourceSpec', 'sidecars')).toMatchObject([
      { image: 'registry.example.com/proxy:9.9.9' },
    ]);
    expect(at(spec, 'sourceConfig', 'resourceSpec', 'initContainers')).toMatchObject([
      { image: `registry.example.com/migrate@sha256:${'a'.repeat(64)}` },
    ]);
    await expectAccepted(built);
  });
});

test('the manifests in the guides are built and accepted unchanged', async () => {
  const { code, stdout, stderr } = await cluster().kubectl(['kustomize', 'manifests/gitops/app']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const names = referencesIn(documentsIn(stdout)).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('agent-settings') && HASH.test(name))).toHaveLength(1);
  await expectAccepted(stdout.replaceAll('namespace: team-a', `namespace: ${namespace}`));
});
