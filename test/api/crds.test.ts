import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CrdSchema } from '../../scripts/crd-schema.ts';
import { RULES } from '../../src/api/checks/rules.ts';
import { FIELDS } from './field-map.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'crds');

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: Readonly<Record<string, unknown>>;
    readonly versions: readonly [
      {
        readonly name: string;
        readonly subresources: unknown;
        readonly additionalPrinterColumns: readonly { name: string; jsonPath: string; priority?: number }[];
        readonly schema: { readonly openAPIV3Schema: CrdSchema };
      },
    ];
  };
}

interface CelRule {
  readonly rule: string;
  readonly message?: string;
  readonly fieldPath?: string;
}

function read(plural: string): Crd {
  return parse(readFileSync(join(FOLDER, `${plural}.yaml`), 'utf8')) as Crd;
}

function schemaOf(crd: Crd): CrdSchema {
  return crd.spec.versions[0].schema.openAPIV3Schema;
}

function field(crd: Crd, path: string): CrdSchema | undefined {
  let schema: CrdSchema | undefined = schemaOf(crd);
  for (const name of path.split('.')) {
    schema = name === '[]' ? schema?.items : schema?.properties?.[name];
  }
  return schema;
}

/** Returns every schema below a schema, with its path. */
function walk(schema: CrdSchema, path: string): { path: string; schema: CrdSchema }[] {
  return [
    { path, schema },
    ...Object.entries(schema.properties ?? {}).flatMap(([key, part]) => walk(part, `${path}.${key}`)),
    ...(schema.items === undefined ? [] : walk(schema.items, `${path}.[]`)),
    ...(schema.additionalProperties === undefined ? [] : walk(schema.additionalProperties, `${path}.{}`)),
  ];
}

function celRules(crd: Crd): (CelRule & { path: string })[] {
  return walk(schemaOf(crd), crd.metadata.name).flatMap(({ path, schema }) =>
    ((schema['x-kubernetes-validations'] ?? []) as CelRule[]).map((rule) => ({ ...rule, path })),
  );
}

/** Returns the contents of a schema, in a fixed order and without the description. */
function ownKeywords(schema: CrdSchema): unknown {
  return Object.entries(schema).filter(
    ([keyword]) => !['description', 'properties', 'items'].includes(keyword),
  );
}

function sorted(texts: Iterable<string | undefined>): string[] {
  return [...texts].map(String).toSorted((one, other) => one.localeCompare(other, 'en'));
}

const deployments = read('deployments');
const connections = read('connections');
const clusterConnections = read('clusterconnections');
const ALL = [deployments, connections, clusterConnections];
const NAMED = ALL.map((crd) => ({ name: crd.metadata.name, crd }));

describe('deployments.dms-operator.dev', () => {
  it.each(FIELDS)('has $wire of the service as $path, $type', ({ path, type }) => {
    expect(field(deployments, path)).toMatchObject({ type });
  });

  it('has no field of the spec for values that only the service sets', () => {
    const paths = walk(schemaOf(deployments), '').map(({ path }) => path);
    const wrong = paths.filter(
      (path) => path.startsWith('.spec.') && /tenant|created|updated|commitsha|revisionid/i.test(path),
    );
    expect(wrong).toEqual([]);
  });

  it('describes a container in the same way in both lists', () => {
    const containers = field(deployments, 'spec.sourceConfig.resourceSpec.initContainers.[]');
    expect(containers).toEqual(field(deployments, 'spec.sourceConfig.resourceSpec.sidecars.[]'));
    const mounts = field(deployments, 'spec.sourceConfig.resourceSpec.volumeMounts.[]');
    expect(mounts).toEqual(containers?.properties?.['volumeMounts']?.items);
  });

  it('allows exactly the manageable fields to be cleared', () => {
    const config = Object.keys(field(deployments, 'spec.sourceConfig')?.properties ?? {});
    const clearable = [
      ...config.filter((name) => name !== 'resourceSpec').map((name) => `sourceConfig.${name}`),
      ...Object.keys(field(deployments, 'spec.sourceConfig.resourceSpec')?.properties ?? {}).map(
        (name) => `sourceConfig.resourceSpec.${name}`,
      ),
      ...Object.keys(field(deployments, 'spec.sourceRevisionConfig')?.properties ?? {}).map(
        (name) => `sourceRevisionConfig.${name}`,
      ),
    ];
    const clear = field(deployments, 'spec.clear');
    expect(clear?.items?.['enum']).toEqual(clearable);
    const text = celRules(deployments)
      .map(({ rule }) => rule)
      .join('\n');
    for (const path of clearable) expect(text).toContain(`p == '${path}' && has(self.${path})`);
  });

  it('accepts fields that kustomize adds to every kind called Deployment', () => {
    for (const name of ['selector', 'template', 'replicas']) {
      const ignored = field(deployments, `spec.${name}`);
      expect(ignored?.['x-kubernetes-preserve-unknown-fields']).toBe(true);
      expect(ignored?.description).toMatch(/^Ignored[.]/);
    }
  });

  it('has free form only where the specification requires it', () => {
    const free = walk(field(deployments, 'spec') ?? {}, 'spec').filter(
      ({ schema }) => schema['x-kubernetes-preserve-unknown-fields'] === true,
    );
    const names = new Set(
      free.map(({ path }) =>
        path
          .split('.')
          .filter((part) => part !== '[]')
          .at(-1),
      ),
    );
    expect(sorted(names)).toEqual([
      'configMap',
      'csi',
      'downwardAPI',
      'emptyDir',
      'envFrom',
      'extra',
      'limits',
      'nfs',
      'persistentVolumeClaim',
      'projected',
      'replicas',
      'requests',
      'secret',
      'securityContext',
      'selector',
      'template',
      'valueFrom',
    ]);
  });
});

