import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { defined } from '../../base/defined.ts';
import type { ClusterAccess } from '../../model/connection/cluster-access.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { ApiError } from './api-error.ts';
import {
  applyFlags,
  badKubeConfig,
  headersOfFlags,
  kubeConfigError,
  MADE_OF_FLAGS,
  refuseLargeFile,
  refuseOtherThanTexts,
} from './apply-flags.ts';

/** The TLS material of a connection to the API server. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** The credentials for the next requests. */
export interface Credentials {
  /** A list is sent as a repeated header. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
}

/** A cluster, and how to authenticate to it. */
export interface ClusterConfig {
  /** Scheme, host and path prefix; no trailing slash. */
  readonly server: string;
  /** The name of the context, for messages. */
  readonly context?: string | undefined;
  /** The namespace of the pod in which this process runs. */
  readonly podNamespace: string | undefined;
  /** The namespace of the context. Only commands of a person use it, not the controller. */
  readonly contextNamespace?: string | undefined;
  readonly proxyURL: string | undefined;
  /** Replaces every deadline of an exchange; absent: each exchange has its own. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Returns credentials that are at most a few seconds old. If the caller names credentials that were `refused`, drops
   * every cached token, once for all requests that were refused with them. Rejects with an ApiError of kind
   * unauthorized if a file or plug-in provides none.
   */
  credentials(refused?: Credentials): Promise<Credentials>;
}

/** After this time token and certificate files are read again, so the process notices a rotation. */
const CREDENTIALS_AGE_MS = 10_000;

/** A credential plug-in that takes longer has hung; client-node would wait for ever. */
const CREDENTIALS_TIMEOUT_MS = 60_000;

/**
 * Reads the configuration from the given file, from KUBECONFIG, from the file in the home directory, or from the pod.
 * Throws an ExpectedError if the file, the context or the cluster is missing. Loads client-node only here and only when
 * needed, because that takes half a second.
 */
export async function loadClusterConfig(options: ClusterAccess, clock: Clock): Promise<ClusterConfig> {
  const vendor = await import('./vendor-kube-config.ts');
  const read = (): KubeConfig => readConfig(new vendor.KubeConfig(), options);
  const config = read();
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw badKubeConfig(missingCluster(config, options));
  refuseOtherThanTexts(config);
  if (!/^https?:\/\//.test(cluster.server) || !URL.canParse(cluster.server)) {
    throw badKubeConfig(
      `the server of cluster "${cluster.name}" is no address; give one such as https://10.0.0.1:6443`,
    );
  }
  if (cluster.proxyUrl?.startsWith('socks') === true) {
    throw badKubeConfig('a SOCKS proxy-url is not supported; use an http or https proxy');
  }
  return {
    server: cluster.server.replace(/(?<!\/)\/+$/, ''),
    context: cluster.name === MADE_OF_FLAGS ? undefined : config.getCurrentContext(),
    podNamespace: podNamespace(config),
    contextNamespace: contextNamespace(config),
    requestTimeoutMs: options.requestTimeoutMs,
    proxyURL: cluster.proxyUrl,
    credentials: cluster.server.startsWith('http://')
      ? withoutCredentials(config, options)
      : credentialsOf(new CredentialSource(config, { read, headers: headersOfFlags(options), clock })),
  };
}

function credentialsOf(source: CredentialSource): ClusterConfig['credentials'] {
  return (refused) => source.get(refused);
}

/**
 * Provides no credentials, for plain HTTP. Others on the way could read a credential, so the client sends none, as
 * kubectl does, and asks no plug-in for one: a program that listens there, such as kubectl proxy, adds its own. The
 * impersonated user is sent: it is no secret, and without it a request would have more rights than the user asked for.
 */
function withoutCredentials(config: KubeConfig, options: ClusterAccess): ClusterConfig['credentials'] {
  const { impersonateUser } = config.getCurrentUser() ?? {};
  const as = defined({ 'Impersonate-User': impersonateUser });
  const credentials: Credentials = { headers: { ...as, ...headersOfFlags(options) }, tls: {} };
  return async () => credentials;
}

/** The name of the context that client-node makes from the service account of a pod. */
const POD_CONTEXT = 'inClusterContext';

function podNamespace(config: KubeConfig): string | undefined {
  return config.getCurrentContext() === POD_CONTEXT ? contextNamespace(config) : undefined;
}

function contextNamespace(config: KubeConfig): string | undefined {
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace?.trim();
  return namespace === '' ? undefined : namespace;
}

function readConfig(config: KubeConfig, options: ClusterAccess): KubeConfig {
  try {
    if (options.kubeconfig === undefined) loadDefault(config);
    else {
      refuseLargeFile(options.kubeconfig);
      config.loadFromFile(options.kubeconfig);
    }
  } catch (error) {
    throw kubeConfigError(error, options.kubeconfig);
  }
  if (options.context !== undefined) config.setCurrentContext(options.context);
  applyFlags(config, options);
  const only = config.getCurrentCluster();
  // client-node falls back to this address if it finds no configuration; it can never work.
  if (
    options.kubeconfig === undefined &&
    only?.name === 'cluster' &&
    only.server === 'http://localhost:8080'
  ) {
    throw badKubeConfig(
      'no cluster is configured; give --kubeconfig, set KUBECONFIG, or run inside a cluster',
    );
  }
  tellPluginItsVersion(config.getCurrentUser()?.exec);
  return config;
}

/**
 * Loads the default files. If KUBECONFIG names several, the first that names a context wins, as in kubectl;
 * client-node takes the last.
 */
function loadDefault(config: KubeConfig): void {
  config.loadFromDefault(undefined, true);
  const name: string | undefined = config.getCurrentContext();
  if (name === undefined || name === '') config.loadFromDefault();
}

/** Some plug-ins refuse to answer without this variable, which client-node does not set. */
function tellPluginItsVersion(exec: unknown): void {
  if (typeof exec !== 'object' || exec === null || !('apiVersion' in exec)) return;
  const info = { apiVersion: exec.apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const given: readonly unknown[] = 'env' in exec && Array.isArray(exec.env) ? exec.env : [];
  Object.assign(exec, { env: [{ name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }, ...given] });
}

function missingCluster(config: KubeConfig, options: ClusterAccess): string {
  const name: unknown = options.context ?? config.getCurrentContext();
  if (name === undefined || name === '') return 'no current context; give --context';
  if (typeof name !== 'string') return 'the name of the current context is no text; put it in quotes';
  const context = config.getContextObject(name);
  const cluster: unknown = context?.cluster;
  if (typeof cluster === 'string')
    return `context "${name}" names cluster "${cluster}", which is not defined`;
  if (context !== null) return `context "${name}" names a cluster by what is no text; put the name in quotes`;
  const known = config.getContexts().map((entry): unknown => entry.name);
  const names = known.filter((entry) => typeof entry === 'string');
  return `context "${name}" does not exist; known: ${names.length === 0 ? 'none' : names.join(', ')}`;
}

interface FetchedCredentials {
  readonly credentials: Promise<Credentials>;
  readonly atMs: number;
  /** The value of the promise, to recognize refused credentials. */
  value?: Credentials;
}

/** The parts of a source of credentials. */
interface CredentialOptions {
  /** Reads the kubeconfig again. */
  readonly read: () => KubeConfig;
  readonly headers: ReturnType<typeof headersOfFlags>;
  readonly clock: Clock;
}

/** Provides credentials with one read at a time: parallel calls must not each start a credential plug-in. */
class CredentialSource {
  readonly #read: () => KubeConfig;
  readonly #headers: ReturnType<typeof headersOfFlags>;
  readonly #clock: Clock;
  #config: KubeConfig;
  #latest: FetchedCredentials | undefined;
  #waiting = new AbortController();

  constructor(config: KubeConfig, { read, headers, clock }: CredentialOptions) {
    this.#read = read;
    this.#headers = headers;
    this.#clock = clock;
    this.#config = this.#withMortalPlugins(config);
  }

  get(refused: Credentials | undefined): Promise<Credentials> {
    const now = this.#clock.now();
    const latest = this.#latest;
    const refresh = refused !== undefined && latest?.value === refused;
    if (latest !== undefined && !refresh && now - latest.atMs < CREDENTIALS_AGE_MS) return latest.credentials;
    const credentials = this.#fetch(refused !== undefined);
    const entry: FetchedCredentials = { credentials, atMs: now };
    this.#latest = entry;
    credentials.then(
      (value) => {
        entry.value = value;
      },
      () => {
        if (this.#latest === entry) this.#latest = undefined;
      },
    );
    return credentials;
  }

  /**
   * Makes sure that plug-ins are killed when the client stops waiting for them: client-node starts them and never ends
   * them.
   */
  #withMortalPlugins(config: KubeConfig): KubeConfig {
    // The types declare them private; a test fails if they no longer exist.
    const { authenticators } = config as unknown as { readonly authenticators: readonly PluginRunner[] };
    const mortalSpawn = (command: string, args: readonly string[], options: SpawnOptions): ChildProcess =>
      spawn(command, args, { ...options, signal: this.#waiting.signal, killSignal: 'SIGKILL' });
    for (const runner of authenticators) {
      if (runner.execFn !== undefined) runner.execFn = mortalSpawn as typeof spawn;
    }
    return config;
  }

  async #fetch(refresh: boolean): Promise<Credentials> {
    const waiting = (this.#waiting = new AbortController());
    const cancel = this.#clock.after(CREDENTIALS_TIMEOUT_MS, () =>
      waiting.abort(new Error('the credential plug-in did not answer')),
    );
    try {
      // A KubeConfig caches tokens, even refused ones: only a new one asks for another token.
      if (refresh) this.#config = this.#withMortalPlugins(this.#read());
      const { headers, tls } = await untilAborted(currentCredentials(this.#config), waiting.signal);
      return { headers: { ...headers, ...this.#headers }, tls };
    } catch (error) {
      const text = textForPeople(error instanceof Error ? error.message : String(error));
      throw new ApiError(`credentials: ${text}`, { kind: 'unauthorized' }, { cause: error });
    } finally {
      cancel();
    }
  }
}

interface PluginRunner {
  execFn?: typeof spawn;
}

async function currentCredentials(config: KubeConfig): Promise<Credentials> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const cluster = config.getCurrentCluster();
  const headers: Record<string, string> = {};
  if (typeof options.auth === 'string') {
    headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = String(value).trim();
  return { headers, tls: { ...clusterTrust(cluster), ...tlsOf(options) } };
}

/** Returns the trust settings of the cluster, which client-node leaves out for a context without a user. */
function clusterTrust(cluster: ReturnType<KubeConfig['getCurrentCluster']>): TlsMaterial {
  const { caData, caFile, tlsServerName: servername } = cluster ?? {};
  const given = caData === undefined ? undefined : Buffer.from(caData, 'base64');
  const ca = caFile === undefined ? given : readFileSync(caFile);
  return {
    ...defined({ ca, servername }),
    ...(cluster?.skipTLSVerify === true ? { rejectUnauthorized: false } : {}),
  };
}

function tlsOf(options: RequestOptions): TlsMaterial {
  return {
    ...material('ca', options.ca),
    ...material('cert', options.cert),
    ...material('key', options.key),
    ...defined({ servername: options.servername, rejectUnauthorized: options.rejectUnauthorized }),
  };
}

function material(
  name: 'ca' | 'cert' | 'key',
  value: RequestOptions['ca'] | RequestOptions['key'],
): TlsMaterial {
  return typeof value === 'string' || Buffer.isBuffer(value) ? { [name]: value } : {};
}
