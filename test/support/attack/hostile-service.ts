import type { ServerResponse } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import type { DeploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import { type Reply, type SeenRequest, startScriptedHttpServer } from '../servers/scripted-http-server.ts';
import { servedService } from '../worlds/served-service.ts';
import type { Attacker } from './ground.ts';

const MET_LIMIT_MS = 30_000;

/** A service of an attacker, and the resources that lead the controller to it. */
export interface HostileService {
  readonly url: string;
  /** Resolves when a request with this method has arrived, which takes a controller a moment. */
  met(method: string): Promise<void>;
  /** Creates a Connection to it in the attacker's namespace, with these headers. Their values come from a Secret. */
  connect(attacker: Attacker, about?: ConnectionAbout): Promise<void>;
}

interface ConnectionAbout {
  /** Default: `default`. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/**
 * Starts a service that answers as `reply` says, or as an honest service with these deployments. Ends with the test.
 */
export async function hostileService(
  reply: (request: SeenRequest, number: number) => Reply | 'honest',
  deployments: readonly (Partial<DeploymentSeed> & { readonly name: string })[] = [],
): Promise<HostileService> {
  const honest = await servedService(deployments);
  const server = await startScriptedHttpServer((request, number) => {
    const answer = reply(request, number);
    return answer === 'honest'
      ? (response) => void passOn(honest.url, request, response).catch(() => response.destroy())
      : answer;
  });
  onTestFinished(() => server.stop());
  return {
    url: server.url,
    async met(method) {
      const methods = (): readonly string[] => server.seen.map((request) => request.method);
      await expect.poll(methods, { timeout: MET_LIMIT_MS }).toContain(method);
    },
    connect: (attacker, about = {}) => connect(attacker, server.url, about),
  };
}

async function passOn(url: string, request: SeenRequest, response: ServerResponse): Promise<void> {
  const answer = await fetch(`${url}${request.url}`, {
    method: request.method,
    headers: { 'content-type': 'application/json' },
    ...(request.body === '' ? {} : { body: request.body }),
  });
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(await answer.text());
}

async function connect(attacker: Attacker, url: string, about: ConnectionAbout): Promise<void> {
  const { name = 'default', headers = {}, spec = {} } = about;
  const keys = Object.keys(headers);
  const credentials = {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-headers` } },
    stringData: headers,
  };
  const valueFrom = (key: string): object => ({ secretKeyRef: { name: `${name}-headers`, key } });
  const connection = {
    ...{ apiVersion: 'dms-operator.dev/v1alpha1', kind: 'Connection', metadata: { name } },
    spec: {
      baseURL: url,
      headers: keys.map((key) => ({ name: key, valueFrom: valueFrom(key) })),
      rateLimit: { requestsPerSecond: 100, burst: 100, concurrency: 20 },
      ...spec,
    },
  };
  for (const each of [credentials, connection]) await attacker.create(each);
}
