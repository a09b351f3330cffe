import { parseDuration } from '../../base/parse-duration.ts';
import {
  type Environment,
  type Flags,
  type ListenAddress,
  type RunConfig,
  UsageError,
} from '../../config.ts';
import type { ClusterAccess } from '../../model/connection/cluster-access.ts';
import { isNamespaceName, type ProxySettings } from '../../model/connection/connection.ts';
import { type Egress, environmentProxy } from '../../model/connection/egress.ts';
import { parseLabelSelector } from '../../model/connection/parse-label-selector.ts';
import { LOG_FORMATS, LOG_LEVELS } from '../../ports/process/logger.ts';
import { oneOf, Settings, Unexpected } from './settings.ts';

/** The flags that select a cluster, by their names in camel case. */
const OF_ACCESS = [
  ...['kubeconfig', 'context', 'cluster', 'user', 'server', 'certificateAuthority', 'clientCertificate'],
  ...['clientKey', 'insecureSkipTlsVerify', 'tlsServerName', 'token', 'as', 'asGroup', 'requestTimeout'],
];
const ONLY_IN_CLUSTER = [
  ...[...OF_ACCESS, 'namespace', 'shardSelector'],
  ...['leaderElect', 'leaderElectionNamespace'],
];
const DEFAULT_WORKERS = 64;
const MOST_WORKERS = 1_000;

/**
 * Reads the configuration of `run` from its flags and from variables `DMS_OPERATOR_<FLAG>`, which separate the items of
 * a list by commas. Flags win; an empty variable counts as absent. Ignores other variables with that prefix, since
 * Kubernetes itself sets some for every Service of the namespace. Throws UsageError.
 */
export function readRunConfig(flags: Flags, environment: Environment): RunConfig {
  const settings = new Settings(flags, environment);
  const config: RunConfig = {
    access: clusterAccess(settings),
    namespaces: settings.list('namespace', namespaceName),
    dirs: settings.paths('dir'),
    state: settings.text('state'),
    secretsDir: settings.text('secretsDir'),
    prune: settings.flag('prune'),
    pruneMany: settings.flag('pruneMany'),
    pruneAfterMs: settings.checked('pruneAfter', graceMs, undefined),
    metricsAddress: settings.checked('metricsAddress', listenAddress, { host: undefined, port: 8080 }),
    operatorNamespace: settings.checked('operatorNamespace', namespaceName, undefined),
    shardSelector: settings.checked('shardSelector', shardSelector, undefined),
    leaderElect: settings.flag('leaderElect', settings.paths('dir').length === 0),
    leaderElectionNamespace: settings.checked('leaderElectionNamespace', namespaceName, undefined),
    dryRun: settings.flag('dryRun'),
    egress: egress(settings, environment),
    inCluster: (environment['KUBERNETES_SERVICE_HOST'] ?? '') !== '',
    workers: settings.checked('workers', workerCount, DEFAULT_WORKERS),
    logLevel: settings.checked('logLevel', oneOf(LOG_LEVELS), 'info'),
    logFormat: settings.checked('logFormat', oneOf(LOG_FORMATS), undefined),
  };
  for (const name of ['state', 'secretsDir', 'prune', 'pruneMany', 'pruneAfter'])
    settings.refuseUnless('dir', name);
  for (const name of ONLY_IN_CLUSTER) settings.refuseWith('dir', name);
  return Object.freeze(config);
}

/** Reads the permitted addresses and proxies of connections from flags and environment. Throws UsageError. */
export function readEgress(flags: Flags, environment: Environment): Egress {
  return egress(new Settings(flags, environment), environment);
}

function egress(settings: Settings, environment: Environment): Egress {
  const fromEnvironment = settings.flag('proxyFromEnvironment');
  return Object.freeze({
    allowHosts: settings.list('allowHosts', hostPattern),
    proxyHosts: settings.list('proxyHosts', hostPattern),
    ...(fromEnvironment ? { environmentProxy: proxyIn(environment) } : {}),
  });
}

