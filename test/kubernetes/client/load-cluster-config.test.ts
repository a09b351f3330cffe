import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCluster } from '../../../src/kubernetes/cluster/cluster-adapter.ts';
import { type ClusterConfig, loadClusterConfig } from '../../../src/kubernetes/client/load-cluster-config.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kube-config-'));
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('HOME', directory);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

const CLUSTER = { server: 'https://cluster.example.com:6443/prefix/' };

async function file(change: {
  name?: string;
  user?: object;
  cluster?: object;
  context?: object;
  contextName?: string;
  current?: string | undefined;
}): Promise<string> {
  const path = join(directory, change.name ?? 'config');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { ...CLUSTER, ...change.cluster } }],
    users: [{ name: 'u', user: change.user ?? {} }],
    contexts: [
      {
        name: change.contextName ?? 'main',
        context: { cluster: 'c', user: 'u', namespace: 'team-a', ...change.context },
      },
    ],
    'current-context': 'current' in change ? change.current : 'main',
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

const load = (options: Parameters<typeof loadClusterConfig>[0]): Promise<ClusterConfig> =>
  loadClusterConfig(options, systemClock);

/** Creates a credential plug-in that counts its runs in a file beside it. */
async function plugin(script: string, name = 'plugin'): Promise<object> {
  const path = join(directory, `${name}.mjs`);
  await writeFile(path, script);
  return { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [path] } };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('loading the configuration', () => {
  it('returns the server with its path prefix', async () => {
    const config = await load({ kubeconfig: await file({}) });
    expect(config).toMatchObject({
      server: 'https://cluster.example.com:6443/prefix',
      proxyURL: undefined,
    });
  });

  it.each([
    ['dms-operator where a context names another one', 'main', undefined, 'dms-operator'],
    ["the pod's in a cluster", 'inClusterContext', undefined, 'team-a'],
    ['the one that is asked for', 'inClusterContext', 'ours', 'ours'],
  ])('makes the namespace of the operator %s', async (_, name, asked, want) => {
    const kubeconfig = await file({ contextName: name, current: name });
    const cluster = await openCluster(
      { kubeconfig, operatorNamespace: asked, instance: 'test', userAgent: 'test' },
      { clock: systemClock, logger: new MemoryLogger() },
    );
    expect(cluster.operatorNamespace).toBe(want);
  });

  it('reads the files that KUBECONFIG names', async () => {
    vi.stubEnv('KUBECONFIG', await file({ name: 'elsewhere' }));
    expect((await load({})).server).toContain('cluster.example.com');
  });

  it.each<[string, () => Promise<Parameters<typeof load>[0]>, RegExp]>([
    ['a file that is not there', async () => ({ kubeconfig: join(directory, 'none') }), /no such file.*none/],
    [
      'a missing context',
      async () => ({ kubeconfig: await file({}), context: 'prod' }),
      /context "prod" does not exist; known: main/,
    ],
    [
      'a file without a current context',
      async () => ({ kubeconfig: await file({ current: undefined }) }),
      /no current context; give --context/,
    ],
    [
      'a context whose cluster is not defined',
      async () => ({ kubeconfig: await file({ context: { cluster: 'x' } }) }),
      /names cluster "x", which is not defined/,
    ],
    ['nothing at all', async () => ({}), /no cluster is configured/],
    [
      'a SOCKS proxy',
      async () => ({ kubeconfig: await file({ cluster: { 'proxy-url': 'socks5://localhost:1' } }) }),
      /SOCKS proxy-url is not supported/,
    ],
    [
      'a namespace that YAML reads as a number',
      async () => ({ kubeconfig: await file({ context: { namespace: 2026 } }) }),
      /the namespace of the current context is no text; put it in quotes/,
    ],
    [
      'an endless name',
      async () => ({ kubeconfig: await file({}), context: 'x'.repeat(100_000) }),
      /^.{0,1100}$/,
    ],
  ])('reports in one line what is wrong with %s', async (_name, options, want) => {
    const error = await load(await options()).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(want);
    expect(String(error)).toMatch(/^ExpectedError: kubeconfig: [^\n]+$/);
  });
});

