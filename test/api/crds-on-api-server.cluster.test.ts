import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { at, list } from '../../src/api/problem.ts';
import { validateDocument } from '../../src/api/checks/validate-document.ts';
import { ManifestFiles } from '../../src/directory/manifests/manifest-files.ts';
import type { ApiResponse } from '../support/control-plane/control-plane.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { CHANGES, connection, deployment, type Manifest, SAMPLES } from './corpus.ts';
import { CONNECTION_STATUS, DEPLOYMENT_STATUS } from './full-status.ts';

const cluster = useControlPlane();
const EXAMPLES = join(import.meta.dirname, '..', '..', 'manifests', 'examples');
let namespace = '';
let made = 0;

beforeAll(async () => {
  await cluster().installCRDs();
  namespace = await cluster().createNamespace('api');
});

function pathOf(kind: string, name = ''): string {
  const plural = `${kind.toLowerCase()}s`;
  const place = kind === 'ClusterConnection' ? '' : `namespaces/${namespace}/`;
  return `/apis/dms-operator.dev/v1alpha1/${place}${plural}${name === '' ? '' : `/${name}`}`;
}

function create(document: Manifest, query: string): Promise<ApiResponse> {
  return cluster().request('POST', `${pathOf(document.kind)}?fieldValidation=Strict${query}`, document);
}

/** Applies a file with kubectl as a server-side dry run, without a local change of the file. */
function post(bytes: Buffer): Promise<ApiResponse> {
  const kind = /^"?\s*"?kind"?: "?(\w+)/m.exec(bytes.toString())?.[1] ?? '';
  const known = ['Connection', 'ClusterConnection'].includes(kind) ? kind : 'Deployment';
  const path = `${pathOf(known)}?fieldValidation=Strict&dryRun=All`;
  return cluster().request('POST', path, bytes, 'application/yaml');
}

function errorsOf(document: unknown, old?: unknown): string[] {
  return validateDocument(document, old)
    .filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);
}

describe('the API server and the offline check agree on', () => {
  it('every file of the corpus', { timeout: 120_000 }, async () => {
    const disagreements: string[] = [];
    for (const { name, file, bytes, accepted } of SAMPLES) {
      const { problems, declared } = await new ManifestFiles([file]).read();
      const offline = declared.size > 0 && !problems.some(({ severity }) => severity === 'error');
      const { status, text } = await post(bytes);
      const online = status === 201;
      if (offline === accepted && online === accepted) continue;
      disagreements.push(`${name}: accepted ${offline} offline, ${online} by the API server ${text}`);
    }
    console.log(`corpus: ${SAMPLES.length} files, ${disagreements.length} disagreements`);
    expect(disagreements).toEqual([]);
  });

  it.each(CHANGES)('the change to $name', async ({ before, status, after, wrongAt }) => {
    const name = `change-${(made += 1)}`;
    const metadata = { name };
    let stored = await create({ ...before, metadata }, '');
    if (status !== undefined) {
      stored = await cluster().request(
        'PATCH',
        `${pathOf('Deployment', name)}/status`,
        { status },
        'application/merge-patch+json',
      );
    }
    expect(stored.status, stored.text).toBeLessThan(300);
    const old = stored.json as { metadata: { resourceVersion: string } };
    const next = { ...after, metadata: { name, resourceVersion: old.metadata.resourceVersion } };
    const answer = await cluster().request(
      'PUT',
      `${pathOf('Deployment', name)}?fieldValidation=Strict&dryRun=All`,
      next,
    );
    const accepted = answer.status === 200;
    expect({ accepted, text: accepted ? '' : answer.text }).toMatchObject({
      accepted: wrongAt === undefined,
    });
    const messages = errorsOf(next, old);
    expect(messages.length === 0).toBe(accepted);
    for (const message of messages) expect(answer.text).toContain(message);
  });
});

describe('the custom resource definitions', () => {
  it('are accepted without a warning about dropped fields', async () => {
    for (const plural of ['deployments', 'connections', 'clusterconnections']) {
      const { json } = await cluster().request(
        'GET',
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.dms-operator.dev`,
      );
      const conditions = list(at(json, 'status', 'conditions'));
      const states = Object.fromEntries(conditions.map((each) => [at(each, 'type'), at(each, 'status')]));
      expect(states).toMatchObject({ Established: 'True', NamesAccepted: 'True' });
      expect(states).not.toMatchObject({ NonStructuralSchema: 'True' });
    }
  });

  it('add nothing to a spec, and begin the status with generation -1', async () => {
    const document = deployment({ deploymentRef: { name: 'x' } }, { metadata: { name: 'untouched' } });
    const { json } = await create(document, '');
    expect(json?.['spec']).toEqual(document.spec);
    expect(json?.['status']).toEqual({ observedGeneration: -1 });
  });

  it('explain the meaning of a number in kubectl explain', async () => {
    const cpu = ['explain', 'deployments.dms-operator.dev.spec.sourceConfig.resourceSpec.memoryMB'];
    const { code, stdout } = await cluster().kubectl(cpu);
    expect(code).toBe(0);
    expect(stdout).toContain('megabytes');
    expect(stdout).toContain('unmanaged');
  });

  it('are found by short name and category, and show their columns', async () => {
    await create(deployment({}, { metadata: { name: 'listed' } }), '');
    const { stdout } = await cluster().kubectl(['get', 'dmsd', '-n', namespace, 'listed', '-o', 'wide']);
    const columns = /^NAME +READY +SYNCED +REASON +STATUS +ACTIVE +ID +SOURCE +IMAGE +LATEST +MESSAGE +AGE/;
    expect(stdout).toMatch(columns);
    const all = await cluster().kubectl(['get', 'dms', '-n', namespace, '-o', 'name']);
    expect(all.stdout).toContain('deployment.dms-operator.dev/listed');
  });
});

describe('a status with every field', () => {
  it('of a Deployment is stored as it was written', async () => {
    await create(deployment({}, { metadata: { name: 'full' } }), '');
    expect(await storeStatus('Deployment', 'full', DEPLOYMENT_STATUS)).toEqual(DEPLOYMENT_STATUS);
  });

  it('of a Connection is stored as it was written', async () => {
    await create({ ...connection({}), metadata: { name: 'full' } }, '');
    expect(await storeStatus('Connection', 'full', CONNECTION_STATUS)).toEqual(CONNECTION_STATUS);
  });
});

async function storeStatus(kind: string, name: string, status: object): Promise<unknown> {
  const path = `${pathOf(kind, name)}/status?fieldValidation=Strict`;
  const answer = await cluster().request('PATCH', path, { status }, 'application/merge-patch+json');
  expect(answer.status, answer.text).toBe(200);
  return answer.json?.['status'];
}

it('accepts every example', async () => {
  const files = (await readdir(EXAMPLES, { recursive: true })).filter((file) => file.endsWith('.yaml'));
  for (const file of files) {
    for (const parsed of parseAllDocuments(await readFile(join(EXAMPLES, file), 'utf8'))) {
      const document = parsed.toJS() as Manifest;
      if (!document.apiVersion.startsWith('dms-operator.dev/')) continue;
      const { namespace: dropped, ...metadata } = document.metadata;
      const answer = await create(
        { ...document, metadata: { ...metadata, name: document.metadata.name ?? '' } },
        '&dryRun=All',
      );
      expect(answer.status, `${file} (${String(dropped)}): ${answer.text}`).toBe(201);
    }
  }
});
