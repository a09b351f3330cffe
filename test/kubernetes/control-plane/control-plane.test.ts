import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useControlPlane, useOwnControlPlane } from '../../support/control-plane/shared-control-plane.ts';

describe('the shared control plane', () => {
  const cluster = useControlPlane();

  it('is a real API server of the pinned minor release that obeys kubectl', async () => {
    const { code, stdout, stderr } = await cluster().kubectl(['version', '-o', 'json']);

    expect(stderr).toBe('');
    expect(code).toBe(0);
    const { serverVersion } = JSON.parse(stdout);
    expect(serverVersion).toMatchObject({ major: '1', minor: '36' });
  });

  it('creates a namespace for every test', async () => {
    const [one, two] = await Promise.all([cluster().createNamespace(), cluster().createNamespace()]);

    expect(one).not.toBe(two);
    const { stdout } = await cluster().kubectl(['get', 'namespaces', one, two, '-o', 'name']);
    expect(stdout.trim().split('\n')).toEqual([`namespace/${one}`, `namespace/${two}`]);
  });

  it('issues user certificates without rights, and reports refusals by exit code', async () => {
    const kubeconfigFile = await cluster().userKubeconfig('jane', ['team-a', 'team-b']);

    const who = await cluster().kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfigFile });
    expect(JSON.parse(who.stdout).status.userInfo).toMatchObject({
      username: 'jane',
      groups: ['team-a', 'team-b', 'system:authenticated'],
    });
    const refused = await cluster().kubectl(['get', 'secrets', '-A'], { kubeconfigFile });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('User "jane" cannot list resource "secrets"');
  });

  it('issues real tokens for service accounts', async () => {
    const namespace = await cluster().createNamespace();
    await cluster().kubectl(['create', 'serviceaccount', 'robot', '-n', namespace]);

    const kubeconfigFile = await cluster().serviceAccountKubeconfig(namespace, 'robot');

    const who = await cluster().kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfigFile });
    expect(JSON.parse(who.stdout).status.userInfo.username).toBe(`system:serviceaccount:${namespace}:robot`);
  });
});

describe('a separate control plane', () => {
  const cluster = useOwnControlPlane({ apiServerFlags: { 'goaway-chance': '0.001' } });

  it('counts requests by verb and resource', async () => {
    const before = await cluster().metrics();
    await cluster().request('GET', '/api/v1/configmaps');
    await cluster().request('GET', '/api/v1/configmaps');
    const after = await cluster().metrics();

    const lists = { verb: 'LIST', resource: 'configmaps' };
    expect(after.requests(lists) - before.requests(lists)).toBe(2);
    expect(after.requests({ ...lists, code: '500' })).toBe(0);
  });

  it('keeps its data and its address while the API server is down', async () => {
    const namespace = await cluster().createNamespace();

    await cluster().stopApiServer();
    await expect(cluster().request('GET', '/readyz')).rejects.toThrow('ECONNREFUSED');
    await cluster().startApiServer();

    const found = await cluster().request('GET', `/api/v1/namespaces/${namespace}`);
    expect(found.status).toBe(200);
  });

  it('leaves no files when it is stopped', async () => {
    const { directory } = cluster();
    expect(existsSync(directory)).toBe(true);

    await cluster().stop();

    expect(existsSync(directory)).toBe(false);
  });
});