describe('the flags of kubectl', () => {
  const authority = Buffer.from('-----BEGIN CERTIFICATE-----');
  const cluster = { 'certificate-authority-data': authority.toString('base64'), 'tls-server-name': 'inside' };

  /** Returns what these flags load from a kubeconfig with two clusters and two users. */
  async function asked(flags: Parameters<typeof load>[0]): Promise<object> {
    const kubeconfig = await file({ cluster, user: { token: 'abc' } });
    const config = JSON.parse(await readFile(kubeconfig, 'utf8')) as Record<string, object[]>;
    config['clusters']?.push({ name: 'other', cluster: { server: 'https://other.example.com' } });
    config['users']?.push({ name: 'jane', user: await plugin('process.exit(1)') });
    await writeFile(kubeconfig, JSON.stringify(config));
    const { server, contextNamespace, credentials } = await load({ kubeconfig, ...flags });
    return { server, contextNamespace, ...(await credentials()) };
  }

  const context = {
    server: 'https://cluster.example.com:6443/prefix',
    contextNamespace: 'team-a',
    headers: { Authorization: 'Bearer abc' },
    tls: { ca: authority, servername: 'inside' },
  };

  it.each<[string, Parameters<typeof load>[0], object]>([
    ['none', {}, context],
    ['another cluster', { cluster: 'other' }, { ...context, server: 'https://other.example.com', tls: {} }],
    [
      'another server, which has another name than the one in the file',
      { server: 'https://10.0.0.1:6443/' },
      { ...context, server: 'https://10.0.0.1:6443', tls: { ca: authority } },
    ],
    [
      'a token instead of a plug-in',
      { user: 'jane', token: 'mine' },
      { ...context, headers: { Authorization: 'Bearer mine' } },
    ],
    [
      'another user, and groups',
      { as: 'joe', asGroups: ['admins', 'all'] },
      {
        ...context,
        headers: {
          ...{ Authorization: 'Bearer abc', 'Impersonate-User': 'joe' },
          'Impersonate-Group': ['admins', 'all'],
        },
      },
    ],
    [
      'no check of the certificate',
      { insecureSkipTLSVerify: true },
      { ...context, tls: { rejectUnauthorized: false, servername: 'inside' } },
    ],
    [
      'another name in the certificate',
      { tlsServerName: 'there' },
      { ...context, tls: { ca: authority, servername: 'there' } },
    ],
  ])('may set %s', async (_, flags, want) => {
    expect(await asked(flags)).toEqual(want);
  });

  it('may name files', async () => {
    for (const name of ['ca', 'crt', 'key']) await writeFile(join(directory, name), name);
    const flags = {
      certificateAuthority: join(directory, 'ca'),
      clientCertificate: join(directory, 'crt'),
      clientKey: join(directory, 'key'),
    };
    const buffers = { ca: Buffer.from('ca'), cert: Buffer.from('crt'), key: Buffer.from('key') };
    expect(await asked(flags)).toEqual({ ...context, tls: { ...buffers, servername: 'inside' } });
  });

  it('need no kubeconfig if they are complete', async () => {
    const config = await load({ server: 'https://10.0.0.1', token: 'mine' });
    expect(config.server).toBe('https://10.0.0.1');
    expect((await config.credentials()).headers).toEqual({ Authorization: 'Bearer mine' });
  });

  it.each([
    [{ cluster: 'nowhere' }, 'kubeconfig: cluster "nowhere" does not exist; known: c, other'],
    [{ user: 'nobody' }, 'kubeconfig: user "nobody" does not exist; known: u, jane'],
    [{ context: 'prod', server: 'https://x' }, 'kubeconfig: context "prod" does not exist; known: main'],
  ])('that name an unknown entry are reported in one line: %j', async (flags, message) => {
    await expect(asked(flags)).rejects.toThrow(message);
  });

  it('leave the current context to the first of several files that names one', async () => {
    const [none, first, second] = [
      await file({ name: 'none', current: undefined, contextName: 'a' }),
      await file({ name: 'first', cluster: { server: 'https://first' }, contextName: 'b', current: 'b' }),
      await file({ name: 'second', cluster: { server: 'https://second' }, contextName: 'd', current: 'd' }),
    ];
    for (const path of [none, first, second]) {
      const text = (await readFile(path, 'utf8')).replaceAll(/"([cu])"/g, `"$1 of ${path}"`);
      await writeFile(path, text);
    }
    vi.stubEnv('KUBECONFIG', [first, second].join(':'));
    expect((await load({})).server).toBe('https://first');
    vi.stubEnv('KUBECONFIG', [none, second].join(':'));
    expect((await load({})).server).toBe('https://second');
  });
});