describe.each(NAMED)('$name', ({ crd }) => {
  it('is served as v1alpha1 of the group with a status subresource', () => {
    const [version] = crd.spec.versions;
    expect(crd.spec.group).toBe('dms-operator.dev');
    expect(version).toMatchObject({
      name: 'v1alpha1',
      served: true,
      storage: true,
      subresources: { status: {} },
    });
    expect(crd.spec.names).toMatchObject({ categories: ['dms'] });
  });

  it('describes every field but metadata, which Kubernetes describes', () => {
    const silent = walk(schemaOf(crd), '').filter(({ path, schema }) => {
      const name = path.split('.').at(-1);
      return path !== '.metadata' && name !== '[]' && name !== '{}' && (schema.description ?? '').length < 10;
    });
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('has no default but the first status', () => {
    const defaults = walk(schemaOf(crd), '').filter(({ schema }) => schema['default'] !== undefined);
    expect(defaults.map(({ path, schema }) => [path, schema['default']])).toEqual([
      ['.status', { observedGeneration: -1 }],
    ]);
  });

  it('limits every list, map and text of the spec that is not an enumeration', () => {
    const spec = walk(schemaOf(crd).properties?.['spec'] ?? {}, 'spec');
    const unbounded = spec.filter(({ schema }) => {
      if (schema.type === 'array') return schema['maxItems'] === undefined;
      if (schema.type === 'string') return schema['maxLength'] === undefined && schema['enum'] === undefined;
      return schema.additionalProperties !== undefined && schema['maxProperties'] === undefined;
    });
    expect(unbounded.map(({ path }) => path)).toEqual([]);
  });

  it('defines for every list how server-side apply merges it, with required keys', () => {
    for (const { path, schema } of walk(schemaOf(crd), '')) {
      if (schema.type !== 'array') continue;
      expect(schema['x-kubernetes-list-type'] ?? path).toMatch(/^(atomic|set|map)$/);
      for (const key of schema['x-kubernetes-list-map-keys'] ?? [])
        expect(schema.items?.required, path).toContain(key);
    }
  });

  it('has a message for every rule, and a field for those on objects with several rules', () => {
    const rules = celRules(crd);
    expect(rules.length).toBeGreaterThan(0);
    for (const { message, fieldPath, path } of rules) {
      expect(message, path).toBeDefined();
      if (path.endsWith('.dev') || path.endsWith('.spec')) expect(fieldPath, path).toBeDefined();
    }
  });

  it('has the same rules as the offline check', () => {
    const kind = String(crd.spec.names['kind']);
    const offline = RULES.filter(({ kinds }) => kinds.includes(kind)).map(({ message }) => message);
    const cel = celRules(crd).map(({ message }) => message);
    expect(sorted(offline)).toEqual(sorted(cel));
  });
});

describe('the two kinds of connections', () => {
  it('differ in the source of Secrets, and in their users', () => {
    const [one, other] = [connections, clusterConnections].map((crd) =>
      walk(field(crd, 'spec') ?? {}, '').map(({ path, schema }) => [path, ownKeywords(schema)]),
    );
    const added = (path: unknown): boolean => /^[.](namespaceSelector|allowedNames)/.test(String(path));
    expect(other?.filter(([path]) => !added(path))).toEqual(one);
    expect(field(connections, 'status')).toEqual(field(clusterConnections, 'status'));
    expect([connections.spec.scope, clusterConnections.spec.scope]).toEqual(['Namespaced', 'Cluster']);
  });
});

it('short names, which kubectl does not know otherwise, and columns match the manual (H49)', () => {
  expect(ALL.map(({ spec }) => spec.names['shortNames'])).toEqual([['dmsd'], ['dmsc'], ['dmscc']]);
  const columns = deployments.spec.versions[0].additionalPrinterColumns;
  const shown = columns.filter(({ priority }) => (priority ?? 0) === 0).map(({ name }) => name);
  expect(shown).toEqual(['Ready', 'Synced', 'Reason', 'Status', 'Active', 'Age']);
  expect(columns.filter(({ priority }) => priority === 1).map(({ name }) => name)).toEqual([
    'ID',
    'Source',
    'Image',
    'Latest',
    'Message',
  ]);
});

it('the status shows every text that makes a revision', () => {
  const texts = (path: string) => Object.keys(field(deployments, path)?.properties ?? {});
  const declared = texts('spec.sourceRevisionConfig');
  expect(declared.length).toBeGreaterThan(3);
  expect(texts('status.observed.sourceRevisionConfig')).toEqual(expect.arrayContaining(declared));
});

it('all three together are smaller than 100 KB, which fits into annotations and releases', () => {
  const bytes = ALL.map((crd) => Buffer.byteLength(JSON.stringify(crd))).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(100_000);
});
