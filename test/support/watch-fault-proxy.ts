import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.ts';

/** A watch that runs through the proxy. */
interface OpenWatch {
  readonly path: string;
  readonly response: ServerResponse;
  readonly upstream: IncomingMessage;
}

/** Stands between a client and a real API server, as the administrator, and breaks watches when told. */
export interface WatchFaultProxy {
  readonly kubeconfigFile: string;
  /** Requests so far, as method and path with query. */
  readonly seen: readonly string[];
  /** Watches of a plural that are open now. */
  watches(plural: string): number;
  /** Resets the connections of these watches. */
  cut(plural: string): void;
  /** From now on nothing of these watches gets through any more, in silence. */
  stall(plural: string): void;
  /** Writes text into these watches, between two events of the API server. */
  inject(plural: string, text: string): void;
  /** The next request whose path and query contain `part` is answered with this status instead. */
  refuseNext(part: string, status: number, headers?: Readonly<Record<string, string>>): void;
  /** From now on requests of this method whose path contains `part` are carried out and never answered. */
  holdAnswers(method: string, part: string): void;
  stop(): Promise<void>;
}

/** Starts the proxy on 127.0.0.1, over plain HTTP, with a kubeconfig file that leads to it. */
export async function startWatchFaultProxy(plane: ControlPlane): Promise<WatchFaultProxy> {
  const seen: string[] = [];
  const open = new Set<OpenWatch>();
  const refusals: { part: string; status: number; headers: Readonly<Record<string, string>> }[] = [];
  const agent = new Agent({ ca: plane.ca, cert: plane.adminCert, key: plane.adminKey, keepAlive: true });

  const held: { method: string; part: string }[] = [];

  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    const url = incoming.url ?? '';
    seen.push(`${incoming.method} ${url}`);
    const at = refusals.findIndex(({ part }) => url.includes(part));
    const [refusal] = at === -1 ? [] : refusals.splice(at, 1);
    if (refusal !== undefined) {
      response.writeHead(refusal.status, refusal.headers).end();
      return;
    }
    const { host: _host, ...headers } = incoming.headers;
    const outgoing = httpsRequest(new URL(url, plane.server), { method: incoming.method, headers, agent });
    response.once('close', () => outgoing.destroy());
    outgoing.once('error', () => response.destroy());
    outgoing.once('response', (upstream) => {
      if (held.some(({ method, part }) => incoming.method === method && url.includes(part))) {
        upstream.resume();
        return;
      }
      response.writeHead(upstream.statusCode ?? 502, upstream.headers).flushHeaders();
      if (url.includes('watch=true')) follow({ path: url, response, upstream });
      upstream.once('error', () => response.destroy());
      upstream.pipe(response);
    });
    incoming.pipe(outgoing);
  };
  const follow = (watch: OpenWatch): void => {
    open.add(watch);
    watch.response.once('close', () => open.delete(watch));
  };

  const server = createServer(forward);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const directory = await mkdtemp(join(tmpdir(), 'fault-proxy-'));
  const kubeconfigFile = join(directory, 'kubeconfig.yaml');
  await writeFile(kubeconfigFile, kubeconfig(`http://127.0.0.1:${port}`));

  const of = (plural: string): OpenWatch[] => [...open].filter(({ path }) => path.includes(`/${plural}?`));
  return {
    kubeconfigFile,
    seen,
    watches: (plural) => of(plural).length,
    cut: (plural) => of(plural).forEach(({ response }) => response.destroy()),
    stall: (plural) => of(plural).forEach(({ response, upstream }) => upstream.unpipe(response)),
    inject: (plural, text) => of(plural).forEach(({ response }) => response.write(text)),
    refuseNext: (part, status, headers = {}) => void refusals.push({ part, status, headers }),
    holdAnswers: (method, part) => void held.push({ method, part }),
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function kubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'nobody', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'nobody' } }],
    'current-context': 'proxy',
  });
}