describe('credentials', () => {
  const ca = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');

  it('contain the authorities of the cluster and the token of the user', async () => {
    const cluster = { 'certificate-authority-data': ca, 'tls-server-name': 'inside' };
    const config = await load({ kubeconfig: await file({ cluster, user: { token: 'abc' } }) });
    expect(await config.credentials()).toEqual({
      headers: { Authorization: 'Bearer abc' },
      tls: { ca: Buffer.from('-----BEGIN CERTIFICATE-----'), servername: 'inside' },
    });
  });

  it('trust the authorities of the cluster for a context without a user too', async () => {
    const cluster = { 'certificate-authority-data': ca };
    const config = await load({ kubeconfig: await file({ cluster, context: { user: 'nobody' } }) });
    expect((await config.credentials()).tls.ca).toEqual(Buffer.from('-----BEGIN CERTIFICATE-----'));
  });

  it('are read again from a token file after a while, and at once if they were refused', async () => {
    const tokenFile = join(directory, 'token');
    const user = { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } };
    await writeFile(tokenFile, 'first\n');
    const config = await load({ kubeconfig: await file({ user }) });
    const first = await config.credentials();
    expect(first.headers).toEqual({ Authorization: 'Bearer first' });
    await writeFile(tokenFile, 'second\n');
    expect((await config.credentials()).headers).toEqual({ Authorization: 'Bearer first' });
    expect((await config.credentials(first)).headers).toEqual({ Authorization: 'Bearer second' });
  });

  it('come from one run of a plug-in for many callers, and from one more for all who were refused', async () => {
    const runs = join(directory, 'runs');
    const user = await plugin(`
      import { appendFileSync, readFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(runs)}, 'x');
      const token = 'run-' + readFileSync(${JSON.stringify(runs)}, 'utf8').length;
      console.log(JSON.stringify({ status: { token } }));
    `);
    const config = await load({ kubeconfig: await file({ user }) });
    const [one] = await Promise.all(Array.from({ length: 5 }, () => config.credentials()));
    expect(one?.headers).toEqual({ Authorization: 'Bearer run-1' });
    const renewed = await Promise.all(Array.from({ length: 5 }, () => config.credentials(one)));
    expect(new Set(renewed.map(({ headers }) => headers['Authorization']))).toEqual(
      new Set(['Bearer run-2']),
    );
  });

  it('tell a plug-in the version of the protocol', async () => {
    const user = await plugin(`
      const { apiVersion } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      console.log(JSON.stringify({ apiVersion, status: { token: apiVersion } }));
    `);
    const config = await load({ kubeconfig: await file({ user }) });
    expect((await config.credentials()).headers).toEqual({
      Authorization: 'Bearer client.authentication.k8s.io/v1',
    });
  });

  it('fail as unauthorized if a plug-in fails, and the next request runs it again', async () => {
    const flag = join(directory, 'works');
    const user = await plugin(`
      import { existsSync } from 'node:fs';
      if (!existsSync(${JSON.stringify(flag)})) { console.error('please log in'); process.exit(1); }
      console.log(JSON.stringify({ status: { token: 'ok' } }));
    `);
    const config = await load({ kubeconfig: await file({ user }) });
    await expect(config.credentials()).rejects.toMatchObject({
      kind: 'unauthorized',
      message: 'credentials: please log in',
    });
    await writeFile(flag, '');
    expect((await config.credentials()).headers).toEqual({ Authorization: 'Bearer ok' });
  });

  it('fail where a plug-in hangs, which is killed, and come from the next run', async () => {
    const pid = join(directory, 'pid');
    const user = await plugin(`
      import { existsSync, writeFileSync } from 'node:fs';
      if (existsSync(${JSON.stringify(pid)})) console.log(JSON.stringify({ status: { token: 'ok' } }));
      else {
        process.on('SIGTERM', () => undefined);
        writeFileSync(${JSON.stringify(pid)}, String(process.pid));
        setTimeout(() => undefined, 60_000);
      }
    `);
    const clock = new VirtualClock();
    const config = await loadClusterConfig({ kubeconfig: await file({ user }) }, clock);
    const asking = config.credentials().catch((reason: unknown) => reason);
    await expect.poll(() => readFile(pid, 'utf8').catch(() => '')).toMatch(/^\d+$/);
    const running = Number(await readFile(pid, 'utf8'));
    expect(isAlive(running)).toBe(true);
    await clock.advance(61_000);
    expect(await asking).toMatchObject({
      kind: 'unauthorized',
      message: expect.stringContaining('did not answer'),
    });
    await expect.poll(() => isAlive(running)).toBe(false);
    expect((await config.credentials()).headers).toEqual({ Authorization: 'Bearer ok' });
  });

  it('of two clusters are not mixed up where their users have the same name', async () => {
    const withToken = async (token: string): Promise<ClusterConfig> => {
      const user = await plugin(`console.log(JSON.stringify({ status: { token: '${token}' } }))`, token);
      return await load({ kubeconfig: await file({ name: `config-${token}`, user }) });
    };
    const [one, other] = [await withToken('one'), await withToken('other')];
    const headers = async (config: ClusterConfig): Promise<unknown> => (await config.credentials()).headers;
    expect(await headers(one)).toEqual({ Authorization: 'Bearer one' });
    expect(await headers(other)).toEqual({ Authorization: 'Bearer other' });
    expect(await headers(one)).toEqual({ Authorization: 'Bearer one' });
  });
});

