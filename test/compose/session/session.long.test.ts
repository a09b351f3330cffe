import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DIRECT } from '../../../src/model/connection/egress.ts';
import { openSession, type Session, type SessionOptions } from '../../../src/compose/session/session.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { deploymentYaml, secretYaml, together } from '../../directory/support/manifests.ts';
import { openFolder } from '../../directory/support/open.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NEVER = new AbortController().signal;
const DEFAULT = { kind: 'Connection', namespace: 'team-a', name: 'default' } as const;
const KEY_HEADER = `  headers: [{name: X-Api-Key, valueFrom: {secretKeyRef: {name: credentials, key: api-key}}}]\n`;

async function aSession(options: Partial<SessionOptions>, stdin = ''): Promise<Session> {
  const environment = {
    clock: systemClock,
    logger: new MemoryLogger(),
    readStdin: async () => Buffer.from(stdin),
    onPause: () => undefined,
  };
  const session = await openSession({ paths: [], egress: DIRECT, ...options }, environment, NEVER);
  onTestFinished(() => session.close());
  return session;
}

describe('a session over manifests', () => {
  it('reaches the service of a resource, and lists its deployments', async () => {
    const { url, service } = await servedService([{ name: 'agent' }, { name: 'other' }]);
    const folder = temporaryFolder({ 'a.yaml': together(deploymentYaml('agent'), connectionTo(url)) });
    const session = await aSession({ paths: [folder.path] });
    const [resource] = session.deployments;
    if (resource === undefined) throw new Error('the manifest declares one');
    const client = await session.serviceFor(resource, NEVER);
    const how = { notOlderThanMs: 0, priority: 'user' } as const;
    const seen = await client.observe({ by: 'name', name: 'agent' }, how, NEVER);
    expect(seen).toMatchObject({ kind: 'present', deployment: { name: 'agent' } });
    const { list } = await session.service(DEFAULT, NEVER);
    expect((await list({}, NEVER)).deployments.map(({ name }) => name)).toEqual(['agent', 'other']);
    expect(service.log.count('list')).toBeLessThanOrEqual(2);
    expect(session.connections[0]?.status?.conditions?.[0]).toMatchObject({ type: 'Ready', reason: 'Ok' });
  });

  it('lets the service choose by a filter', async () => {
    const { url, service } = await servedService([{ name: 'agent' }, { name: 'other' }]);
    const session = await aSession({ paths: ['-'] }, connectionTo(url));
    const { list } = await session.service(DEFAULT, NEVER);
    await list({ status: 'READY' }, NEVER);
    expect(service.log.requests('list').some(({ query }) => query.includes('status=READY'))).toBe(true);
  });

  it('leaves no trace in the folder, with and without a state', async () => {
    const { url } = await servedService([{ name: 'agent' }]);
    const folder = temporaryFolder({ 'a.yaml': together(deploymentYaml('agent'), connectionTo(url)) });
    const look = async (): Promise<Session> => {
      const session = await aSession({ paths: [folder.path] });
      for (const resource of session.deployments) await session.serviceFor(resource, NEVER);
      return session;
    };
    expect((await look()).memory).toBe('none');
    expect(readdirSync(folder.path)).toEqual(['a.yaml']);
    await (await openFolder(folder.path)).stop();
    const before = readdirSync(folder.at('.dms-operator')).map((name) =>
      folder.read(`.dms-operator/${name}`),
    );
    expect((await look()).memory).toBe('whole');
    const after = readdirSync(folder.at('.dms-operator')).map((name) => folder.read(`.dms-operator/${name}`));
    expect(after).toEqual(before);
  });

  it('reads the status from the state, and notices that the spec has changed since', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('agent') });
    const held = await openFolder(folder.path);
    const [resource] = held.adapter.list();
    if (resource === undefined) throw new Error('the manifest declares one');
    await held.store.announce(resource, { deploymentID: 'd-1' });
    folder.write('a.yaml', deploymentYaml('agent', { image: 'registry.example.com/agent:2' }));
    // The process that holds the state continues meanwhile.
    const { deployments } = await aSession({ paths: [folder.path] });
    expect(deployments).toMatchObject([{ status: { deploymentID: 'd-1' }, metadata: { generation: 2 } }]);
  });

  it('reports in one line why a service cannot be used', async () => {
    const auth = { kind: 'header', name: 'X-Api-Key', value: 'right-key' } as const;
    const { url } = await servedService([], { semantics: { auth } });
    const lines = async (...documents: readonly string[]): Promise<unknown> => {
      const session = await aSession({ paths: ['-'] }, together(...documents));
      return session.service(DEFAULT, NEVER).catch((error: Error) => error.message);
    };
    expect(await lines(deploymentYaml('agent'))).toBe(
      'there is no Connection default; give its manifest with -f as well, or name a cluster with --context or --namespace',
    );
    const connection = connectionTo(url, { spec: KEY_HEADER });
    expect(await lines(connection)).toMatch(
      /^Connection team-a\/default \(http:\S+\) cannot be used: SecretMissing: .*credentials/,
    );
    expect(await lines(connection, secretYaml('credentials', { 'api-key': 'wrong-key' }))).toMatch(
      /^Connection team-a\/default \(http:\S+\) cannot be used: AuthFailed: /,
    );
    expect(await lines(connectionTo('http://127.0.0.1:1'))).toMatch(
      /^Connection team-a\/default \(http:\S+\) cannot be used: Unreachable/,
    );
  });

  it('reads Secrets from a folder of files', async () => {
    const auth = { kind: 'header', name: 'X-Api-Key', value: 'right-key' } as const;
    const { url } = await servedService([], { semantics: { auth } });
    const secrets = temporaryFolder({ 'credentials/api-key': 'right-key' });
    const manifest = connectionTo(url, { spec: KEY_HEADER });
    const session = await aSession({ paths: ['-'], secretsDir: secrets.path }, manifest);
    expect((await session.service(DEFAULT, NEVER)).name).toEqual(DEFAULT);
  });

  it('reports errors in manifests, and continues with the others', async () => {
    const folder = temporaryFolder({ 'a.yaml': together(deploymentYaml('agent'), 'kind: Deployment\n') });
    const { problems, deployments } = await aSession({ paths: [folder.path] });
    expect(deployments).toHaveLength(1);
    expect(problems).toContainEqual(
      expect.objectContaining({ severity: 'error', file: folder.at('a.yaml') }),
    );
  });

  it('reads a connection again if its list fails on the way', async () => {
    const { url, service } = await servedService([{ name: 'agent' }]);
    const session = await aSession({ paths: ['-'] }, together(deploymentYaml('agent'), connectionTo(url)));
    const [resource] = session.deployments;
    if (resource === undefined) throw new Error('the manifest declares one');
    const client = await session.serviceFor(resource, NEVER);
    service.setSemantics({ auth: { kind: 'header', name: 'X-Api-Key', value: 'right-key' } });
    const fresh = { notOlderThanMs: systemClock.now(), priority: 'user' } as const;
    await expect(client.observe({ by: 'name', name: 'agent' }, fresh, NEVER)).rejects.toThrow();
    await expect(session.serviceFor(resource, NEVER)).rejects.toThrow(/AuthFailed/);
  });

  it('reports that it was stopped, and nothing about the running call', async () => {
    const asked = Promise.withResolvers<void>();
    const silent = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
    onTestFinished(() => silent.closeAllConnections());
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const folder = temporaryFolder({ config: kubeconfigOf(`http://127.0.0.1:${port}`) });
    const stop = new AbortController();
    const environment = {
      clock: systemClock,
      logger: new MemoryLogger(),
      readStdin: async () => new Uint8Array(),
      onPause: () => undefined,
    };
    const cluster = { kubeconfig: folder.at('config'), namespaces: [] };
    const session = openSession({ paths: [], egress: DIRECT, cluster }, environment, stop.signal);
    await Promise.race([asked.promise, session]);
    stop.abort(new Error('stopped'));
    await expect(session).rejects.toThrow(/^stopped$/);
  });
});

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: '' } }],
    'current-context': 'c',
  });
}