/**
 * Reads the proxy settings. Prefers the names in lower case, as other programs do. No message repeats HTTPS_PROXY,
 * which may contain a login.
 */
function proxyIn(environment: Environment): ProxySettings {
  const text = environment['https_proxy'] || environment['HTTPS_PROXY'] || '';
  if (text === '') {
    throw new UsageError('--proxy-from-environment: HTTPS_PROXY is not set; set it, or leave out the flag');
  }
  const proxy = environmentProxy(text, environment['no_proxy'] || environment['NO_PROXY'] || '');
  if (proxy !== undefined) return proxy;
  throw new UsageError('HTTPS_PROXY: is not the address of a proxy such as http://proxy.example.com:3128');
}

/** Reads the flags of every command that talks to a cluster. Throws UsageError. */
export function readClusterAccess(flags: Flags, environment: Environment = {}): ClusterAccess {
  return clusterAccess(new Settings(flags, environment));
}

function clusterAccess(settings: Settings): ClusterAccess {
  const access: ClusterAccess = {
    kubeconfig: settings.text('kubeconfig'),
    context: settings.text('context'),
    cluster: settings.text('cluster'),
    user: settings.text('user'),
    server: settings.checked('server', serverAddress, undefined),
    certificateAuthority: settings.text('certificateAuthority'),
    clientCertificate: settings.text('clientCertificate'),
    clientKey: settings.text('clientKey'),
    insecureSkipTLSVerify: settings.flag('insecureSkipTlsVerify') || undefined,
    tlsServerName: settings.text('tlsServerName'),
    token: settings.text('token'),
    as: settings.text('as'),
    asGroups: settings.list('asGroup', (group) => group),
    requestTimeoutMs: settings.checked('requestTimeout', requestTimeoutMs, undefined),
  };
  if (access.insecureSkipTLSVerify === true)
    settings.refuseTogether('insecureSkipTlsVerify', 'certificateAuthority');
  if (access.as === undefined) settings.refuseUnless('as', 'asGroup');
  return Object.freeze(access);
}

function workerCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_WORKERS) throw new Unexpected(`a whole number from 1 to ${MOST_WORKERS}`);
  return count;
}

function namespaceName(text: string): string {
  if (isNamespaceName(text)) return text;
  throw new Unexpected('the name of a namespace: at most 63 lower-case letters, digits and hyphens');
}

function shardSelector(text: string): NonNullable<RunConfig['shardSelector']> {
  const selector = parseLabelSelector(text);
  if (selector === undefined) throw new Unexpected('a label selector such as tier=gold or shard in (a,b)');
  return { text, selector };
}

function serverAddress(text: string): string {
  const address = URL.parse(text.includes('://') ? text : `https://${text}`);
  if (address !== null && /^https?:$/.test(address.protocol)) return address.href;
  throw new Unexpected('the address of an API server such as https://cluster.example.com:6443');
}

/** Parses a timeout as kubectl does: `30`, `30s`, `1m30s`; 0 for no limit. */
function requestTimeoutMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Unexpected('a time such as 30, 30s, 1m30s, or 0 for no limit');
  return ms === 0 ? Infinity : ms;
}

function graceMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Unexpected('a time such as 30s, 2m, or 0 for at once');
  return ms;
}

/** Parses `HOST:PORT`, `:PORT`, `[IPv6]:PORT`, or `0`, which turns listening off. */
function listenAddress(text: string): ListenAddress | undefined {
  if (text === '0') return undefined;
  const [, address, name, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:\s[\]/]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) throw new Unexpected('HOST:PORT, :PORT, or 0 to turn it off');
  const host = address ?? name;
  return Object.freeze({ host: host === '' ? undefined : host, port });
}

function hostPattern(text: string): string {
  const [, host, digits] =
    /^((?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/.exec(text) ??
    [];
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) {
    throw new Unexpected('a host such as api.example.com, *.example.com or api.example.com:8443');
  }
  return text.toLowerCase();
}
