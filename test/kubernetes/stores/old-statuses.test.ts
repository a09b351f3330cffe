import { beforeAll, describe, expect, it } from 'vitest';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { statusesOfFirstRelease } from '../../support/resources/first-release.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const SPECS = {
  Deployment: { source: 'external_container' },
  Connection: { baseURL: 'https://service.example.com' },
};

const cluster = useControlPlane();
let namespace: string;

beforeAll(async () => {
  await cluster().installCRDs();
  namespace = await cluster().createNamespace();
  for (const [kind, spec] of Object.entries(SPECS)) {
    const body = { apiVersion: API_VERSION, kind, metadata: { name: 'old' }, spec };
    expect((await cluster().request('POST', resources(kind), body)).status).toBe(201);
  }
});

function resources(kind: string): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/${kind.toLowerCase()}s`;
}

describe('a status that release 0.1.0 wrote', () => {
  it.each(statusesOfFirstRelease())('is kept unchanged: $kind $what', async ({ kind, status }) => {
    const path = `${resources(kind)}/old`;
    const { json } = await cluster().request('GET', path);
    const put = await cluster().request('PUT', `${path}/status?fieldValidation=Strict`, { ...json, status });
    expect(put.status, put.text).toBe(200);
    expect((await cluster().request('GET', path)).json?.['status']).toEqual(status);
  });
});
