import { execFile, fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { ensureControlPlaneBinaries, type ControlPlaneBinaries } from './control-plane-binaries.ts';

const CRDS = join(import.meta.dirname, '..', '..', '..', 'crds');
const KUBECTL_LIMIT_MS = 60_000;

/** Flags of etcd or kube-apiserver: `null` removes a default, a list repeats the flag. */
export type Flags = Readonly<Record<string, string | string[] | null>>;

/** Options for a control plane of one test. */
export interface ControlPlaneOptions {
  readonly apiServerFlags?: Flags;
  readonly etcdFlags?: Flags;
}

/** Passed to the process that owns a control plane. */
export interface ControlPlaneRequest extends ControlPlaneOptions {
  readonly binaries: ControlPlaneBinaries;
}

/** Everything another process needs to use a running control plane. */
export interface ControlPlaneInfo {
  readonly directory: string;
  readonly socket: string;
  readonly server: string;
  readonly kubeconfigFile: string;
  readonly kubectlFile: string;
  readonly ca: string;
  readonly adminCert: string;
  readonly adminKey: string;
}

/** The end of a program. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An answer of the API server; `json` is `undefined` when the body is something else. */
export interface ApiResponse {
  readonly status: number;
  readonly text: string;
  readonly json: Record<string, unknown> | undefined;
}

/**
 * The requests to count; an omitted part matches anything. `verb` as in the metric: GET, LIST, WATCH, PATCH, POST,
 * PUT, DELETE, APPLY.
 */
export interface RequestFilter {
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly code?: string;
}

/** The `/metrics` page of the API server at one moment. */
export interface ApiServerMetrics {
  readonly text: string;
  /** Returns how many finished requests match, from `apiserver_request_total`. A watch counts when it ends. */
  requests(filter?: RequestFilter): number;
}

/**
 * A real kube-apiserver with its etcd, RBAC and certificates on 127.0.0.1. It has no scheduler, no kubelet and no
 * controllers, so Pods never run, aggregated ClusterRoles stay empty and a deleted Namespace is never removed.
 *
 * Tests that need only their own namespace share one:
 *
 *     const cluster = useControlPlane();                      // shared-control-plane.ts, at the top of a file
 *     it('…', async () => {
 *       await cluster().installCRDs();
 *       const namespace = await cluster().createNamespace();
 *       await cluster().kubectl(['apply', '-n', namespace, '-f', '-'], { stdin: manifest });
 *     });
 *
 * Other files use it at the same time. Tests that stop the API server, give it flags, count its requests or run a
 * controller for every namespace use `useOwnControlPlane(options)` from the same file, or `startControlPlane(options)`
 * and call `stop()` themselves.
 */
export interface ControlPlane extends Pick<
  ControlPlaneInfo,
  'server' | 'kubeconfigFile' | 'kubectlFile' | 'ca' | 'adminCert' | 'adminKey' | 'directory'
> {
  /** Runs kubectl as the administrator, or with another kubeconfig. Never throws for an exit code. */
  kubectl(
    args: readonly string[],
    options?: { stdin?: string; kubeconfigFile?: string },
  ): Promise<CommandResult>;
  /** Makes one request as the administrator; sends a Buffer unchanged. A patch needs its content type. */
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiResponse>;
  /** Installs crds/*.yaml and waits until they are served; once per control plane, even if called several times. */
  installCRDs(): Promise<void>;
  /** Creates a namespace with a new name that starts with `prefix`, and returns the name. */
  createNamespace(prefix?: string, labels?: Readonly<Record<string, string>>): Promise<string>;
  /** Makes a kubeconfig file with a client certificate of this user, who has only the rights that RBAC gives. */
  userKubeconfig(name: string, groups?: readonly string[]): Promise<string>;
  /** Creates a kubeconfig file with a real token of an existing service account. */
  serviceAccountKubeconfig(namespace: string, name: string): Promise<string>;
  metrics(): Promise<ApiServerMetrics>;
  /** Ends kube-apiserver, and keeps etcd with the data. Not for the shared one. */
  stopApiServer(): Promise<void>;
  /** Starts kube-apiserver again on the same address, and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** Ends everything and removes its files. The shared one ignores it. */
  stop(): Promise<void>;
}

/** A day: no process renews the token of a controller outside a pod, and a soak lasts for hours. */
const TOKEN_SECONDS = 86_400;

/** Starts a separate control plane in about 3 s, or some minutes more if the programs must be built first. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { info, stop } = await launchControlPlane(options);
  return connectToControlPlane(info, stop);
}

/** Starts the process that owns a control plane. It ends with `stop`, and with this process, however that ends. */
export async function launchControlPlane(
  options: ControlPlaneOptions = {},
): Promise<{ readonly info: ControlPlaneInfo; readonly stop: () => Promise<void> }> {
  const binaries = await ensureControlPlaneBinaries();
  const child = fork(join(import.meta.dirname, 'control-plane-process.ts'), [], {
    execArgv: [],
    // etcd and kube-apiserver would spend a quarter of their time on collecting garbage.
    env: { ...process.env, GOGC: '400' },
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const info = await readyInfo(child, { ...options, binaries });
  child.unref();
  child.channel?.unref();
  return { info, stop: () => ended(child) };
}

function readyInfo(child: ChildProcess, request: ControlPlaneRequest): Promise<ControlPlaneInfo> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the control plane ended early with ${code}`)));
    child.once('message', (message: { ready?: ControlPlaneInfo; failed?: string }) => {
      if (message.ready !== undefined) resolve(message.ready);
      else reject(new Error(message.failed));
    });
    child.send(request);
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** Creates the handle for a control plane that already runs, in this process or another. */
export function connectToControlPlane(info: ControlPlaneInfo, stop: () => Promise<void>): ControlPlane {
  const { directory, server, kubeconfigFile, kubectlFile, ca, adminCert, adminKey } = info;
  const request: ControlPlane['request'] = (method, path, body, contentType = 'application/json') =>
    sendRequest(info, method, path, body, contentType);
  const kubectl: ControlPlane['kubectl'] = (args, options = {}) =>
    runKubectl(info, [`--kubeconfig=${options.kubeconfigFile ?? kubeconfigFile}`, ...args], options.stdin);
  return {
    directory,
    server,
    kubeconfigFile,
    kubectlFile,
    ca,
    adminCert,
    adminKey,
    request,
    kubectl,
    installCRDs: async () => void (await ask(info.socket, '/crds', { directory: CRDS })),
    createNamespace: async (prefix = 'test', labels = {}) => {
      const name = uniqueName(prefix);
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
      succeeded(await request('POST', '/api/v1/namespaces', body));
      return name;
    },
    userKubeconfig: async (name, groups = []) => String(await ask(info.socket, '/user', { name, groups })),
    serviceAccountKubeconfig: async (namespace, name) => {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
      const answer = succeeded(await request('POST', path, { spec: { expirationSeconds: TOKEN_SECONDS } }));
      const file = join(directory, `${uniqueName('service-account')}.yaml`);
      await writeFile(file, tokenKubeconfig(info, `${namespace}-${name}`, tokenIn(answer)), { mode: 0o600 });
      return file;
    },
    metrics: async () => {
      const { text } = succeeded(await request('GET', '/metrics'));
      return { text, requests: (filter = {}) => countRequests(text, filter) };
    },
    stopApiServer: async () => void (await ask(info.socket, '/stop-api-server')),
    startApiServer: async () => void (await ask(info.socket, '/start-api-server')),
    stop,
  };
}

function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}

function succeeded(response: ApiResponse): ApiResponse {
  if (response.status >= 400) throw new Error(`the API server answered ${response.status}: ${response.text}`);
  return response;
}

function runKubectl(info: ControlPlaneInfo, args: readonly string[], stdin = ''): Promise<CommandResult> {
  const env = {
    ...process.env,
    KUBECONFIG: info.kubeconfigFile,
    KUBECACHEDIR: join(info.directory, 'kubectl-cache'),
    KUBERC: 'off',
  };
  return new Promise((resolve, reject) => {
    const options = { env, timeout: KUBECTL_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(info.kubectlFile, args, options, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
    child.stdin?.on('error', () => undefined).end(stdin);
  });
}

function sendRequest(
  info: ControlPlaneInfo,
  method: string,
  path: string,
  body: unknown,
  contentType: string,
): Promise<ApiResponse> {
  const { ca, adminCert: cert, adminKey: key } = info;
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': contentType }),
    };
    const outgoing = httpsRequest(new URL(path, info.server), {
      method,
      ca,
      cert,
      key,
      headers,
      agent: false,
    });
    outgoing.once('error', reject).once('response', (incoming) => {
      textOf(incoming).then((text) => {
        resolve({ status: incoming.statusCode ?? 0, text, json: parsed(text) });
      }, reject);
    });
    outgoing.end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

function parsed(text: string): Record<string, unknown> | undefined {
  return text.startsWith('{') ? JSON.parse(text) : undefined;
}

function ask(socketPath: string, path: string, body: unknown = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ socketPath, path, method: 'POST', agent: false });
    outgoing.once('error', reject).once('response', (incoming) => {
      textOf(incoming).then((text) => {
        if (incoming.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${path}: ${text}`));
      }, reject);
    });
    outgoing.end(JSON.stringify(body));
  });
}

function tokenIn(response: ApiResponse): string {
  const status = response.json?.['status'];
  if (typeof status !== 'object' || status === null || !('token' in status))
    throw new Error('no token in the answer');
  return String(status.token);
}

function tokenKubeconfig(info: ControlPlaneInfo, user: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: {
          server: info.server,
          'certificate-authority-data': Buffer.from(info.ca).toString('base64'),
        },
      },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user } }],
    'current-context': 'test',
  });
}

function countRequests(metrics: string, filter: RequestFilter): number {
  const wanted = Object.entries(filter).map(([label, value]) => `${label}="${value}"`);
  let count = 0;
  for (const line of metrics.split('\n')) {
    const match = /^apiserver_request_total\{(.*)\} (\S+)$/.exec(line);
    const labels = match?.[1]?.split(',') ?? [];
    if (match !== null && wanted.every((label) => labels.includes(label))) count += Number(match[2]);
  }
  return count;
}
