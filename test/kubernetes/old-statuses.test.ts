import { beforeAll, describe, expect, it } from 'vitest';
import { API_VERSION } from '../../src/api/metadata.ts';
import { statusesOfFirstRelease } from '../support/first-release.ts';
import { useControlPlane } from '../support/shared-control-plane.ts';

const cluster = useControlPlane();
let resources: string;

beforeAll(async () => {
  await cluster().installCRDs();
  resources = `/apis/${API_VERSION}/namespaces/${await cluster().createNamespace()}/deployments`;
  const body = {
    ...{ apiVersion: API_VERSION, kind: 'Deployment' },
    ...{ metadata: { name: 'agent' }, spec: { source: 'external_container' } },
  };
  expect((await cluster().request('POST', resources, body)).status).toBe(201);
});

describe('a status that release 0.1.0 wrote', () => {
  it.each(statusesOfFirstRelease())('is kept as it stands: $what', async ({ status }) => {
    const { json } = await cluster().request('GET', `${resources}/agent`);
    const path = `${resources}/agent/status?fieldValidation=Strict`;
    const put = await cluster().request('PUT', path, { ...json, status });
    expect(put.status, put.text).toBe(200);
    const read = await cluster().request('GET', `${resources}/agent`);
    expect(read.json?.['status']).toEqual(status);
  });
});