describe('a server without TLS, such as kubectl proxy', () => {
  it.each([
    ['a token', { token: 'hunter2' }],
    ['a password', { username: 'joe', password: 'hunter2' }],
    ['a certificate', { 'client-certificate-data': 'aHVudGVyMg==', 'client-key-data': 'aHVudGVyMg==' }],
    ['a plug-in that cannot be run', { exec: { apiVersion: 'v1', command: '/none/plugin' } }],
  ])('receives no credential if the user has %s', async (_, user) => {
    const cluster = { server: 'http://127.0.0.1:8001' };
    const config = await load({ kubeconfig: await file({ cluster, user }) });
    expect(config.server).toBe('http://127.0.0.1:8001');
    expect(await config.credentials()).toEqual({ headers: {}, tls: {} });
  });

  it('receives none either if the certificate is not checked, or a flag sets a token', async () => {
    const cluster = { 'insecure-skip-tls-verify': true };
    const kubeconfig = await file({ cluster, user: { token: 'hunter2' } });
    const flags = { server: 'http://127.0.0.1:8001', token: 'hunter3' };
    const config = await load({ kubeconfig, ...flags });
    expect(await config.credentials()).toEqual({ headers: {}, tls: {} });
  });

  it('receives the name of the impersonated user, which takes rights away', async () => {
    const flags = { server: 'http://127.0.0.1:8001', as: 'joe', asGroups: ['admins'] };
    const config = await load({ kubeconfig: await file({ user: { token: 'hunter2' } }), ...flags });
    expect((await config.credentials()).headers).toEqual({
      'Impersonate-User': 'joe',
      'Impersonate-Group': ['admins'],
    });
  });
});
