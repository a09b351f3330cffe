import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import type { DeploymentResource } from '../../src/api/deployment.ts';
import { SecretValue } from '../../src/base/secret-value.ts';
import { MetricsRegistry } from '../../src/telemetry/metrics-registry.ts';
import { MemoryEvents } from '../support/doubles/memory-events.ts';
import { MemoryStore } from '../support/doubles/memory-store.ts';
import { VirtualClock } from '../support/doubles/virtual-clock.ts';
import { secretsOf } from '../support/leaks/secrets-of.ts';
import { noteTold, takeLeak } from '../support/leaks/told.ts';
import { MemoryLogger } from '../support/doubles/memory-logger.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const RESOURCE: DeploymentResource = {
  apiVersion: 'dms-operator.dev/v1alpha1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: { source: 'codehost' },
};

/** What the watch over the whole suite finds, planted here on purpose; every test takes its leak away again. */
const secret = new SecretValue('correct horse/"battery"').reveal();

describe('a secret that was told', () => {
  test.each([
    { name: 'in plain', text: `found ${secret} there` },
    { name: 'in JSON', text: JSON.stringify({ value: secret }) },
    { name: 'in an address', text: `/v2?q=${encodeURIComponent(secret)}` },
    { name: 'in base64', text: `Basic ${Buffer.from(secret).toString('base64')}` },
  ])('$name is found', ({ text }) => {
    noteTold('somewhere', text);
    expect(takeLeak()).toMatchObject({ secret, where: 'somewhere', text });
    expect(takeLeak(), 'once').toBeUndefined();
  });

  test.each<{ name: string; tell: () => unknown }>([
    { name: 'the log', tell: () => new MemoryLogger().info('a line', { detail: secret }) },
    {
      name: 'the cause of an error in the log',
      tell: () => new MemoryLogger().error('a line', { error: new Error('a', { cause: new Error(secret) }) }),
    },
    {
      name: 'an event',
      tell: () =>
        new MemoryEvents().record(RESOURCE, {
          type: 'Warning',
          reason: 'Rejected',
          action: 'Patch',
          message: secret,
        }),
    },
    {
      name: 'a status',
      tell: () => {
        const store = new MemoryStore(new VirtualClock());
        return store.saveStatus(store.apply(RESOURCE), { latestRevisionID: secret }, { mustLand: false });
      },
    },
    {
      name: 'the metrics',
      tell: () => {
        const metrics = new MetricsRegistry(new VirtualClock());
        metrics.connectionSeen(secret, () => ({ waiting: 0, gateClosed: false }));
        return metrics.expose();
      },
    },
    { name: 'the terminal', tell: () => process.stderr.write(`${secret}\n`) },
    { name: 'a file', tell: () => writeFileSync(temporaryFolder().at('state.json'), secret) },
  ])('in $name is found', async ({ tell }) => {
    await tell();
    expect(takeLeak()?.secret).toBe(secret);
  });

  test('in a request to the API server about a status is found, and the spec that people wrote is theirs', async () => {
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const path of ['/deployments/a', '/deployments/a/status']) {
      await request(`http://127.0.0.1:${port}${path}`, { method: 'PATCH', body: secret });
      expect(takeLeak() !== undefined).toBe(path.endsWith('/status'));
    }
    server.closeAllConnections();
    server.close();
  });
});

test('secrets are known from manifests', () => {
  const text = `
kind: Secret
stringData: { a: one-secret }
data: { b: ${Buffer.from('another-secret').toString('base64')} }
---
kind: Deployment
spec: { secrets: [{ name: A, value: written-down }, { name: B }] }
`;
  expect(secretsOf(text)).toEqual(['another-secret', 'one-secret', 'written-down']);
});
