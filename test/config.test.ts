import { describe, expect, it } from 'vitest';
import { readRunConfig } from '../src/cli/flags/read-config.ts';
import { environment, UsageError } from '../src/config.ts';
import type { Environment, Flags, RunConfig } from '../src/config.ts';

const DEFAULTS: RunConfig = {
  access: { asGroups: [] },
  namespaces: [],
  dirs: [],
  state: undefined,
  secretsDir: undefined,
  prune: false,
  pruneMany: false,
  pruneAfterMs: undefined,
  metricsAddress: { host: undefined, port: 8080 },
  operatorNamespace: undefined,
  shardSelector: undefined,
  leaderElect: true,
  leaderElectionNamespace: undefined,
  dryRun: false,
  egress: { allowHosts: [], proxyHosts: [] },
  inCluster: false,
  workers: 64,
  logLevel: 'info',
  logFormat: undefined,
};

function usageError(flags: Flags, variables: Environment = {}): string {
  try {
    readRunConfig(flags, variables);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('configuration of run', () => {
  it('has a default for everything', () => {
    expect(readRunConfig({}, {})).toEqual(DEFAULTS);
  });

  const accepted: readonly { flags: Flags; variables: Environment; want: Partial<RunConfig> }[] = [
    {
      flags: { kubeconfig: '/k', context: 'kind' },
      variables: { DMS_OPERATOR_KUBECONFIG: '/k', DMS_OPERATOR_CONTEXT: 'kind' },
      want: { access: { kubeconfig: '/k', context: 'kind', asGroups: [] } },
    },
    {
      flags: {
        ...{ cluster: 'c', user: 'u', server: 'cluster.example.com:6443', token: 't', as: 'jane' },
        ...{ asGroup: ['admins', 'all'], tlsServerName: 'inside', requestTimeout: '1m30s' },
        ...{ certificateAuthority: 'ca', clientCertificate: 'crt', clientKey: 'key' },
      },
      variables: {
        DMS_OPERATOR_CLUSTER: 'c',
        DMS_OPERATOR_USER: 'u',
        DMS_OPERATOR_SERVER: 'https://cluster.example.com:6443/',
        DMS_OPERATOR_TOKEN: 't',
        DMS_OPERATOR_AS: 'jane',
        DMS_OPERATOR_AS_GROUP: 'admins,all',
        DMS_OPERATOR_TLS_SERVER_NAME: 'inside',
        DMS_OPERATOR_REQUEST_TIMEOUT: '90',
        DMS_OPERATOR_CERTIFICATE_AUTHORITY: 'ca',
        DMS_OPERATOR_CLIENT_CERTIFICATE: 'crt',
        DMS_OPERATOR_CLIENT_KEY: 'key',
      },
      want: {
        access: {
          ...{ cluster: 'c', user: 'u', server: 'https://cluster.example.com:6443/', token: 't', as: 'jane' },
          ...{ asGroups: ['admins', 'all'], tlsServerName: 'inside', requestTimeoutMs: 90_000 },
          ...{ certificateAuthority: 'ca', clientCertificate: 'crt', clientKey: 'key' },
        },
      },
    },
    {
      flags: { insecureSkipTlsVerify: true, requestTimeout: '0' },
      variables: { DMS_OPERATOR_INSECURE_SKIP_TLS_VERIFY: 'true', DMS_OPERATOR_REQUEST_TIMEOUT: '0' },
      want: { access: { insecureSkipTLSVerify: true, requestTimeoutMs: Infinity, asGroups: [] } },
    },
    {
      flags: { namespace: ['team-a', 'team-b', 'team-a'] },
      variables: { DMS_OPERATOR_NAMESPACE: 'team-a, team-b' },
      want: { namespaces: ['team-a', 'team-b'] },
    },
    {
      flags: { dir: ['manifests'], state: 's.json', secretsDir: '/run/secrets', prune: true },
      variables: {
        DMS_OPERATOR_DIR: 'manifests',
        DMS_OPERATOR_STATE: 's.json',
        DMS_OPERATOR_SECRETS_DIR: '/run/secrets',
        DMS_OPERATOR_PRUNE: 'true',
      },
      want: {
        ...{ dirs: ['manifests'], state: 's.json', secretsDir: '/run/secrets', prune: true },
        leaderElect: false,
      },
    },
    {
      flags: { metricsAddress: '127.0.0.1:9090' },
      variables: { DMS_OPERATOR_METRICS_ADDRESS: '127.0.0.1:9090' },
      want: { metricsAddress: { host: '127.0.0.1', port: 9090 } },
    },
    {
      flags: { metricsAddress: '[::1]:0' },
      variables: { DMS_OPERATOR_METRICS_ADDRESS: '[::1]:0' },
      want: { metricsAddress: { host: '::1', port: 0 } },
    },
    {
      flags: { metricsAddress: '0' },
      variables: { DMS_OPERATOR_METRICS_ADDRESS: '0' },
      want: { metricsAddress: undefined },
    },
    {
      flags: { operatorNamespace: 'dms', dryRun: true },
      variables: { DMS_OPERATOR_OPERATOR_NAMESPACE: 'dms', DMS_OPERATOR_DRY_RUN: 'true' },
      want: { operatorNamespace: 'dms', dryRun: true },
    },
    {
      flags: { shardSelector: 'tier=gold,!old' },
      variables: { DMS_OPERATOR_SHARD_SELECTOR: 'tier=gold,!old' },
      want: {
        shardSelector: {
          text: 'tier=gold,!old',
          selector: {
            matchExpressions: [
              { key: 'tier', operator: 'In', values: ['gold'] },
              { key: 'old', operator: 'DoesNotExist' },
            ],
          },
        },
      },
    },
    {
      flags: { leaderElect: 'false', leaderElectionNamespace: 'leases' },
      variables: {
        DMS_OPERATOR_LEADER_ELECT: 'false',
        DMS_OPERATOR_LEADER_ELECTION_NAMESPACE: 'leases',
      },
      want: { leaderElect: false, leaderElectionNamespace: 'leases' },
    },
    {
      flags: { allowHosts: 'API.example.com,*.example.org:8443' },
      variables: { DMS_OPERATOR_ALLOW_HOSTS: 'api.example.com, *.example.org:8443' },
      want: { egress: { allowHosts: ['api.example.com', '*.example.org:8443'], proxyHosts: [] } },
    },
    {
      flags: { proxyHosts: ['Proxy.example.com:3128', '*.egress.example'] },
      variables: { DMS_OPERATOR_PROXY_HOSTS: 'proxy.example.com:3128,*.egress.example' },
      want: { egress: { allowHosts: [], proxyHosts: ['proxy.example.com:3128', '*.egress.example'] } },
    },
    {
      flags: { workers: '8', logLevel: 'debug', logFormat: 'pretty' },
      variables: {
        DMS_OPERATOR_WORKERS: '8',
        DMS_OPERATOR_LOG_LEVEL: 'debug',
        DMS_OPERATOR_LOG_FORMAT: 'pretty',
      },
      want: { workers: 8, logLevel: 'debug', logFormat: 'pretty' },
    },
    {
      flags: { prune: false, dryRun: 'false' },
      variables: { DMS_OPERATOR_PRUNE: 'false', DMS_OPERATOR_DRY_RUN: 'false' },
      want: { prune: false, dryRun: false },
    },
  ];
  it.each(accepted)('reads $want from flags and from variables', ({ flags, variables, want }) => {
    expect(readRunConfig(flags, {})).toEqual({ ...DEFAULTS, ...want });
    expect(readRunConfig({}, variables)).toEqual({ ...DEFAULTS, ...want });
  });

  it('prefers a flag to its variable', () => {
    const config = readRunConfig(
      { workers: '3', dryRun: false, namespace: ['a'] },
      { DMS_OPERATOR_WORKERS: 'many', DMS_OPERATOR_DRY_RUN: 'true', DMS_OPERATOR_NAMESPACE: 'b,c' },
    );
    expect(config).toEqual({ ...DEFAULTS, workers: 3, namespaces: ['a'] });
  });

  it('takes an empty variable for an absent one', () => {
    expect(readRunConfig({}, { DMS_OPERATOR_WORKERS: '', DMS_OPERATOR_DIR: '' })).toEqual(DEFAULTS);
  });

  it('is not confused by the variables that Kubernetes makes for a Service of that name', () => {
    const variables = {
      DMS_OPERATOR_PORT: 'tcp://10.0.0.1:8080',
      DMS_OPERATOR_SERVICE_HOST: '10.0.0.1',
      DMS_OPERATOR_PORT_8080_TCP_ADDR: '10.0.0.1',
    };
    expect(readRunConfig({}, variables)).toEqual(DEFAULTS);
  });

  it('takes the proxy of the environment only on request, from the names in lower case first', () => {
    const variables = {
      ...{ HTTPS_PROXY: 'http://upper.example', https_proxy: 'me:p%40ss@proxy.example.com:3128' },
      ...{ HTTP_PROXY: 'http://plain.example', NO_PROXY: '.svc,10.0.0.1' },
    };
    expect(readRunConfig({}, variables)).toEqual(DEFAULTS);
    const { environmentProxy } = readRunConfig({ proxyFromEnvironment: 'true' }, variables).egress;
    expect(environmentProxy).toMatchObject({
      address: 'http://proxy.example.com:3128',
      exceptions: 'localhost,127.0.0.1,[::1],.svc,10.0.0.1',
    });
    expect(environmentProxy?.login?.username.reveal()).toBe('me');
    expect(environmentProxy?.login?.password.reveal()).toBe('p@ss');
  });

  it('knows a pod by what Kubernetes tells every container', () => {
    expect(readRunConfig({}, { KUBERNETES_SERVICE_HOST: '10.0.0.1' }).inCluster).toBe(true);
  });

  it('does not change afterwards', () => {
    const config = readRunConfig({ namespace: ['a'], metricsAddress: ':1' }, {});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.namespaces)).toBe(true);
    expect(Object.isFrozen(config.metricsAddress)).toBe(true);
  });

  const refused: readonly { flags?: Flags; variables?: Environment; message: string }[] = [
    { flags: { workers: '0' }, message: '--workers: "0" is not a whole number from 1 to 1000' },
    { flags: { workers: '1.5' }, message: '--workers: "1.5" is not a whole number from 1 to 1000' },
    { flags: { workers: '1e2' }, message: '--workers: "1e2" is not a whole number from 1 to 1000' },
    {
      variables: { DMS_OPERATOR_WORKERS: '5000' },
      message: 'DMS_OPERATOR_WORKERS: "5000" is not a whole number from 1 to 1000',
    },
    { flags: { logLevel: 'loud' }, message: '--log-level: "loud" is not one of debug, info, warn, error' },
    { flags: { logFormat: 'xml' }, message: '--log-format: "xml" is not one of json, pretty' },
    {
      variables: { DMS_OPERATOR_DRY_RUN: 'yes' },
      message: 'DMS_OPERATOR_DRY_RUN: "yes" is not one of true, false',
    },
    {
      flags: { metricsAddress: '8080' },
      message: '--metrics-address: "8080" is not HOST:PORT, :PORT, or 0 to turn it off',
    },
    {
      flags: { metricsAddress: 'localhost:70000' },
      message: '--metrics-address: "localhost:70000" is not HOST:PORT, :PORT, or 0 to turn it off',
    },
    {
      flags: { metricsAddress: '::1:8080' },
      message: '--metrics-address: "::1:8080" is not HOST:PORT, :PORT, or 0 to turn it off',
    },
    {
      flags: { namespace: ['Team_A'] },
      message:
        '--namespace: "Team_A" is not the name of a namespace: at most 63 lower-case letters, digits and hyphens',
    },
    {
      variables: { DMS_OPERATOR_NAMESPACE: 'a,,b' },
      message: 'DMS_OPERATOR_NAMESPACE: "" is not a value',
    },
    {
      flags: { allowHosts: 'https://api.example.com' },
      message:
        '--allow-hosts: "https://api.example.com" is not a host such as api.example.com, *.example.com or api.example.com:8443',
    },
    {
      flags: { allowHosts: 'api.example.com:0' },
      message:
        '--allow-hosts: "api.example.com:0" is not a host such as api.example.com, *.example.com or api.example.com:8443',
    },
    {
      flags: { proxyHosts: 'http://proxy.example.com:3128' },
      message:
        '--proxy-hosts: "http://proxy.example.com:3128" is not a host such as api.example.com, *.example.com or api.example.com:8443',
    },
    {
      flags: { proxyFromEnvironment: true },
      message: '--proxy-from-environment: HTTPS_PROXY is not set; set it, or leave out the flag',
    },
    ...['socks5://me:s3cret-word@proxy:1080', 'http://me:s3cret-word@proxy/x', 'http://me:100%@proxy'].map(
      (HTTPS_PROXY) => ({
        flags: { proxyFromEnvironment: true },
        variables: { HTTPS_PROXY },
        message: 'HTTPS_PROXY: is not the address of a proxy such as http://proxy.example.com:3128',
      }),
    ),
    { flags: { dir: [''] }, message: '--dir: "" is not a value' },
    { flags: { dir: true }, message: '--dir: expected a value' },
    { flags: { prune: true }, message: '--prune: works only together with --dir' },
    { flags: { state: 's.json' }, message: '--state: works only together with --dir' },
    {
      variables: { DMS_OPERATOR_SECRETS_DIR: '/s' },
      message: 'DMS_OPERATOR_SECRETS_DIR: works only together with --dir',
    },
    {
      flags: { asGroup: ['admins'] },
      message: '--as-group: works only together with --as',
    },
    {
      flags: { insecureSkipTlsVerify: true, certificateAuthority: 'ca' },
      message:
        '--insecure-skip-tls-verify: does not go together with --certificate-authority; leave out one of them',
    },
    {
      flags: { server: 'ftp://cluster' },
      message:
        '--server: "ftp://cluster" is not the address of an API server such as https://cluster.example.com:6443',
    },
    {
      flags: { requestTimeout: 'soon' },
      message: '--request-timeout: "soon" is not a time such as 30, 30s, 1m30s, or 0 for no limit',
    },
    {
      flags: { dir: ['d'], context: 'kind' },
      message: '--context: does not go together with --dir, which needs no cluster',
    },
    {
      flags: { dir: ['d'] },
      variables: { DMS_OPERATOR_KUBECONFIG: '/k' },
      message: 'DMS_OPERATOR_KUBECONFIG: does not go together with --dir, which needs no cluster',
    },
    {
      flags: { dir: ['d'], namespace: ['a'] },
      message: '--namespace: does not go together with --dir, which needs no cluster',
    },
    {
      flags: { shardSelector: 'tier in gold' },
      message: '--shard-selector: "tier in gold" is not a label selector such as tier=gold or shard in (a,b)',
    },
    {
      flags: { dir: ['d'], leaderElect: true },
      message: '--leader-elect: does not go together with --dir, which needs no cluster',
    },
    {
      flags: { dir: ['d'], leaderElectionNamespace: 'ours' },
      message: '--leader-election-namespace: does not go together with --dir, which needs no cluster',
    },
  ];
  it.each(refused)('refuses in one line: $message', ({ flags = {}, variables = {}, message }) => {
    expect(usageError(flags, variables)).toBe(message);
  });

  it('reads the environment of this process', () => {
    expect(environment()['PATH']).toBe(process.env['PATH']);
  });
});
