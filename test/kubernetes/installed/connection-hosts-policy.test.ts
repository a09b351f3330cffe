import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { connectionSettings } from '../../../src/model/connection/connection-settings.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import type { ApiResponse } from '../../support/control-plane/control-plane.ts';
import { fieldOf, withEditedCRD } from '../../support/control-plane/crd-edits.ts';
import { useOwnControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const POLICIES = join(import.meta.dirname, '..', '..', '..', 'manifests', 'policies');
const ANNOTATION = 'dms-operator.dev/allowed-hosts';
const MERGE_PATCH = 'application/merge-patch+json';
const SOON = { timeout: 20_000, interval: 100 };
const PERMITTED = [
  'deploy.example.com',
  'Upper.Example.COM',
  ' *.internal.example.com ',
  '*.ports.example.com:8443',
  'only.example.com:444',
  '10.0.0.5',
  '[2001:db8::1]',
].join(',');

const cluster = useOwnControlPlane();

beforeAll(async () => {
  await cluster().installCRDs();
  const { code, stderr } = await cluster().kubectl(['apply', '--server-side', '-k', POLICIES]);
  expect(code, stderr).toBe(0);
  await cluster().request('POST', '/api/v1/namespaces', { metadata: { name: 'without' } });
  await permit('team-a', PERMITTED);
  await permit('any', '*');
  // Policies and namespaces take effect in the API server a moment later.
  await vi.waitFor(async () => {
    expect((await create('without', 'https://deploy.example.com')).status).toBe(403);
    expect((await create('team-a', 'https://deploy.example.com')).status).toBe(201);
  }, SOON);
});

const AMBIGUOUS = [
  ['user info', 'https://deploy.example.com@evil.example/'],
  ['a backslash', 'https://evil.example\\@deploy.example.com/'],
  ['a backslash in the path', 'https://deploy.example.com/\\evil.example'],
  ['an escaped host', 'https://evil%2eexample/'],
  ['a query', 'https://deploy.example.com?x=/'],
  ['a fragment', 'https://evil.example#.internal.example.com'],
  ['a port that is none', 'https://deploy.example.com:x'],
  ['two ports', 'https://evil.example:443:deploy.example.com'],
  ['no host', 'https:///deploy.example.com'],
  ['letters of another alphabet', 'https://dеploy.example.com'],
];

/** Creates the namespace if it is missing, and sets the hosts that it may use. */
async function permit(namespace: string, hosts: string): Promise<void> {
  await cluster().request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const annotated = { metadata: { annotations: { [ANNOTATION]: hosts } } };
  await cluster().request('PATCH', `/api/v1/namespaces/${namespace}`, annotated, MERGE_PATCH);
}

function connections(namespace: string, name = ''): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/connections${name && `/${name}`}`;
}

function connection(baseURL: string, name = 'default') {
  return {
    apiVersion: API_VERSION,
    kind: 'Connection',
    metadata: { name },
    spec: { baseURL, allowHTTP: true },
  };
}

/** Tries to create a Connection with this address (dry run) and returns the answer. */
function create(namespace: string, baseURL: string): Promise<ApiResponse> {
  return cluster().request('POST', `${connections(namespace)}?dryRun=All`, connection(baseURL));
}

describe('a namespace with permitted hosts', () => {
  it.each([
    'https://deploy.example.com',
    'https://deploy.example.com:9443/api/deploy',
    'http://deploy.example.com/',
    'https://DEPLOY.example.COM',
    'https://deploy.example.com.',
    'https://deploy.example.com./api',
    'https://upper.example.com',
    'https://a.internal.example.com',
    'https://a.b.internal.example.com:8443',
    'https://a.ports.example.com:8443',
    'https://a.ports.example.com:08443',
    'https://only.example.com:444',
    'https://10.0.0.5/v2',
    'https://[2001:db8::1]:8443/v2',
    'https://[2001:DB8::1]',
  ])('may point a Connection at %s', async (baseURL) => {
    const { status, text } = await create('team-a', baseURL);
    expect(status, text).toBe(201);
  });

  it.each([
    ['another host', 'https://elsewhere.example.com'],
    ['the parent of a wildcard', 'https://internal.example.com'],
    ['a name that only ends alike', 'https://notinternal.example.com'],
    ['a permitted name as the beginning of another', 'https://deploy.example.com.evil.example'],
    ['a permitted name in the path', 'https://evil.example/deploy.example.com'],
    ['a wildcard of one port by another', 'https://a.ports.example.com'],
    ['another port', 'https://only.example.com:445'],
    ['the default port where another is meant', 'https://only.example.com'],
    ['two dots at the end', 'https://deploy.example.com..'],
    ['an address', 'https://10.0.0.6'],
    ['an address as one number', 'https://167772165'],
    ['an address in hexadecimal', 'https://0x0a.0.0.5'],
    ['an address in octal', 'https://012.0.0.5'],
    ['an address in IPv6', 'https://[::ffff:10.0.0.5]'],
    ['another spelling of an IPv6 address', 'https://[2001:db8:0::1]'],
  ])('may not use %s', async (_what, baseURL) => {
    const { status, text } = await create('team-a', baseURL);
    expect(status, text).toBe(403);
    expect(text).toContain('is not one that namespace team-a may use');
  });

  it('learns from the error which hosts it may use, and who permits them', async () => {
    const { json } = await create('team-a', 'https://evil.example:8080/v2');
    expect(json?.['message']).toContain(
      'spec.baseURL: host evil.example:8080 is not one that namespace team-a may use (deploy.example.com, ' +
        'upper.example.com, *.internal.example.com, *.ports.example.com:8443, only.example.com:444, 10.0.0.5, ' +
        '[2001:db8::1]); who runs the cluster permits hosts by its annotation dms-operator.dev/allowed-hosts',
    );
  });
});

describe('an address with two interpretations', () => {
  it.each(AMBIGUOUS)('is refused: %s', async (_what, baseURL) => {
    const { status, text } = await create('team-a', baseURL);
    expect([403, 422], text).toContain(status);
  });

  it('is refused by the policy too, should the CRD ever let it pass', async () => {
    const undo = await withEditedCRD(cluster(), 'connections', (schema) => {
      Object.assign(fieldOf(schema, 'spec.baseURL'), { pattern: undefined });
    });
    await vi.waitFor(async () => {
      expect((await create('any', 'https://a@b.example')).status).toBe(403);
    }, SOON);
    for (const [what = '', baseURL = ''] of AMBIGUOUS) {
      const { status, text } = await create('any', baseURL);
      expect({ what, status }, text).toEqual({ what, status: 403 });
      expect(text).toContain('spec.baseURL must be https://HOST[:PORT][/PATH]');
    }
    await undo();
  });
});

describe('an accepted address', () => {
  it.each([
    'https://DEPLOY.example.COM',
    'https://deploy.example.com.:443',
    'https://a.ports.example.com:08443',
  ])('has the same host for the controller as for the policy: %s', (baseURL) => {
    const spec = { baseURL };
    const resource = { ...connection(baseURL), kind: 'Connection' as const, spec };
    const settings = connectionSettings({ ...resource, apiVersion: API_VERSION }, () => undefined);
    expect(new URL(settings.baseURL).hostname.replace(/\.$/, '')).toMatch(
      /^(deploy|a\.ports)\.example\.com$/,
    );
  });
});

describe('a namespace without the annotation', () => {
  it('may have no Connection', async () => {
    const { status, json } = await create('without', 'https://deploy.example.com');
    expect(status).toBe(403);
    expect(json?.['message']).toContain('namespace without may use (none is permitted)');
  });

  it('may have any Connection with an asterisk', async () => {
    expect((await create('any', 'https://elsewhere.example.com:8443/v2')).status).toBe(201);
  });
});

describe('an accepted Connection', () => {
  const at = (name: string): string => connections('moving', name);
  const patch = (name: string, body: object): Promise<ApiResponse> =>
    cluster().request('PATCH', at(name), body, MERGE_PATCH);

  beforeAll(async () => {
    await permit('moving', 'deploy.example.com');
    await vi.waitFor(async () => {
      expect((await create('moving', 'https://deploy.example.com')).status).toBe(201);
    }, SOON);
  });

  const made = async (name: string, finalizers: readonly string[] = []): Promise<void> => {
    const { metadata, ...rest } = connection('https://deploy.example.com', name);
    const body = { ...rest, metadata: { ...metadata, finalizers } };
    expect((await cluster().request('POST', connections('moving'), body)).status).toBe(201);
  };

  it('may be edited, and not moved to another address', async () => {
    await made('edited');
    expect((await patch('edited', { spec: { suspend: true } })).status).toBe(200);
    const moved = await patch('edited', { spec: { baseURL: 'https://evil.example' } });
    expect(moved.status).toBe(403);
    expect(moved.text).toContain('is not one that namespace moving may use');
  });

  it('may not be pointed elsewhere while it is being deleted, and is released all the same', async () => {
    await made('leaving', ['example.com/held']);
    await cluster().request('DELETE', at('leaving'));
    expect((await patch('leaving', { spec: { baseURL: 'https://evil.example' } })).status).toBe(403);
    await permit('moving', 'other.example.com');
    await expect.poll(async () => (await create('moving', 'https://deploy.example.com')).status).toBe(403);
    expect((await patch('leaving', { metadata: { finalizers: [] } })).status).toBe(200);
    expect((await cluster().request('GET', at('leaving'))).status).toBe(404);
  });

  it('keeps its status when its host is no longer permitted, and cannot be edited', async () => {
    await permit('moving', 'deploy.example.com');
    await expect.poll(async () => (await create('moving', 'https://deploy.example.com')).status).toBe(201);
    await made('stranded');
    await permit('moving', 'other.example.com');
    await expect.poll(async () => (await create('moving', 'https://deploy.example.com')).status).toBe(403);
    const status = { status: { observedGeneration: 1 } };
    const told = await cluster().request('PATCH', `${at('stranded')}/status`, status, MERGE_PATCH);
    expect(told.status, told.text).toBe(200);
    expect((await patch('stranded', { spec: { suspend: true } })).status).toBe(403);
  });
});

describe('the right to permit a host', () => {
  it('does not follow from the right to write Connections', async () => {
    const role = [
      'create',
      'rolebinding',
      'ann',
      '--clusterrole=dms-operator-connection-admin',
      '--user=ann',
    ];
    const install = join(POLICIES, '..', 'install', 'user-roles.yaml');
    await cluster().kubectl(['apply', '--server-side', '-f', install]);
    expect((await cluster().kubectl([...role, '-n', 'team-a'])).code).toBe(0);
    const kubeconfigFile = await cluster().userKubeconfig('ann');
    const annotate = ['annotate', '--overwrite', 'namespace', 'team-a', `${ANNOTATION}=evil.example`];

    const refused = await cluster().kubectl(annotate, { kubeconfigFile });

    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('forbidden');
    const manifest = JSON.stringify(connection('https://evil.example', 'ann'));
    const applied = await cluster().kubectl(['apply', '-n', 'team-a', '-f', '-'], {
      kubeconfigFile,
      stdin: manifest,
    });
    expect(applied.stderr).toContain('host evil.example:443 is not one that namespace team-a may use');
  });
});
