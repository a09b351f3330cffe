import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { schemaOf } from '../../src/api/schema/schema-of.ts';
import { API_VERSION } from '../../src/api/metadata.ts';
import { at, isRecord, join as joinPath, type JsonRecord } from '../../src/api/problem.ts';
import type { Schema } from '../../src/api/schema.ts';
import { validateDocument } from '../../src/api/checks/validate-document.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'manifests', 'examples');
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.yaml'),
);

function documentsIn(file: string): JsonRecord[] {
  const parsed = parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8'));
  return [...parsed].map((document): JsonRecord => {
    expect(document.errors).toEqual([]);
    return document.toJS() as JsonRecord;
  });
}

function ours(file: string): JsonRecord[] {
  return documentsIn(file).filter(({ apiVersion }) => apiVersion === API_VERSION);
}

describe('the example', () => {
  it.each(FILES)('%s is valid and states its subject at the top', (file) => {
    expect(readFileSync(join(FOLDER, file), 'utf8')).toMatch(/^# /);
    const documents = ours(file);
    expect(documents.length).toBeGreaterThan(0);
    for (const document of documents) {
      const problems = validateDocument(document);
      const unwanted =
        file === 'all-fields.yaml' ? problems.filter(({ severity }) => severity === 'error') : problems;
      expect(unwanted).toEqual([]);
    }
  });

  it.each(FILES)('%s names its deployment, since kustomize may rename the resource', (file) => {
    for (const document of ours(file)) {
      if (document['kind'] === 'Deployment') expect(at(document, 'spec', 'deploymentRef')).toBeDefined();
    }
  });

  it.each(FILES)('%s contains only Secrets, ConfigMaps and our kinds', (file) => {
    for (const document of documentsIn(file)) {
      const known = [
        'v1 Secret',
        'v1 ConfigMap',
        ...['Deployment', 'Connection', 'ClusterConnection'].map((kind) => `${API_VERSION} ${kind}`),
      ];
      expect(known).toContain(`${String(document['apiVersion'])} ${String(document['kind'])}`);
    }
  });
});

it('all-fields.yaml has every field except mutually exclusive and ignored ones', () => {
  const present = new Set<string>();
  for (const document of ours('all-fields.yaml')) collect(document, String(document['kind']), present);
  const missing = ours('all-fields.yaml').flatMap((document) => {
    const kind = String(document['kind']);
    const spec = schemaOf(kind).properties?.['spec'] ?? {};
    return fieldsOf(spec, `${kind}.spec`).filter((path) => !present.has(path));
  });
  const either = /(tls|proxy)[.]caBundle[.](configMapKeyRef|secretKeyRef)/;
  expect(missing.filter((path) => !either.test(path))).toEqual([
    'Deployment.spec.deploymentRef.id',
    'Deployment.spec.selector',
    'Deployment.spec.template',
    'Deployment.spec.replicas',
  ]);
});

it('the demo has a connection, a Secret, and deployments of two sources with secrets and resources', () => {
  const documents = FILES.filter((file) => file.startsWith('demo')).flatMap(documentsIn);
  const kinds = documents.map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['Connection', 'Secret', 'Deployment']));
  const connections = documents.filter(({ kind }) => kind === 'Connection');
  expect(connections.map((each) => [at(each, 'metadata', 'name'), at(each, 'spec', 'baseURL')])).toEqual([
    ['default', 'http://127.0.0.1:7070'],
  ]);
  const sources = documents
    .map((each) => at(each, 'spec', 'source'))
    .filter((source) => source !== undefined);
  expect(new Set(sources)).toEqual(new Set(['external_container', 'codehost']));
});

/** Collects the paths in a manifest, without indexes. */
function collect(value: unknown, path: string, into: Set<string>): void {
  into.add(path);
  if (Array.isArray(value)) for (const item of value) collect(item, path, into);
  else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) collect(item, joinPath(path, key), into);
}

/** Returns the paths of all fields below a schema, without indexes. */
function fieldsOf(schema: Schema, path: string): string[] {
  if (schema.items !== undefined) return fieldsOf(schema.items, path);
  return Object.entries(schema.properties ?? {}).flatMap(([key, part]) => [
    joinPath(path, key),
    ...fieldsOf(part, joinPath(path, key)),
  ]);
}
